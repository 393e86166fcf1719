import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import Value
from machmeter.model.layout import HUGE_PAGE, Binding, Layout, ProgressMode
from machmeter.model.layout_fields import FIELDS
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed import Printed
from machmeter.model.units import SHARE
from machmeter.model.variant import Variant
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.text.labels import parameter_phrase, parameter_text
from machmeter.text.layouts import layout_columns, layout_text, split_text
from machmeter.text.numbers import duration_text, time_text
from machmeter.text.plain import plain
from machmeter.text.results import (
    both_texts,
    precision_text,
    result_interval_text,
    result_text,
    scale_of_both,
    value_text,
    value_with_interval,
)
from tests.support.synthetic.run import make_run

ANY = estimates_of(make_run(), "network.latency")[0]
RATE = replace(ANY, value=4.22e-7, low=4.19e-7, high=4.25e-7, precision=0.0071, reached=True)


def test_value_interval_and_launches_stand_in_one_phrase() -> None:
    assert result_text(RATE) == "422 ns [419, 425], 12 launches, ±0.7 %"


def test_one_launch_is_singular() -> None:
    assert "1 launch," in result_text(replace(RATE, launches=1))


def test_precision_that_was_not_reached_says_what_was_asked() -> None:
    missed = replace(RATE, precision=0.041, target_precision=0.02, reached=False)
    assert precision_text(missed) == "±4.1 %, target ±2 % not met"


def test_share_has_its_precision_in_points() -> None:
    share = replace(
        RATE, unit=SHARE, value=0.83, low=0.8, high=0.86, precision=0.031, reached=False
    )
    assert precision_text(share) == "±3.1 points, target ±2 points not met"
    assert value_text(share) == "83.0 %"


def test_unresolved_overhead_is_an_upper_bound_and_never_negative() -> None:
    unresolved = replace(RATE, value=-2e-9, low=-9e-9, high=12e-9, resolved=False, reached=False)
    assert value_text(unresolved) == "< 12.0 ns"
    assert "-" not in result_text(unresolved)
    assert result_interval_text(unresolved) == "–"
    assert value_text(replace(unresolved, high=-1e-9)) == "< 0 s"


def test_an_overhead_below_zero_names_its_reference() -> None:
    below = replace(RATE, value=0.0, low=0.0, resolved=False, reached=False, below_zero=True)
    assert "reference" in precision_text(below)


def printed(number: str, unit: str, seconds: float) -> Estimate:
    text = Printed(id="a", number=number, value=float(number), unit=unit, source="a paper")
    return replace(RATE, value=seconds, launches=1, printed=text)


def test_two_values_side_by_side_have_one_unit() -> None:
    slow = replace(RATE, value=1.09e-5, low=1.0e-5, high=1.2e-5)
    assert both_texts(RATE, slow) == ("0.422 µs", "10.9 µs")
    assert both_texts(RATE, replace(RATE, value=4.5e-7)) == ("422 ns", "450 ns")
    assert value_with_interval(RATE, scale_of_both(RATE, slow)) == "0.422 µs [0.419, 0.425]"
    below = replace(RATE, value=0.0, high=9e-7, resolved=False)
    assert both_texts(below, slow) == ("< 0.900 µs", "10.9 µs")


def test_a_printed_value_keeps_its_unit_and_gives_it_to_the_other() -> None:
    assert both_texts(RATE, printed("0.62", "us", 6.2e-7)) == ("0.422 µs", "0.62 µs")
    assert both_texts(printed("0.62", "us", 6.2e-7), RATE) == ("0.62 µs", "0.422 µs")


def test_what_lies_too_far_apart_for_one_unit_keeps_its_own() -> None:
    assert both_texts(RATE, replace(RATE, value=422.0)) == ("422 ns", "422 s")
    assert both_texts(RATE, printed("62", "s", 62.0)) == ("422 ns", "62 s")
    assert both_texts(RATE, replace(RATE, unit=SHARE, value=0.5)) == ("422 ns", "50.0 %")


@given(st.floats(1e-9, 1e3), st.floats(1e-9, 1e3))
def test_one_unit_changes_no_value(first: float, second: float) -> None:
    scale = scale_of_both(replace(RATE, value=first), replace(RATE, value=second))
    for value in (first, second):
        if scale:
            assert float(scale.number(value)) * scale.factor == pytest.approx(value, rel=0.006)


def test_sizes_have_binary_prefixes_and_other_parameters_do_not() -> None:
    assert parameter_text("size", 65536) == "64 KiB"
    assert parameter_text("window", 64) == "64"


def test_layout_names_what_differs() -> None:
    assert layout_text(Layout()) == "1 thread"
    assert layout_text(Layout(), of_ranks=True) == "1 rank"
    assert layout_text(Layout(threads_per_rank=2), of_ranks=True) == "1 rank, 2 threads"
    wide = Layout(nodes=2, ranks_per_node=2, page_bytes=HUGE_PAGE, binding=Binding.NONE)
    assert layout_text(wide) == "2 nodes, 4 ranks, unbound, 2 MiB pages"


def test_layout_names_teams_runtime_and_allocator() -> None:
    nested = Layout(threads_per_rank=2, inner_threads=4, binding=Binding.OUTER, openmp="libomp")
    assert layout_text(nested) == "2 x 4 threads, outer threads bound, libomp"
    assert split_text(Layout(threads_per_rank=8)) == "8 x 1 threads"
    assert layout_text(Layout(allocator="jemalloc")) == "1 thread, jemalloc"
    assert "[2J" in layout_text(Layout(openmp="\x1b[2J"))
    assert "\x1b" not in layout_text(Layout(openmp="\x1b[2J"))


def test_layout_names_package_progress_and_library() -> None:
    layout = Layout(ranks_per_node=2, package=1, progress=ProgressMode.THREAD)
    mpich = Variant("mpich")
    assert layout_text(layout, mpich) == "2 ranks, progress thread, package 1, mpich"
    columns = layout_columns(layout, mpich)
    assert [columns[name] for name in ("package", "progress", "MPI")] == [
        "1",
        "progress thread",
        "mpich",
    ]
    assert "\x1b" not in layout_text(Layout(), Variant("\x1b[2J"))


def test_parameters_stand_without_their_names() -> None:
    phrases: dict[tuple[str, Value], str] = {
        ("window", 64): "window 64",
        ("window", "create"): "create window",
        ("direction", "both-ways"): "both-ways",
        ("buffers", "cold"): "cold buffers",
        ("outstanding", 64): "64 outstanding",
        ("size", 1024): "1 KiB",
        ("way", "persistent"): "persistent",
        ("rounds", 3): "rounds 3",
        ("work_percent", 50): "work 50 % of communication",
        ("queries", 1): "1 query",
        ("tests_of_two_words", 3): "tests of two words 3",
    }
    assert {key: parameter_phrase(*key) for key in phrases} == phrases


def test_layout_columns_name_every_part() -> None:
    columns = layout_columns(Layout(inner_threads=4, allocator="mimalloc", device="opencl:0"))
    assert columns["inner threads"] == "4"
    assert columns["allocator"] == "mimalloc"
    assert columns["OpenMP"] == "as linked"
    assert columns["device"] == "opencl:0"
    assert len(columns) == len(FIELDS)
    assert columns.keys() - layout_columns(Layout()).keys() == {"device"}


def test_durations_and_times() -> None:
    assert [duration_text(s) for s in (0, 59.6, 131, 3840)] == [
        "0 s",
        "1 min 0 s",
        "2 min 11 s",
        "1 h 4 min",
    ]
    assert time_text("2026-11-20T10:00:00Z") == "2026-11-20 10:00 UTC"
    assert time_text("yesterday") == "yesterday"


def test_terminal_escapes_do_not_pass() -> None:
    assert plain("node\x1b[31m\u202e17\nx") == "node[31m17 x"


@given(st.text(max_size=300), st.integers(min_value=1, max_value=100))
def test_plain_text_is_one_short_line_without_control_characters(text: str, limit: int) -> None:
    found = plain(text, limit)
    assert len(found) <= limit
    assert len(found.splitlines()) <= 1
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs"} for c in found)


def test_parameters_of_one_name_read_alike() -> None:
    declared: dict[tuple[str, bool], set[tuple[str, tuple[str, str]]]] = {}
    for benchmark in BENCHMARKS:
        for one in benchmark.parameters:
            same = declared.setdefault((one.name, one.kind.is_number), set())
            same.add((one.phrase, one.counted))
    assert {name for name, words in declared.items() if len(words) > 1} == set()

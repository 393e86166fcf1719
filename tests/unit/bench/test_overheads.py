from pathlib import Path

import pytest

from bench.comparisons.overheads import SAME, linked_runtime, repetitions_for
from bench.comparisons.overheads_rows import (
    ConstructLaunches,
    bar_note,
    construct_row,
    counted_rows,
    rows,
)
from bench.parsers import SyncOverhead
from bench.table import row_cells
from bench.verdicts import TargetVerdict
from machmeter.benchmarks.threads import CONSTRUCTS

STEADY = (1.00e-6, 1.02e-6, 0.98e-6)
TORN = (1e-6, -2e-6, 1.5e-6)


def both(
    ours: tuple[float, ...], theirs: tuple[float, ...], bar: float = 0.2e-6, name: str = "for"
) -> ConstructLaunches:
    return ConstructLaunches(name, ours, tuple(SyncOverhead(value, bar) for value in theirs))


def counts(*pairs: ConstructLaunches) -> dict[str, tuple[str, str, TargetVerdict]]:
    return {row.what: (row.ours, row.peer, row.verdict) for row in counted_rows(pairs)}


def test_a_mean_inside_our_interval_is_contained() -> None:
    pair = both(STEADY, (1.01e-6, 0.99e-6))
    assert pair.holds_their_mean()
    row = construct_row(pair)
    assert row.low < 1 < row.high
    assert row.verdict is TargetVerdict.PASS
    assert counts(pair)["peer's mean in our interval"] == ("1 of 1", "", TargetVerdict.PASS)


@pytest.mark.parametrize("theirs", [(1.3e-6, 1.31e-6), (0.7e-6, 0.71e-6)])
def test_a_mean_outside_our_interval_is_missed_on_either_side(theirs: tuple[float, ...]) -> None:
    pair = both(STEADY, theirs)
    assert construct_row(pair).verdict is TargetVerdict.MISSED
    assert counts(pair)["peer's mean in our interval"] == ("0 of 1", "", TargetVerdict.MISSED)


def test_launches_not_above_their_own_bar_are_not_compared() -> None:
    mixed = ConstructLaunches(
        "for",
        STEADY,
        (SyncOverhead(1e-6, 0.1e-6), SyncOverhead(1.02e-6, 0.1e-6), SyncOverhead(9e-6, 20e-6)),
    )
    assert mixed.their_mean() == pytest.approx(1.01e-6)
    assert mixed.holds_their_mean()
    nothing = both(STEADY, (1e-6, 1e-6), bar=3e-6)
    assert not nothing.comparable()
    assert construct_row(nothing).verdict is TargetVerdict.SHOWN
    assert "peer's mean in our interval" not in counts(nothing)


def test_an_interval_too_wide_to_say_anything_does_not_pass() -> None:
    row = construct_row(both((1e-6, 2e-6, 1.5e-6), (1.5e-6, 1.5e-6)))
    assert row.low < 1 < row.high
    assert row.verdict is TargetVerdict.INCONCLUSIVE


def test_values_below_zero_are_counted_raw_and_as_printed() -> None:
    found = counts(both(STEADY, TORN), both(TORN, STEADY, name="single"))
    assert found["launches below zero"] == ("1 of 6", "1 of 6", TargetVerdict.MISSED)
    assert found["printed below zero"] == ("0 of 2", "1 of 6", TargetVerdict.PASS)


def test_an_interval_wholly_below_zero_counts_as_printed_below_zero() -> None:
    found = counts(both((-1.0e-6, -1.01e-6, -0.99e-6), STEADY))
    assert found["printed below zero"] == ("1 of 1", "0 of 3", TargetVerdict.MISSED)


def test_three_times_as_many_constructs_must_be_resolved() -> None:
    own_bar = "resolved to 10 %, by each one's own interval"
    narrow = both(STEADY, STEADY, bar=0.05e-6)
    wide = both(STEADY, STEADY, bar=0.5e-6)
    torn = both(TORN, STEADY, bar=0.5e-6)
    assert counts(narrow, wide, wide)[own_bar] == ("3 of 3", "1 of 3", TargetVerdict.PASS)
    assert counts(narrow, wide)[own_bar] == ("2 of 2", "1 of 2", TargetVerdict.MISSED)
    assert counts(wide, torn)[own_bar] == ("1 of 2", "0 of 2", TargetVerdict.PASS)
    assert counts(torn)[own_bar] == ("0 of 1", "0 of 1", TargetVerdict.MISSED)


def test_both_are_also_compared_by_the_same_statistic() -> None:
    over_launches = "resolved to 10 %, both over launches"
    found = counts(both(STEADY, TORN), both(STEADY, STEADY, bar=1e-6))
    assert found[over_launches] == ("2 of 2", "1 of 2", TargetVerdict.SHOWN)


def test_rows_print_where_nothing_is_resolved() -> None:
    for row in rows([both(TORN, TORN), both((-1e-6, -1.1e-6, -1e-6), STEADY)]):
        assert len(row_cells(row)) == 7
        assert "e+" not in "".join(row_cells(row))


def test_constructs_without_two_launches_of_both_have_no_row() -> None:
    assert rows([both(STEADY, (1e-6,)), both((), STEADY)]) == []
    assert "1 of EPCC's 1 overheads" in bar_note([both((), (1e-6,), bar=2e-6)])


def test_every_construct_compared_is_in_the_catalogue() -> None:
    assert set(SAME) <= set(CONSTRUCTS)
    assert set(CONSTRUCTS) - set(SAME) == {"task", "taskwait", "taskloop"}


@pytest.mark.parametrize(
    ("content", "runtime"),
    [
        (b"\x7fELF\0libm.so.6\0libomp.so.5\0", "libomp.so"),
        (b"\x7fELF\0libgomp.so.1\0", "libgomp.so"),
        (b"\x7fELF\0libiomp5.so\0", "libiomp5.so"),
        (b"\x7fELF\0libc.so.6\0", ""),
    ],
)
def test_the_runtime_is_read_from_the_program(content: bytes, runtime: str, tmp_path: Path) -> None:
    program = tmp_path / "syncbench"
    program.write_bytes(content)
    assert linked_runtime(program) == runtime


def test_repetitions_fill_the_time_and_are_never_fewer_than_its_own() -> None:
    assert repetitions_for(0.2, (20, 0.1), (200, 0.28)) == 120
    assert repetitions_for(0.05, (20, 0.1), (200, 0.28)) == 20
    assert repetitions_for(0.2, (20, 0.3), (200, 0.2)) == 20

"""Values and ratios in the words of a finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.units import UNBOUNDED
from machmeter.text.findings.labels import (
    cases_text,
    is_nothing_set,
    label_text,
    listed,
    value_label,
)
from machmeter.text.ratios import bounded_ratio_text, ratio_as_share_text, times_text


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("threads_per_rank", 1, "1 thread"),
        ("threads", 104, "104 threads"),
        ("page_bytes", 2**21, "2 MiB pages"),
        ("size", 4096, "4 KiB"),
        ("pages", "transparent", "transparent huge pages"),
        ("chunk", 0, "no chunk size"),
        ("chunk", 64, "chunks of 64"),
        ("openmp", "", "OpenMP as linked"),
        ("allocator", "jemalloc", "jemalloc"),
        ("wait_policy", "active", "active wait"),
        ("schedule", "guided", "guided"),
        ("split", "4 x 2", "4 x 2"),
        ("ranks", 2, "2 ranks"),
        ("nodes", 1, "1 node"),
        ("ranks_per_node", 4, "4 ranks on each node"),
        ("package", -1, "all packages"),
        ("package", 1, "package 1"),
        ("mpi", "mpich", "mpich"),
        ("progress", ProgressMode.LIBRARY, "no progress thread"),
        ("progress", ProgressMode.THREAD, "progress thread"),
        ("outstanding", 64, "64 outstanding"),
        ("smt", 2, "SMT 2"),
        ("reserved_cores", 1, "1 reserved core"),
        ("reserved_cores", 0, "0 reserved cores"),
        ("pair", "0-3", "pair 0-3"),
        ("binding", "none", "unbound"),
        ("derivatives", 1, "1 derivative"),
        ("input", "8cccdf7c0217", "input 8cccdf7c0217"),
    ],
)
def test_values_read_as_a_person_says_them(name: str, value: Value, expected: str) -> None:
    assert value_label(name, value) == expected


def test_a_launch_mode_is_named_by_what_a_plain_one_has_not() -> None:
    shape: tuple[tuple[str, Value], ...] = (("ranks_per_node", 8), ("threads_per_rank", 2))
    plain: tuple[tuple[str, Value], ...] = (("smt", 1), ("reserved_cores", 0))
    with_both: tuple[tuple[str, Value], ...] = (("smt", 2), ("reserved_cores", 1))
    assert label_text(shape + plain) == "8 ranks on each node, 2 threads"
    assert label_text(shape + with_both).endswith(", SMT 2, 1 reserved core")
    assert label_text(plain) == "SMT 1, 0 reserved cores"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.487, "0.49x"), (1.92, "1.92x"), (17.28, "17.3x"), (451.47, "451x"), (0.00321, "0.00321x")],
)
def test_ratios_have_the_digits_that_count(ratio: float, text: str) -> None:
    assert times_text(ratio) == text


def comparison(ratio: float, low: float, high: float) -> Comparison:
    return Comparison(ratio, low, high, True, 9.0, 0.01, ComparisonVerdict.FASTER)


def test_bounds_have_the_digits_of_their_ratio() -> None:
    assert bounded_ratio_text(comparison(157.2, 99.6, 203.4)) == "157x [100, 203]"
    assert ratio_as_share_text(comparison(0.0846, 0.08, 0.112)) == "8.5 % [8.0, 11.2]"
    assert ratio_as_share_text(comparison(0.97, 0.95, 0.99)) == "97 % [95, 99]"


def test_without_an_interval_there_is_no_text() -> None:
    assert bounded_ratio_text(comparison(2.0, 0.0, UNBOUNDED)) == ""
    assert ratio_as_share_text(comparison(2.0, 0.0, UNBOUNDED)) == ""


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5))
def test_every_name_is_listed(names: list[str]) -> None:
    text = listed(names)
    assert text.replace(" and ", ", ").split(", ") == names


def test_many_cases_of_several_names_are_counted() -> None:
    few, many = [str(n) for n in range(3)], [str(n) for n in range(12)]
    assert cases_text(few, 3, 2) == "0, 1 and 2"
    assert cases_text(many, 12, 2) == "all 12 cases"
    assert cases_text(many, 13, 2).endswith("10 and 11")
    assert cases_text(many, 12, 1).endswith("10 and 11")


def test_where_nothing_is_set_no_number_of_threads_is_named() -> None:
    unset = (("threads_per_rank", 2), ("binding", "default"))
    assert label_text(unset) == "nothing set"
    assert label_text((("ranks_per_node", 2), *unset)) == "2 ranks on each node, nothing set"
    assert label_text((("threads_per_rank", 2), ("binding", "close"))) == "2 threads, close"
    assert label_text((*unset, ("is_placed", False))) == "nothing set"
    assert is_nothing_set(unset)
    assert is_nothing_set((("is_placed", False),))
    assert not is_nothing_set((("threads_per_rank", 4), ("is_placed", False)))
    assert not is_nothing_set((("is_placed", True),))

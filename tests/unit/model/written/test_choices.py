"""What is proposed in place of a name that nothing has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS
from machmeter.model.written.choices import choice_remedy, nearest
from machmeter.studies.select import STUDIES

NAMES = [*(s.name for s in STUDIES), *GROUPS, *(b.name for b in BENCHMARKS)]
LISTING = "`machmeter list` lists all"


@pytest.mark.parametrize("right", NAMES)
def test_a_name_without_one_letter_is_recognized(right: str) -> None:
    for at in range(len(right)):
        assert right in nearest(right[:at] + right[at + 1 :], NAMES)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("memory.strem", "memory.stream"),
        ("STREAM", "memory.stream"),
        ("scalempp", "scalemp"),
        ("spmv", "sparse.spmv"),
        ("barrier", "network.barrier"),
    ],
)
def test_the_first_proposal_is_what_was_meant(typed: str, first: str) -> None:
    assert nearest(typed, NAMES)[0] == first


def test_three_at_most_and_none_far_behind_the_best_are_proposed() -> None:
    assert nearest("edison-netwrk", NAMES) == ("edison-network",)
    assert len(nearest("stream", ["stream1", "stream2", "stream3", "stream4"])) == 3


def test_what_resembles_nothing_gets_the_list_alone() -> None:
    assert nearest("xyzzyxyzzy", NAMES) == ()
    assert choice_remedy("xyzzyxyzzy", NAMES, LISTING) == LISTING


def test_few_names_are_all_named_and_many_by_the_nearest() -> None:
    assert choice_remedy("x", ["one", "two", "one"], LISTING) == "choose one of: one, two"
    assert choice_remedy("x", [], LISTING) == "there are none"
    said = choice_remedy("memory.latncy", NAMES, LISTING)
    assert said.startswith("did you mean memory.latency")
    assert said.endswith(f"? {LISTING}")


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=30))
def test_any_name_has_at_most_three_proposals_of_those_there_are(
    name: str, known: list[str]
) -> None:
    found = nearest(name, known)
    assert len(found) <= 3
    assert set(found) <= set(known)

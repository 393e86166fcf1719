"""Figures lead to the files of their launches, and a page holds only so many links."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.origin import Origin
from machmeter.report.views.records import (
    MOST_LINKS,
    MOST_SETS,
    RecordSets,
    RecordsPlace,
    number_ranges,
    record_name,
    records_place,
)
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end
from tests.support.synthetic.run import make_run

ONE = make_run().estimates[0]


def test_the_name_of_a_record_is_that_of_its_file(tmp_path: Path) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    for number in folder.launch_numbers():
        assert (folder.path / record_name(number)).is_file()


def test_a_page_in_the_folder_links_beside_it_and_others_to_an_address(tmp_path: Path) -> None:
    folder = tmp_path / "runs ü" / "a run"
    folder.mkdir(parents=True)
    assert records_place(folder, folder / "report.html") == RecordsPlace(str(folder), "")
    other = records_place(folder, tmp_path / "page.html")
    assert other.base == folder.as_uri() + "/"
    assert other.base.startswith("file:///")
    assert " " not in other.base


def test_figures_of_the_same_launches_share_one_list() -> None:
    sets = RecordSets(RecordsPlace("/run", ""))
    again, other = replace(ONE), replace(ONE, launch_numbers=(7, 9))
    assert sets.address_of(ONE) == sets.address_of(again) == "#records-1"
    first, second = sets.of([ONE, again, other])
    assert second.links == (("7", "launches/00007.jsonl"), ("9", "launches/00009.jsonl"))
    assert (second.anchor, second.summary, second.others) == ("records-2", "2 launches", "")
    assert first.anchor == "records-1"
    assert sets.of([ONE, other]) == ()


def test_only_some_launches_are_links_and_the_others_are_numbers() -> None:
    many = replace(ONE, launch_numbers=tuple(range(1, 101)))
    (found,) = RecordSets(RecordsPlace("/run", "file:///run/")).of([many])
    assert len(found.links) == MOST_LINKS
    assert found.links[0] == ("1", "file:///run/launches/00001.jsonl")
    assert found.others == f"{MOST_LINKS + 1} to 100"


def test_past_so_many_lists_a_figure_leads_to_the_folder() -> None:
    sets = RecordSets(RecordsPlace("/run", "file:///run/"))
    figures = [replace(ONE, launch_numbers=(n,)) for n in range(MOST_SETS + 5)]
    assert len(sets.of(figures)) == MOST_SETS
    assert sets.address_of(figures[-1]) == "file:///run/launches/"


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (None, {}),
        (RecordsPlace("/run", ""), {"origin": Origin.PUBLISHED}),
        (RecordsPlace("/run", ""), {"launch_numbers": ()}),
    ],
)
def test_what_has_no_records_leads_nowhere(
    place: RecordsPlace | None, changes: dict[str, object]
) -> None:
    sets = RecordSets(place)
    figure = replace(ONE, **changes)
    assert sets.address_of(figure) == ""
    assert sets.of([figure]) == ()


def test_an_address_asked_for_without_listing_lists_nothing() -> None:
    sets = RecordSets(RecordsPlace("/run", ""))
    assert sets.address_of_result(ONE) == ""
    sets.address_of(ONE)
    assert sets.address_of_result(ONE) == "#records-1"


@given(st.sets(st.integers(1, 60), max_size=40))
def test_ranges_of_numbers_say_each_number_once(numbers: set[int]) -> None:
    told: list[int] = []
    for part in filter(None, number_ranges(numbers).split(", ")):
        first, _, last = part.partition(" to ")
        told += range(int(first), int(last or first) + 1)
    assert told == sorted(numbers)

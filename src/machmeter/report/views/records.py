"""From a figure to the records of its launches: links that a page can hold."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.written.text import readable
from machmeter.store.run_folder import RunFolder
from machmeter.text.numbers import count_text

MOST_LINKS = 24
MOST_SETS = 250

Launches = tuple[int, ...]


class RecordsPlace(Struct, frozen=True):
    """Where the records of a run are."""

    folder: str
    """Of the run, as a person reads it."""
    base: str
    """What a link begins with: empty on a page that is in that folder, so that both can be moved
    together, else the folder's `file:` address."""


class RecordSet(Struct, frozen=True):
    """The launches that results have in common."""

    anchor: str
    """On the page."""
    summary: str
    """How many they are."""
    links: tuple[tuple[str, str], ...]
    """Number and address of as many as the page has room for."""
    others: str = ""
    """Numbers of the rest, as text."""


def records_place(folder: Path, page: Path) -> RecordsPlace:
    """Where a page at `page` finds the records of the run in `folder`."""
    where = folder.absolute()
    inside = page.absolute().parent.resolve() == where.resolve()
    return RecordsPlace(readable(str(where)), "" if inside else where.as_uri() + "/")


class RecordSets:
    """The record sets of many figures, each once, with an anchor of its own."""

    def __init__(self, place: RecordsPlace | None, prefix: str = "records") -> None:
        self.place = place
        self._prefix = prefix
        self._anchors: dict[Launches, str] = {}
        self._shown: set[Launches] = set()

    def address_of(self, estimate: Estimate) -> str:
        """Where the figure's launches are listed on the page.

        Beyond `MOST_SETS` it is the folder of all launches; empty where there are no records.
        """
        launches = estimate.launch_numbers
        if self.place is None or not launches or not estimate.origin.is_own:
            return ""
        if launches not in self._anchors:
            if len(self._anchors) >= MOST_SETS:
                return self.place.base + "launches/"
            self._anchors[launches] = f"{self._prefix}-{len(self._anchors) + 1}"
        return f"#{self._anchors[launches]}"

    def address_of_result(self, estimate: Estimate) -> str:
        """Where launches that are listed already are; empty for others."""
        anchor = self._anchors.get(estimate.launch_numbers, "")
        return f"#{anchor}" if anchor else ""

    def of(self, estimates: Iterable[Estimate]) -> tuple[RecordSet, ...]:
        """The sets of these figures, which the page then lists; each is listed but once."""
        return self.listed([e for e in estimates if self.address_of(e)])

    def listed(self, estimates: Iterable[Estimate]) -> tuple[RecordSet, ...]:
        """The sets among these figures' that the page leads to and has not listed yet."""
        wanted = [
            launches
            for launches in dict.fromkeys(e.launch_numbers for e in estimates)
            if launches in self._anchors and launches not in self._shown
        ]
        self._shown.update(wanted)
        return tuple(self._listed(launches) for launches in wanted)

    def _listed(self, launches: Launches) -> RecordSet:
        base = self.place.base if self.place else ""
        links = tuple((str(n), base + record_name(n)) for n in launches[:MOST_LINKS])
        return RecordSet(
            self._anchors[launches],
            count_text(len(launches), "launch", "launches"),
            links,
            number_ranges(launches[MOST_LINKS:]),
        )


def record_name(launch: int) -> str:
    """The record of a launch as its run's folder names it: `launches/00020.jsonl`."""
    return RunFolder(Path()).record_path(launch).as_posix()


def number_ranges(numbers: Iterable[int]) -> str:
    """Rising numbers in short: `3, 5 to 9, 12`; empty for none."""
    rising = sorted(set(numbers))
    if not rising:
        return ""
    ends = [i for i, (one, other) in enumerate(pairwise(rising), 1) if other != one + 1]
    runs = [rising[a:b] for a, b in pairwise([0, *ends, len(rising)])]
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)

"""The machines of 2018 to 2026 that `tools/modern_machines.py` writes are no nonsense."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from machmeter.machine.hardware.processors import known_generations
from machmeter.model.results.estimate import Estimate
from machmeter.published import load
from machmeter.published.contributed import ContributedPart, beyond_limits, missing_parts
from machmeter.published.estimates import published_estimates
from machmeter.published.format import PublishedMachine

FOLDER = Path(load.__file__).parent / "machines" / "today"
KINDS = ("zen", "zen-new", "intel", "neoverse", "arm", "power-and-others", "hpl")
FILES = sorted(path for kind in KINDS for path in (FOLDER / kind).glob("*.toml"))
# A program read the lines; boards have processors without limits in cpus.toml.
NOT_KNOWN = {ContributedPart.TEXT, ContributedPart.GENERATION}
SAME_BY_CHANCE = 3


@cache
def read(path: Path) -> PublishedMachine:
    return load.read_machine(path)


def estimates(path: Path) -> tuple[Estimate, ...]:
    return published_estimates(read(path))


def test_each_folder_has_machines_and_can_be_looked_through() -> None:
    counts = {kind: len(list((FOLDER / kind).glob("*.toml"))) for kind in KINDS}
    assert all(1 <= count <= 15 for count in counts.values()), counts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_found_by_its_name_and_says_what_it_is(path: Path) -> None:
    machine = read(path)
    assert machine.id == path.stem
    assert machine.hardware.generation
    assert machine == load.published_machine(machine.id)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_figure_is_a_result_of_its_own(path: Path) -> None:
    found = estimates(path)
    assert len(found) == read(path).figure_count
    points = {
        (one.point.key, one.metric, one.printed.relation if one.printed else None) for one in found
    }
    assert len(points) == len(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_has_what_a_file_that_is_added_has(path: Path) -> None:
    missing = {one.part for one in missing_parts(read(path), known_generations())}
    assert missing <= NOT_KNOWN
    assert beyond_limits(read(path)) == ()


def test_no_two_machines_have_the_same_numbers() -> None:
    values = {path.stem: {one.value for one in estimates(path)} for path in FILES}
    alike = [
        (one, other)
        for one in values
        for other in values
        if one < other and len(values[one] & values[other]) >= SAME_BY_CHANCE
    ]
    assert alike == []

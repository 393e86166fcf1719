"""The machines of 2018 to 2026 that `tools/modern_machines.py` writes are no nonsense."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed import HowKnown
from machmeter.published import load
from machmeter.published.estimates import published_estimates
from machmeter.published.format import PublishedMachine

FOLDER = Path(load.__file__).parent / "machines" / "today"
KINDS = ("zen", "zen-new", "intel", "neoverse", "arm", "power-and-others", "hpl")
FILES = sorted(path for kind in KINDS for path in (FOLDER / kind).glob("*.toml"))
# The network that takes least is on the chip (Tofu D): of those behind PCIe none is below 1 us.
LEAST_BETWEEN_NODES = 0.9e-6
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
def test_every_figure_has_an_address_and_is_a_result_of_its_own(path: Path) -> None:
    assert all(table.address for table in read(path).tables)
    found = estimates(path)
    assert len(found) == read(path).figure_count
    points = {
        (one.point.key, one.metric, one.printed.relation if one.printed else None) for one in found
    }
    assert len(points) == len(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bandwidths_and_collectives_say_of_which_values_they_are(path: Path) -> None:
    unnamed = [
        table.figures[0].id
        for table in read(path).tables
        if table.benchmark in ("memory.stream", "network.collective")
        and not table.statistic
        and table.precision is not HowKnown.THRESHOLD
    ]
    assert unnamed == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_memory_carries_more_than_its_channels(path: Path) -> None:
    most = read(path).hardware.bandwidth
    rates = [one.value for one in estimates(path) if one.metric == "stream_bandwidth"]
    assert not most or all(rate < most for rate in rates)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_message_between_nodes_is_faster_than_a_network(path: Path) -> None:
    between = [
        one.value
        for one in estimates(path)
        if one.point.benchmark == "network.latency" and one.point.layout.nodes > 1
    ]
    assert all(value >= LEAST_BETWEEN_NODES for value in between)


def test_no_two_machines_have_the_same_numbers() -> None:
    values = {path.stem: {one.value for one in estimates(path)} for path in FILES}
    alike = [
        (one, other)
        for one in values
        for other in values
        if one < other and len(values[one] & values[other]) >= SAME_BY_CHANCE
    ]
    assert alike == []

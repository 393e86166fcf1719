"""The twin that docs/twins.md describes is one that can be read and shown."""

from __future__ import annotations

import re

from machmeter.model.twin import TwinTopology
from machmeter.simulation.change import changed
from machmeter.simulation.parameters import parameters_of
from machmeter.simulation.read import twin_in
from tests.support.paths import ROOT

DOCUMENT = (ROOT / "docs" / "twins.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)


def test_the_example_is_a_twin() -> None:
    twin = twin_in(EXAMPLE.encode(), "ours.toml")
    assert (twin.name, twin.nodes, twin.topology) == ("ours", 128, TwinTopology.FAT_TREE)
    assert twin.value("network.hop_latency") == 130e-9
    assert twin.band("network.latency") == 0.15
    needed = {one.name for one in parameters_of(twin.topology, len(twin.shape))}
    assert {one.name for one in twin.parameters} == needed


def test_the_changes_that_it_names_can_be_made() -> None:
    twin = twin_in(EXAMPLE.encode(), "ours.toml")
    for change in re.findall(r"network\.[a-z_.]+=[0-9a-z]+", DOCUMENT):
        assert changed(twin, (change,)) != twin

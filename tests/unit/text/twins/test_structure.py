"""Models of machines as text."""

from __future__ import annotations

import pytest

from machmeter.model.twin import ErrorBand
from machmeter.simulation.builtin import find_twin
from machmeter.text.twins.structure import (
    bands_text,
    bases_text,
    links_of,
    network_text,
    tapers_of,
    twin_facts,
)
from tests.support.made_up.twins import made_up_twin


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hopper", "3-D torus of 17 x 8 x 24 routers, 2 nodes a router"),
        ("edison", "dragonfly of 2 groups of 6 chassis of 16 routers, 4 nodes a router"),
        (
            "comet",
            "fat tree: 72 nodes to a switch, 27 switches to one of level 2; taper 4:1 at level 1",
        ),
        ("two-nodes", "2 nodes, every two directly connected"),
    ],
)
def test_a_network_in_words(name: str, words: str) -> None:
    assert network_text(find_twin(name)) == words


def test_the_nic_comes_first_then_every_kind_of_link() -> None:
    rates = {link.name: link.rate for link in links_of(find_twin("hopper"))}
    assert rates == {
        "NIC of a node": "6.00 GB/s",
        "between routers along x": "5.87 GB/s",
        "between routers along y": "3.47 GB/s",
        "between routers along z": "5.71 GB/s",
    }
    assert len(links_of(find_twin("edison"))) == 4
    assert [link.name for link in links_of(find_twin("two-nodes"))] == ["NIC of a node"]


def test_only_a_fat_tree_tapers() -> None:
    assert tapers_of(find_twin("comet")) == {1: "4:1"}
    assert tapers_of(find_twin("hopper")) == {}


def test_bases_are_counted_and_bands_stated() -> None:
    twin = made_up_twin(ErrorBand("network.latency", 0.12, "residuals"))
    assert bases_text(twin) == "15 assumed"
    assert bands_text(twin) == "network.latency ±12 %"
    assert bands_text(made_up_twin()) == "unknown: no residuals of a fit"
    assert dict(twin_facts(twin))["node"] == "2 sockets of 4 cores, no processor, 16 GiB"

"""What nodes may have in common, from records of their hosts and from their names."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.system.host_attributes import BEGINNING, host_attributes
from machmeter.model.plan.observed_host import NetworkDevice, ObservedHost

GIB = 2**30


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("r12c3n07", "r12c3"),
        ("rack1-node12.site.example", "rack1"),
        ("c1-2-3-ib", "c1-2"),
        ("nid001234", None),
        ("cn07.rack3", None),
        ("login", None),
        ("", None),
    ],
)
def test_a_place_is_what_comes_before_the_last_number(name: str, beginning: str | None) -> None:
    assert host_attributes([name], ()) == ({BEGINNING: {0: beginning}} if beginning else {})


def test_what_a_host_says_is_of_the_nodes_with_its_name() -> None:
    rates = NetworkDevice("ib0", 1e11), NetworkDevice("eth0", 1e9), NetworkDevice("lo")
    first = ObservedHost(
        "a", kernel="6.1", free_huge_pages=0, network=rates, kernel_started=86400.0 * 365
    )
    found = host_attributes(["b", "a"], [first, ObservedHost("b", kernel="6.12"), first])
    assert found["kernel"] == {0: "6.12", 1: "6.1"}
    assert found["network"] == {1: "1 Gbit/s + 100 Gbit/s"}
    assert found["free huge pages"] == {1: "0"}
    assert found["boot day"] == {1: "1971-01-01"}
    assert "governor" not in found


def test_memory_that_firmware_took_is_no_difference() -> None:
    sizes = (251 * GIB, 252 * GIB + 7, 125 * GIB, 3 * GIB)
    hosts = [ObservedHost(f"n{node}", memory_bytes=size) for node, size in enumerate(sizes)]
    found = host_attributes([host.name for host in hosts], hosts)["memory of about"]
    assert found[0] == found[1] == "256 GiB"
    assert len(set(found.values())) == 3


def test_where_hosts_have_several_ranks_nothing_is_known_of_nodes() -> None:
    assert host_attributes(["r1n1", "r1n1", "r1n2"], [ObservedHost("r1n1", kernel="6")]) == {}

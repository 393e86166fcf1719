"""Nodes of the same hardware are of one class."""

from __future__ import annotations

import pytest

from machmeter.analysis.rules.system.node_classes import UNKNOWN, hosts_in_order, node_classes
from machmeter.model.plan.observed_host import ObservedHost

GIB = 2**30


def host(name: str, model: str = "EPYC", cpus: str = "0-191", memory: float = 768) -> ObservedHost:
    return ObservedHost(
        name, cpu_model=model, online_cpus=cpus, memory_bytes=round(memory * GIB), kernel=name
    )


def classes(*hosts: ObservedHost) -> tuple[str, ...]:
    return node_classes([one.name for one in hosts], hosts)


def test_nodes_that_differ_in_software_and_a_little_memory_are_of_one_class() -> None:
    assert classes(host("a"), host("b", memory=767.2), host("c", memory=760.0)) == ()
    assert node_classes(("a", "b"), ()) == ()


def test_a_class_is_named_by_that_in_which_it_differs() -> None:
    assert classes(host("a"), host("b", memory=1536), host("c")) == (
        "768 GiB",
        "1536 GiB",
        "768 GiB",
    )
    assert classes(host("a"), host("b", "Xeon", "0-95", 768)) == (
        "EPYC, 192 CPUs",
        "Xeon, 96 CPUs",
    )


def test_nodes_of_which_nothing_is_known_are_apart() -> None:
    known = (host("a"), host("b", "Xeon"))
    assert node_classes(("a", "b", "c"), known) == ("EPYC", "Xeon", UNKNOWN)


@pytest.mark.parametrize("cpus", ["0-5-7", "a", "-3", "3-", "9-2", "0-99999999999"])
def test_cpus_that_are_no_list_are_not_known(cpus: str) -> None:
    assert classes(host("a", cpus=cpus), host("b", cpus=cpus)) == ()


def test_hosts_are_in_the_order_of_their_ranks() -> None:
    assert hosts_in_order(("b", "b", "a", "a")) == ("b", "a")

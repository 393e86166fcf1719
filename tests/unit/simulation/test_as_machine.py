"""A twin as the machine that a run is planned for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.errors import UsageError
from machmeter.simulation.as_machine import host_names, machine_of
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.change import changed

HOPPER = find_twin("hopper")


def test_a_node_has_the_cores_and_domains_of_its_twin() -> None:
    machine = machine_of(HOPPER)
    cpus = machine.topology.cpus
    assert len(machine.topology.usable_cores) == len(cpus) == 24
    assert [cpu.package for cpu in cpus] == [0] * 12 + [1] * 12
    assert [cpu.numa for cpu in cpus] == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    for domain in machine.topology.domains:
        assert domain.cpus == tuple(cpu.number for cpu in cpus if cpu.numa == domain.number)
        assert domain.distances[domain.number] == min(domain.distances)
    assert machine.memory.usable_bytes == 32 * 10**9
    assert (machine.name, machine.host) == ("simulated hopper", "hopper")
    assert machine.topology.last_cache_bytes() == 0


def test_nodes_are_named_after_the_twin() -> None:
    assert host_names(HOPPER, 2) == ("hopper-00001", "hopper-00002")
    assert len(set(host_names(HOPPER, HOPPER.nodes))) == HOPPER.nodes


@pytest.mark.parametrize("nodes", [0, -1, HOPPER.nodes + 1, 10**9])
def test_more_nodes_than_there_are_have_no_names(nodes: int) -> None:
    with pytest.raises(UsageError) as error:
        host_names(HOPPER, nodes)
    assert str(HOPPER.nodes) in error.value.remedy


def test_a_changed_model_is_another_machine() -> None:
    twice = changed(HOPPER, ("network.hop_latency=2x",))
    names = {machine_of(one).name for one in (HOPPER, twice, replace(HOPPER, nodes=100))}
    assert len(names) == 3
    assert all(name.startswith("simulated hopper") for name in names)

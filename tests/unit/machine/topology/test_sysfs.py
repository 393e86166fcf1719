from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.machine.topology.core_kinds import kinds_by_figure
from machmeter.machine.topology.sysfs import read_topology
from machmeter.model.machine import Cache, NumaDomain, Topology
from tests.support.sysfs_tree import Shape, write, write_sysfs

CPU = "sys/devices/system/cpu"


def with_distances(topology: Topology) -> Topology:
    count = len(topology.domains)
    domains = tuple(
        replace(d, distances=tuple(10 if i == n else 21 for i in range(count)))
        for n, d in enumerate(topology.domains)
    )
    return replace(topology, domains=domains)


@pytest.mark.parametrize(
    "shape", [Shape(), Shape(packages=13, domains=1, cores=8, smt=1), Shape(1, 1, 1, 1)]
)
def test_regular_machines_come_back_as_written(shape: Shape, tmp_path: Path) -> None:
    topology = shape.topology()
    write_sysfs(tmp_path, topology)
    assert read_topology(tmp_path) == with_distances(topology)


def test_offline_cpus_are_kept_without_a_place(tmp_path: Path) -> None:
    topology = Shape().topology()
    off = {5, 69, 70}
    cpus = tuple(replace(c, online=c.number not in off) for c in topology.cpus)
    write_sysfs(tmp_path, replace(topology, cpus=cpus))
    found = read_topology(tmp_path)
    assert {c.number for c in found.cpus if not c.online} == off
    assert not any(c.allowed or c.package >= 0 or c.numa >= 0 for c in found.cpus if not c.online)
    assert len(found.usable) == 125
    assert len(found.usable_cores) == 63
    cores = [cpu.core for cpu in found.cpus if not cpu.online]
    assert len(set(cores) | set(found.usable_cores)) == 66, "no core number is used twice"
    assert not off & {cpu for domain in found.domains for cpu in domain.cpus}
    assert not off & {cpu for cache in found.caches for cpu in cache.cpus}


def test_hidden_first_sibling_leaves_the_second_as_first(tmp_path: Path) -> None:
    topology = Shape(1, 1, 2, 2).topology()
    cpus = tuple(replace(c, online=c.number != 0) for c in topology.cpus)
    write_sysfs(tmp_path, replace(topology, cpus=cpus))
    assert {c.number: c.smt for c in read_topology(tmp_path).usable} == {1: 0, 2: 0, 3: 1}


def test_cpus_outside_the_cpuset_are_not_allowed(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape().topology())
    found = read_topology(tmp_path, allowed={3, 4, 500})
    assert [cpu.number for cpu in found.usable] == [3, 4]
    assert len(found.cpus) == 128


def test_domain_without_cpus(tmp_path: Path) -> None:
    topology = Shape().topology()
    memory_only = NumaDomain(8, (), 2**38)
    write_sysfs(tmp_path, replace(topology, domains=(*topology.domains, memory_only)))
    found = read_topology(tmp_path)
    assert found.domains[8].cpus == ()
    assert found.domains[8].memory_bytes == 2**38
    assert len(found.domains[8].distances) == 9


@pytest.mark.parametrize("name", ["cpu_capacity", "cpufreq/cpuinfo_max_freq"])
def test_unequal_cores_are_told_by_capacity_or_frequency(name: str, tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 1, 64, 1).topology())
    for cpu in range(64):
        write(tmp_path, f"{CPU}/cpu{cpu}/{name}", 1024 if cpu >= 48 else 500)
    kinds = [cpu.kind for cpu in read_topology(tmp_path).cpus]
    assert kinds == [1] * 48 + [0] * 16


def test_unequal_cores_of_hybrid_x86_are_told_by_their_counters(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 1, 8, 1).topology())
    write(tmp_path, "sys/devices/cpu_core/cpus", "4-7")
    write(tmp_path, "sys/devices/cpu_atom/cpus", "0-3")
    assert [cpu.kind for cpu in read_topology(tmp_path).cpus] == [1] * 4 + [0] * 4


def test_a_little_more_turbo_makes_no_kind() -> None:
    assert kinds_by_figure({0: 5300, 1: 5100, 2: 5000, 3: 3900}) == {0: 0, 1: 0, 2: 0, 3: 1}


def test_core_numbers_that_repeat_in_each_package(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(2, 1, 2, 1).topology())
    for cpu in range(4):
        (tmp_path / f"{CPU}/cpu{cpu}/topology/core_cpus_list").unlink()
        write(tmp_path, f"{CPU}/cpu{cpu}/topology/core_id", cpu % 2)
    assert [cpu.core for cpu in read_topology(tmp_path).cpus] == [0, 1, 2, 3]


def test_bare_container_shows_cpuinfo_only(tmp_path: Path) -> None:
    write(tmp_path, "proc/cpuinfo", "processor\t: 0\nmodel name : X\n\nprocessor\t: 3\n")
    write(tmp_path, "proc/meminfo", "MemTotal: 1024 kB")
    found = read_topology(tmp_path)
    assert [(c.number, c.core, c.package, c.numa) for c in found.cpus] == [
        (0, 0, 0, 0),
        (3, 1, 0, 0),
    ]
    assert found.domains == (NumaDomain(0, (0, 3), 2**20),)
    assert found.caches == ()


def test_nothing_at_all_is_one_cpu(tmp_path: Path) -> None:
    assert [cpu.number for cpu in read_topology(tmp_path).usable] == [0]


def test_rubbish_in_files_does_not_stop_the_reading(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 1, 2, 1).topology())
    write(tmp_path, f"{CPU}/cpu0/cache/index0/size", "much")
    write(tmp_path, f"{CPU}/cpu0/cache/index1/level", "")
    write(tmp_path, f"{CPU}/cpu0/topology/core_cpus_list", "9-1")
    write(tmp_path, f"{CPU}/cpu0/topology/physical_package_id", "-1")
    write(tmp_path, "sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: none kB")
    found = read_topology(tmp_path)
    assert [cpu.number for cpu in found.usable] == [0, 1]
    assert found.cpus[0].package == 0


def test_cpus_of_no_domain_and_domains_without_memory(tmp_path: Path) -> None:
    topology = Shape(1, 3, 2, 1).topology()
    write_sysfs(tmp_path, topology, distances=False)
    write(tmp_path, "sys/devices/system/node/node1/cpulist", "")
    write(tmp_path, "sys/devices/system/node/node2/meminfo", "Node 2 MemTotal: 0 kB")
    found = read_topology(tmp_path)
    assert [cpu.numa for cpu in found.cpus] == [0, 0, -1, -1, 2, 2]
    assert found.usable_domains == (0, 2)
    assert found.memory_domains == (0, 1)


def test_domains_of_unknown_size_are_taken_to_have_memory(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 2, 2, 1).topology(), distances=False)
    for number in (0, 1):
        (tmp_path / f"sys/devices/system/node/node{number}/meminfo").unlink()
    assert read_topology(tmp_path).memory_domains == (0, 1)


def test_caches_beyond_the_fifth_level_are_left_out(tmp_path: Path) -> None:
    topology = Shape(1, 1, 2, 1).topology()
    beyond = Cache(6, "unified", 2**35, 64, (0, 1))
    write_sysfs(tmp_path, replace(topology, caches=(*topology.caches, beyond)))
    assert read_topology(tmp_path).caches == topology.caches

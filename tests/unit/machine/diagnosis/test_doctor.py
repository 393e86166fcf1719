from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.machine.diagnosis.doctor import diagnose
from machmeter.machine.diagnosis.probe import Probes, probe, steal_share, try_compiler, try_folder
from machmeter.model.machine import Diagnosis, Machine, Memory, Severity, Software
from tests.support.sysfs_tree import Shape

HEALTHY = Machine(
    name="m",
    host="m",
    architecture="x86_64",
    cpu_model="X",
    topology=Shape().topology(),
    memory=Memory(
        2**38, 2**37, 0, 4096, 2**21, "madvise", 0, hugetlb_free={str(2**21): 1024, str(2**30): 2}
    ),
    software=Software(
        *("6.1", "X 9", "glibc 2.36", "", "", "performance", "tsc", "off"),
        openmp_runtimes={"libgomp": "/lib/libgomp.so.1", "libomp": "/lib/libomp.so.5"},
        allocators={"glibc": "/lib/libc.so.6", "jemalloc": "/lib/libjemalloc.so.2"},
    ),
)
CALM = Probes(
    compiler="/usr/bin/g++",
    compiler_version="g++ 12",
    compiler_problem="",
    make="/usr/bin/make",
    mpi_compiler="/usr/bin/mpicxx",
    launcher="/usr/bin/mpiexec",
    perf_event_paranoid=2,
    locked_bytes=-1,
    load=0.1,
    cache_folder="/home/u/.cache/machmeter",
    cache_problem="",
    cache_free_bytes=2**40,
    isolated_cpus="",
    swap_used_bytes=0,
    throttled_periods=0,
    steal_share=0.0,
    quantum_slowdown=1.01,
)


def by_name(machine: Machine, probes: Probes) -> dict[str, Diagnosis]:
    found = diagnose(machine, probes)
    assert len({diagnosis.what for diagnosis in found}) == len(found)
    return {diagnosis.what: diagnosis for diagnosis in found}


def test_a_healthy_machine_is_good_throughout() -> None:
    assert {d.severity for d in diagnose(HEALTHY, CALM)} == {Severity.GOOD}


@pytest.mark.parametrize(
    ("changes", "what", "severity", "words"),
    [
        ({"compiler": ""}, "compiler", Severity.LACKING, "apt install g++"),
        ({"compiler_problem": "error: omp.h"}, "compiler", Severity.LACKING, "omp.h"),
        ({"make": ""}, "make", Severity.NOTE, "pip install ."),
        ({"mpi_compiler": ""}, "MPI", Severity.NOTE, "Only /usr/bin/mpiexec"),
        ({"perf_event_paranoid": 4}, "hardware counters", Severity.NOTE, "paranoid=2"),
        ({"perf_event_paranoid": -2}, "hardware counters", Severity.NOTE, "CONFIG_PERF"),
        ({"locked_bytes": 65536}, "locked memory", Severity.NOTE, "64 KiB"),
        ({"cache_problem": "Read-only"}, "cache folder", Severity.LACKING, "MACHMETER_CACHE"),
        ({"cache_free_bytes": 2**20}, "cache folder", Severity.WARNING, "1 MiB"),
        ({"isolated_cpus": "2-3"}, "isolation", Severity.NOTE, "2-3"),
        ({"swap_used_bytes": 2**30}, "swap", Severity.NOTE, "1 GiB"),
        ({"load": 30.0}, "load", Severity.WARNING, "30.0"),
        ({"quantum_slowdown": 3.0}, "noise", Severity.WARNING, "3.00x"),
    ],
)
def test_each_lack_of_the_surroundings_has_its_remedy(
    changes: dict[str, Any], what: str, severity: Severity, words: str
) -> None:
    diagnosis = by_name(HEALTHY, replace(CALM, **changes))[what]
    assert diagnosis.severity is severity
    assert words in diagnosis.found + diagnosis.remedy
    assert diagnosis.remedy.endswith(".")


@pytest.mark.parametrize(
    ("changes", "what", "severity", "words"),
    [
        ({"hypervisor": "KVM"}, "virtual machine", Severity.NOTE, "KVM"),
        ({"container": "Docker"}, "container", Severity.NOTE, "Inside Docker"),
        ({"governor": "powersave"}, "frequency governor", Severity.WARNING, "cpupower"),
        ({"governor": ""}, "frequency governor", Severity.NOTE, "No frequency governor"),
        ({"clock_source": "hpet"}, "clock source", Severity.WARNING, "hpet"),
        ({"clock_source": "kvm-clock"}, "clock source", Severity.NOTE, "kvm-clock"),
        ({"numa_balancing": "on"}, "NUMA balancing", Severity.WARNING, "numa_balancing=0"),
    ],
)
def test_each_setting_that_hurts_has_its_remedy(
    changes: dict[str, Any], what: str, severity: Severity, words: str
) -> None:
    software = replace(HEALTHY.software, **changes)
    diagnosis = by_name(replace(HEALTHY, software=software), CALM)[what]
    assert diagnosis.severity is severity
    assert words in diagnosis.found + diagnosis.remedy
    assert diagnosis.remedy.endswith(".")


@pytest.mark.parametrize(
    ("changes", "what", "severity"),
    [
        ({"transparent_huge_pages": "never"}, "huge pages", Severity.WARNING),
        ({"transparent_huge_pages": "absent"}, "huge pages", Severity.WARNING),
        ({"base_page_bytes": 65536}, "base pages", Severity.NOTE),
        ({"available_bytes": 2**28}, "memory", Severity.WARNING),
        ({"limit_bytes": 2**31}, "container", Severity.NOTE),
    ],
)
def test_each_lack_of_memory_has_its_remedy(
    changes: dict[str, Any], what: str, severity: Severity
) -> None:
    memory = replace(HEALTHY.memory, **changes)
    diagnosis = by_name(replace(HEALTHY, memory=memory), CALM)[what]
    assert diagnosis.severity is severity
    assert diagnosis.remedy.endswith(".")


@pytest.mark.parametrize(
    ("changes", "what", "found", "remedy"),
    [
        ({"openmp_runtimes": {}}, "OpenMP runtimes", "Found none", "libomp5"),
        ({"openmp_runtimes": {"libgomp": "/g"}}, "OpenMP runtimes", "only libgomp (/g)", "PyPI"),
        ({"allocators": {"glibc": "/c"}}, "allocators", "only glibc (/c)", "libjemalloc2"),
    ],
)
def test_what_can_be_compared_with_nothing_is_told(
    changes: dict[str, Any], what: str, found: str, remedy: str
) -> None:
    machine = replace(HEALTHY, software=replace(HEALTHY.software, **changes))
    diagnosis = by_name(machine, CALM)[what]
    assert diagnosis.severity is Severity.NOTE
    assert found in diagnosis.found
    assert remedy in diagnosis.remedy


def test_pools_without_free_pages_are_told_with_their_remedy() -> None:
    memory = replace(HEALTHY.memory, hugetlb_free={str(2**21): 0, str(2**30): 2})
    diagnosis = by_name(replace(HEALTHY, memory=memory), CALM)["huge-page pools"]
    assert diagnosis.severity is Severity.NOTE
    assert "leaves out hugetlb-2m." in diagnosis.found
    assert "hugepages-2048kB/nr_hugepages" in diagnosis.remedy


def test_a_cpuset_and_a_quota_are_told() -> None:
    topology = HEALTHY.topology
    cpus = tuple(replace(c, allowed=c.number in (4, 5, 6)) for c in topology.cpus)
    machine = replace(HEALTHY, topology=replace(topology, cpus=cpus), cpu_quota=1.5)
    found = by_name(machine, replace(CALM, throttled_periods=9))
    assert "CPUs 4-6 of the online 0-127" in found["cpuset"].found
    assert found["CPU quota"].severity is Severity.WARNING
    assert "1.50 of 3 CPUs" in found["CPU quota"].found
    assert "9 times" in found["CPU quota"].found


@pytest.mark.parametrize(("cores", "severity"), [(1, Severity.WARNING), (0, Severity.LACKING)])
def test_too_few_cores_are_told(cores: int, severity: Severity) -> None:
    cpus = tuple(replace(c, allowed=c.number < cores) for c in HEALTHY.topology.cpus)
    machine = replace(HEALTHY, topology=replace(HEALTHY.topology, cpus=cpus))
    assert by_name(machine, CALM)["cores"].severity is severity


def test_unequal_cores_are_told() -> None:
    cpus = tuple(replace(c, kind=int(c.core >= 16)) for c in HEALTHY.topology.cpus)
    found = by_name(replace(HEALTHY, topology=replace(HEALTHY.topology, cpus=cpus)), CALM)
    assert "0-15,64-79 | 16-63,80-127" in found["kinds of core"].found


def test_the_worst_stands_first() -> None:
    found = diagnose(HEALTHY, replace(CALM, load=99.0, make="", compiler=""))
    assert [d.severity for d in found[:3]] == [Severity.LACKING, Severity.WARNING, Severity.NOTE]


def test_probing_this_machine_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "a cache, größer"
    found = probe(folder)
    assert found.cache_problem == ""
    assert found.cache_free_bytes > 0
    assert found.quantum_slowdown >= 1.0
    assert list(folder.iterdir()) == []


def test_a_compiler_that_fails_or_is_missing_is_told(tmp_path: Path) -> None:
    program = tmp_path / "g++"
    program.write_text("#!/bin/sh\necho 'x.cpp:1: error: no omp.h' >&2\nexit 1\n")
    program.chmod(0o755)
    assert try_compiler(str(program)) == "x.cpp:1: error: no omp.h"
    assert "No such file" in try_compiler(str(tmp_path / "absent"))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert try_folder(tmp_path / "file" / "cache") == (os.strerror(20), 0)


def test_steal_share() -> None:
    assert steal_share("cpu  10 0 10 70 0 0 0 10 0 0\ncpu0 1") == 0.1
    assert steal_share("") == 0.0


def test_what_limits_memory_is_named() -> None:
    limited = replace(HEALTHY.memory, limit_bytes=2**30, limit_source="memory.high")
    found = by_name(replace(HEALTHY, memory=limited), CALM)["container"]
    assert "limits memory to 1 GiB (memory.high)" in found.found
    domains = replace(HEALTHY.memory, limit_bytes=2**30, limit_source="Mems_allowed")
    found = by_name(replace(HEALTHY, memory=domains), CALM)["container"]
    assert "limits memory" not in found.found, "no cgroup does"


def test_domains_and_cpus_without_memory_are_named() -> None:
    topology = HEALTHY.topology
    first, *others = topology.domains
    cpus = [replace(cpu, numa=-1 if cpu.number < 2 else cpu.numa) for cpu in topology.cpus]
    odd = replace(topology, cpus=tuple(cpus), domains=(replace(first, allowed=False), *others))
    found = by_name(replace(HEALTHY, topology=odd), CALM)
    assert (
        "of NUMA domains 1-7, and not of 0 (Mems_allowed" in found["memory of NUMA domains"].found
    )
    assert "No NUMA domain holds CPUs 0-1" in found["local memory"].found
    assert not {"memory of NUMA domains", "local memory"} & by_name(HEALTHY, CALM).keys()


def test_a_topology_file_of_another_machine_is_named() -> None:
    machine = replace(HEALTHY, described_otherwise=("CPUs 0-15 (here 0-1)",))
    found = by_name(machine, CALM)["topology file"]
    assert found.severity is Severity.WARNING
    assert found.found == "The topology file describes another machine: CPUs 0-15 (here 0-1)."
    assert "topology file" not in by_name(HEALTHY, CALM)

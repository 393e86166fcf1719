"""A topology file of another machine is called that."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.machine.detect import detect_machine
from machmeter.machine.topology.another import (
    Here,
    other_machine,
    other_machine_text,
    refuse_other_machine,
)
from machmeter.machine.topology.hwloc_write import hwloc_xml
from machmeter.model.errors import UsageError
from machmeter.model.machine import NumaDomain, Topology
from tests.support.sysfs_tree import Shape, write, write_sysfs

HERE = Shape(1, 2, 2, 2).topology()


def with_memory(topology: Topology, *sizes: int) -> Topology:
    domains = zip(topology.domains, sizes, strict=True)
    return replace(
        topology, domains=tuple(replace(one, memory_bytes=size) for one, size in domains)
    )


def of_one_domain(topology: Topology) -> Topology:
    """As a virtual machine may hide domains, caches and packages."""
    cpus = tuple(replace(cpu, numa=0, package=0) for cpu in topology.cpus)
    everything = NumaDomain(0, tuple(cpu.number for cpu in cpus), 2**37)
    return Topology(cpus, (), (everything,))


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (Shape(1, 2, 4, 2).topology(), "CPUs 0-15 (here 0-7)"),
        (Shape(1, 2, 1, 1).topology(), "CPUs 0-1 (here 0-7)"),
        (Shape(1, 2, 4, 1).topology(), "8 cores of the CPUs that both have (here 4)"),
        (with_memory(HERE, 2**36, 2**38), "320 GiB of memory (here 128 GiB)"),
        (with_memory(HERE, 2**33, 2**33), "16 GiB of memory (here 128 GiB)"),
    ],
)
def test_what_differs_is_named(file: Topology, shown: str) -> None:
    found = other_machine(file, "", Here(HERE))
    assert [one for one in found if one.startswith(shown)], found


def test_another_processor_is_named() -> None:
    here = Here(HERE, "EPYC 7543")
    assert other_machine(HERE, "EPYC 7763", here) == ("processor EPYC 7763 (here EPYC 7543)",)
    assert other_machine(HERE, " EPYC  7543", here) == ()
    assert other_machine(HERE, "EPYC 7763", Here(HERE)) == ()


def test_a_file_of_this_machine_may_know_more_or_less_of_it() -> None:
    assert other_machine(HERE, "", Here(HERE)) == ()
    assert other_machine(HERE, "", Here(of_one_domain(HERE))) == ()
    hidden = tuple(replace(cpu, online=cpu.number < 4) for cpu in HERE.cpus)
    assert other_machine(replace(HERE, cpus=hidden), "", Here(HERE)) == ()
    assert other_machine(replace(HERE, domains=HERE.domains[:1]), "", Here(HERE)) == ()
    assert other_machine(with_memory(HERE, 0, 0), "", Here(HERE)) == ()


def test_memory_that_was_plugged_in_later_makes_no_other_machine() -> None:
    file = with_memory(HERE, 2**33, 2**33)
    assert other_machine(file, "", Here(HERE, node_bytes=2**34)) == ()


def detected(root: Path, file: Topology, model: str = "") -> str:
    write_sysfs(root, HERE)
    write(root, "proc/cpuinfo", "model name : EPYC 7543")
    write(root, "proc/self/status", "Mems_allowed_list: 0")
    info = f'<info name="CPUModel" value="{model}"/>'
    path = root / "file.xml"
    path.write_text(hwloc_xml(file).replace("</topology>", f"{info}</topology>"))
    machine = detect_machine(root=root, hwloc_xml=path)
    # Of another machine this one's limits say nothing.
    assert machine.topology.memory_domains == ((0, 1) if machine.described_otherwise else (0,))
    if machine.described_otherwise:
        with pytest.raises(UsageError, match="describes another machine"):
            refuse_other_machine(machine)
    else:
        refuse_other_machine(machine)
    return other_machine_text(machine)


def test_a_machine_with_a_file_of_another_one_is_refused(tmp_path: Path) -> None:
    assert detected(tmp_path, HERE) == ""
    assert detected(tmp_path, HERE, "EPYC 7543") == ""
    other = "the topology file describes another machine: "
    text = detected(tmp_path, HERE, "EPYC 7763")
    assert text == f"{other}processor EPYC 7763 (here EPYC 7543)"
    text = detected(tmp_path, Shape(1, 2, 4, 2).topology())
    assert text.startswith(f"{other}CPUs 0-15 (here 0-7)")

"""Whether a topology file describes another machine than the one that it is read on."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from machmeter.machine.system_files import format_cpu_list
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine, Topology
from machmeter.model.units import format_bytes

# A kernel reserves some memory at boot, not always as much.
_SAME_MEMORY = 1.25


class Here(Struct, frozen=True):
    """The machine on which a file is read, as the system describes it."""

    topology: Topology
    """CPUs, caches and NUMA domains."""
    model: str = ""
    """Of the processor; empty is not known."""
    node_bytes: int = 0
    """Memory of the NUMA domains by their own files, which may miss what was plugged in later;
    0: not known."""


def other_machine(file: Topology, model: str, here: Here) -> tuple[str, ...]:
    """What shows that a file is of another machine; empty where nothing does.

    Caches, packages and NUMA domains are not compared: virtual machines misreport them, and a file
    is the remedy. model: that of the processor in the file; empty is not known.
    """
    return (
        *_models(model, here.model),
        *_cpus(file, here.topology),
        *_cores(file, here.topology),
        *_memory(file, here),
    )


def other_machine_text(machine: Machine) -> str:
    """That the topology file is of another machine, and what shows it; empty where it is not."""
    if not machine.described_otherwise:
        return ""
    return f"the topology file describes another machine: {'; '.join(machine.described_otherwise)}"


def refuse_other_machine(machine: Machine) -> None:
    """Raises UsageError where the topology file is of another machine."""
    if text := other_machine_text(machine):
        raise UsageError(
            text,
            "leave out --hwloc-xml, or write the file here with `lstopo FILE.xml`; --dry-run plans "
            "with a file of any machine",
        )


def _models(model: str, here: str) -> Iterator[str]:
    if model and here and model.split() != here.split():
        yield f"processor {model[:80]} (here {here[:80]})"


def _cpus(file: Topology, here: Topology) -> Iterator[str]:
    """A file may lack CPUs that were offline or not allowed, if it lists them as such."""
    known, online = {cpu.number for cpu in file.cpus}, _online(file)
    beyond = online - {cpu.number for cpu in here.cpus}
    if beyond or _online(here) - known:
        yield f"CPUs {format_cpu_list(online)} (here {format_cpu_list(_online(here))})"


def _cores(file: Topology, here: Topology) -> Iterator[str]:
    both = _online(file) & _online(here)
    if _siblings(file, both) != _siblings(here, both):
        counts = (len(_siblings(one, both)) for one in (file, here))
        yield "{} cores of the CPUs that both have (here {}), or other siblings".format(*counts)


def _memory(file: Topology, here: Here) -> Iterator[str]:
    """A file may lack domains that were not allowed."""
    sizes, sizes_here = _sizes(file), _sizes(here.topology)
    total, total_here = sum(sizes.values()), sum(sizes_here.values())
    if not total or not total_here:
        return
    most, least = max(total_here, here.node_bytes), min(total_here, here.node_bytes or total_here)
    less = sizes.keys() == sizes_here.keys() and least > _SAME_MEMORY * total
    if less or total > _SAME_MEMORY * most:
        yield f"{format_bytes(total)} of memory (here {format_bytes(total_here)})"


def _online(topology: Topology) -> set[int]:
    return {cpu.number for cpu in topology.cpus if cpu.online}


def _siblings(topology: Topology, cpus: set[int]) -> set[frozenset[int]]:
    cores: dict[int, set[int]] = {}
    for cpu in topology.cpus:
        if cpu.number in cpus:
            cores.setdefault(cpu.core, set()).add(cpu.number)
    return {frozenset(members) for members in cores.values()}


def _sizes(topology: Topology) -> dict[int, int]:
    return {one.number: one.memory_bytes for one in topology.domains if one.memory_bytes}

"""What the page says of the machine, and of how to do the run again: pairs of name and text."""

from __future__ import annotations

import shlex

from machmeter.model.plan.launch import Toolchain
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.text.ab_words import old_build
from machmeter.text.words import count_text, mpi_names, mpi_used, plain, transports_text


def machine_facts(result: RunResult) -> tuple[tuple[str, str], ...]:
    """The machine as name and text; what is not known is left out."""
    machine = result.header.machine
    topology, memory, software = machine.topology, machine.memory, machine.software
    caches = dict.fromkeys(
        f"L{c.level} {c.kind} {format_bytes(c.size_bytes)}" for c in topology.caches
    )
    facts = (
        ("Host", machine.host),
        ("Hosts of ranks", _hosts_text(result)),
        ("Processor", f"{machine.cpu_model} ({machine.architecture})"),
        ("Cores", _cores_text(result)),
        ("Caches as described", ", ".join(caches)),
        ("Memory", f"{format_bytes(memory.total_bytes)}, {_available_text(result)}"),
        ("2 MiB pages", f"transparent: {memory.transparent_huge_pages or 'unknown'}"),
        ("System", f"{software.distribution}, kernel {software.kernel}, {software.libc}"),
        ("Virtual machine", software.hypervisor),
        ("Container", software.container),
        ("Frequency governor", software.governor),
        ("Clock source", software.clock_source),
        ("Scheduler", software.scheduler),
        ("Microcode", software.microcode),
        ("Firmware", software.firmware),
        ("Drivers", ", ".join(f"{name} {text}" for name, text in software.drivers.items())),
        ("Boost", software.boost),
    )
    return tuple((name, plain(text, 300)) for name, text in facts if text.strip(" ,"))


def _hosts_text(result: RunResult) -> str:
    """The hosts that ranks were seen on, where there are several."""
    hosts = [host for host in dict.fromkeys(result.rank_hosts) if host]
    return f"{len(hosts)}: {', '.join(hosts)}" if len(hosts) > 1 else ""


def _cores_text(result: RunResult) -> str:
    machine = result.header.machine
    topology = machine.topology
    packages = len({cpu.package for cpu in topology.usable})
    text = (
        f"{count_text(len(topology.usable_cores), 'core', 'cores')}, "
        f"{count_text(len(topology.usable), 'hardware thread', 'hardware threads')}, "
        f"{count_text(packages, 'package', 'packages')}, "
        f"{count_text(len(topology.domains), 'NUMA domain', 'NUMA domains')}"
    )
    return f"{text}, limited to {machine.cpu_quota:g} CPUs" if machine.cpu_quota else text


def _available_text(result: RunResult) -> str:
    memory = result.header.machine.memory
    limit = f", limited to {format_bytes(memory.limit_bytes)}" if memory.limit_bytes else ""
    return f"{format_bytes(memory.available_bytes)} available{limit}"


def software_facts(result: RunResult) -> tuple[tuple[str, str], ...]:
    """How to do the run again, and what it was built with."""
    header = result.header
    chain = result.toolchain or Toolchain("", "", "")
    facts = (
        ("Command", shlex.join(header.command)),
        ("Run", header.id),
        ("Seed", str(header.seed)),
        ("machmeter", header.version),
        ("Compiler", chain.compiler),
        ("Flags", chain.flags),
        ("OpenMP", chain.openmp),
        ("MPI", mpi_used(result, 900)),
        ("MPI libraries compared", ", ".join(mpi_names(result))),
        *((f"Transport, {plain(name, 60)}", text) for name, text in transports_text(result)),
        ("Kernel sources", chain.source_hash),
        *old_build(result),
        ("Chosen sizes", "; ".join(result.plan.notes)),
    )
    return tuple((name, plain(text, 1000)) for name, text in facts if text)

"""What differs between a machine at two times: its software, its settings, what it compiles with.

Everything is turned into facts first, one text a name: two environments are compared fact by fact,
and what only one of them tells (an older machmeter recorded less) is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from machmeter.model.machine import Machine
from machmeter.model.plan.launch import Header, Toolchain
from machmeter.model.results.history import EnvironmentDifference
from machmeter.model.units import format_bytes
from machmeter.text.hardware.adapters import adapter_text
from machmeter.text.hardware.memory import channels_text

NOTHING = "none"
_LISTS = ("compiler flags", "CPU features", "drivers", "libraries of the transport")

Facts = dict[str, str]


def machine_facts(machine: Machine) -> Facts:
    """What of a machine changes results and may change from run to run; unknown things are left
    out, and what is known to be absent is NOTHING.
    """
    software, memory, topology = machine.software, machine.memory, machine.topology
    known = {
        "kernel": software.kernel,
        "distribution": software.distribution,
        "C library": software.libc,
        "microcode": software.microcode,
        "firmware": software.firmware,
        "drivers": _pairs(software.drivers),
        "frequency governor": software.governor,
        "boost": software.boost,
        "clock source": software.clock_source,
        "scheduler": software.scheduler,
        "NUMA balancing": software.numa_balancing,
        "transparent huge pages": memory.transparent_huge_pages,
        "CPU features": " ".join(machine.features),
        "memory channels": channels_text(machine.channels),
        "network adapters": "; ".join(map(adapter_text, machine.adapters)),
        "OpenSHMEM": software.shmem,
    }
    always = {
        "hypervisor": software.hypervisor or NOTHING,
        "container": software.container or NOTHING,
        "host": machine.host,
        "cores": str(len(topology.usable_cores)),
        "hardware threads": str(len(topology.usable)),
        "NUMA domains": str(len(topology.domains)),
        "memory": format_bytes(memory.total_bytes),
        "memory limit": format_bytes(memory.limit_bytes) if memory.limit_bytes else NOTHING,
        "CPU quota": f"{machine.cpu_quota:g} CPUs" if machine.cpu_quota else NOTHING,
    }
    return {name: text for name, text in known.items() if text} | always


def toolchain_facts(toolchains: Sequence[Toolchain]) -> Facts:
    """What the programs of a run were built with; several of a kind stand side by side."""
    known = {
        "compiler": _all(chain.compiler for chain in toolchains),
        "compiler flags": " ".join(dict.fromkeys(w for c in toolchains for w in c.flags.split())),
        "OpenMP": _all(chain.openmp for chain in toolchains),
        "MPI library": _all(chain.mpi_library for chain in toolchains),
        "machmeter's native sources": _all(chain.source_hash for chain in toolchains),
    }
    return {name: text for name, text in known.items() if text}


def launch_facts(headers: Sequence[Header]) -> Facts:
    """What the launches of a run observed: libraries as loaded, transports as they say, sources of
    their benchmarks."""
    openmp = _all(h.libraries.get("openmp", "") for h in headers)
    allocator = _all(h.libraries.get("allocator", "") for h in headers)
    devices = _all(h.transport.get("device", "") for h in headers)
    channels = _all(h.transport.get("channels", "") for h in headers)
    loaded = dict.fromkeys(
        word for h in headers for word in h.transport.get("libraries", "").split()
    )
    kernels = {
        f"native sources of {h.benchmark}": h.toolchain.kernel_hash for h in headers if h.toolchain
    }
    known = {
        "OpenMP runtime as loaded": openmp,
        "allocator as loaded": allocator,
        "transport": devices,
        "channels of the transport": channels,
        "libraries of the transport": " ".join(loaded),
        **kernels,
    }
    return {name: text for name, text in known.items() if text}


def differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[EnvironmentDifference, ...]:
    """The facts that both tell and tell differently, in the order of `after`."""
    found = []
    for what, text in after.items():
        if what not in before or before[what] == text:
            continue
        old, new = before[what], text
        if what in _LISTS:
            old, new = _words_of_one(old, new), _words_of_one(new, old)
            # The same words in another order.
            if old == new == NOTHING:
                continue
        found.append(EnvironmentDifference(what, old, new))
    return tuple(found)


def _words_of_one(text: str, other: str) -> str:
    theirs = set(other.split())
    return " ".join(word for word in text.split() if word not in theirs) or NOTHING


def _all(texts: Iterable[str]) -> str:
    return "; ".join(sorted({text for text in texts if text}))


def _pairs(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={text}" for name, text in sorted(values.items()))

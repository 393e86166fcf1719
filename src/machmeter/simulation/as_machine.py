"""One node of a twin as the machine that a run is planned for, and the names of its nodes."""

from __future__ import annotations

import hashlib

import msgspec

from machmeter.model.errors import UsageError
from machmeter.model.machine import (
    SIMULATED,
    Cpu,
    Machine,
    Memory,
    NumaDomain,
    Software,
    Topology,
)
from machmeter.model.twin import Twin, TwinNode
from machmeter.simulation.builtin import find_twin, twin_names

_LOCAL, _REMOTE = 10, 20
_PAGE_BYTES = 4096
_DIGITS = 5


def machine_of(twin: Twin) -> Machine:
    """One node of the twin: cores without SMT, NUMA domains, no caches."""
    return Machine(
        name=f"simulated {twin.name}{_other_model(twin)}",
        host=twin.name,
        architecture=SIMULATED,
        cpu_model=twin.node.cpu,
        topology=_topology(twin.node),
        memory=Memory(
            total_bytes=twin.node.memory_bytes,
            available_bytes=twin.node.memory_bytes,
            limit_bytes=0,
            base_page_bytes=_PAGE_BYTES,
            huge_page_bytes=0,
            transparent_huge_pages="absent",
            huge_pages_free=0,
        ),
        software=Software(
            kernel="none: simulated",
            distribution="",
            libc="",
            hypervisor="",
            container="",
            governor="",
            clock_source="",
            numa_balancing="",
        ),
    )


def _other_model(twin: Twin) -> str:
    """What tells a changed model, or one in a file of a built-in name, from that: ` 3f2a`."""
    if twin.name in twin_names() and find_twin(twin.name) == twin:
        return ""
    return f" {hashlib.sha256(msgspec.json.encode(twin)).hexdigest()[:4]}"


def _topology(node: TwinNode) -> Topology:
    domains = node.packages * node.numa_per_package
    each = node.cores // domains
    return Topology(
        cpus=tuple(
            Cpu(core, core, core // node.cores_per_package, core // each)
            for core in range(node.cores)
        ),
        caches=(),
        domains=tuple(
            NumaDomain(
                number=number,
                cpus=tuple(range(number * each, (number + 1) * each)),
                memory_bytes=node.memory_bytes // domains,
                distances=tuple(_LOCAL if one == number else _REMOTE for one in range(domains)),
            )
            for number in range(domains)
        ),
        source=SIMULATED,
    )


def host_names(twin: Twin, nodes: int) -> tuple[str, ...]:
    """The names of the first nodes, `hopper-00001` and on.

    Raises UsageError where the twin has fewer, before any name is made.
    """
    if not 1 <= nodes <= twin.nodes:
        raise UsageError(
            f"{nodes} nodes of {twin.name}, which has {twin.nodes}",
            f"choose from 1 to {twin.nodes}",
        )
    digits = max(_DIGITS, len(str(twin.nodes)))
    return tuple(f"{twin.name}-{number:0{digits}}" for number in range(1, nodes + 1))

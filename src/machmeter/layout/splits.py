"""Into how many outer and inner threads the cores of a machine can be split."""

from __future__ import annotations

from collections import Counter

from machmeter.model.machine import Topology


def splits(cores: int) -> tuple[tuple[int, int], ...]:
    """Every (outer, inner) with outer x inner = `cores`, by rising outer.

    Raises ValueError when `cores` is below 1.
    """
    if cores < 1:
        raise ValueError(f"{cores} cores cannot be split: there must be at least 1")
    outers = (outer for outer in range(1, cores + 1) if cores % outer == 0)
    return tuple((outer, cores // outer) for outer in outers)


def domain_cores(topology: Topology) -> int:
    """Usable cores of the smallest NUMA domain that has any; of all where none has.

    Raises ValueError when the machine lets this process use no CPU.
    """
    domain_of_core = {cpu.core: cpu.numa for cpu in topology.usable}
    if not domain_of_core:
        raise ValueError("no CPU of this machine may be used: check the cpuset (`taskset -p $$`)")
    within = [domain for domain in domain_of_core.values() if domain >= 0]
    return min(Counter(within).values(), default=len(domain_of_core))

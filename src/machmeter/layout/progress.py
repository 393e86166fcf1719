"""Where the progress thread of each rank goes."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.layout.errors import LayoutError
from machmeter.layout.slots import Slot
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.machine import Topology


def progress_cpus(
    layout: Layout,
    cpus: Sequence[Sequence[tuple[int, ...]]],
    topology: Topology,
    idle: Sequence[Slot],
) -> tuple[tuple[int, ...], ...]:
    """CPUs of each rank's progress thread; none where the library advances communication.

    cpus: of each thread of each rank, `cpus[rank][thread]`; idle: the slots of reserved cores.
    Raises LayoutError when reserved cores are requested and none are reserved.
    """
    if layout.progress is ProgressMode.LIBRARY:
        return ()
    if layout.progress is ProgressMode.RESERVED:
        return _on_reserved(layout.ranks_per_node, idle)
    everywhere = tuple(sorted(cpu.number for cpu in topology.usable))
    own = (sorted({cpu for thread in rank for cpu in thread}) for rank in cpus)
    return tuple(tuple(rank) or everywhere for rank in own)


def _on_reserved(ranks: int, idle: Sequence[Slot]) -> tuple[tuple[int, ...], ...]:
    cores = list(dict.fromkeys(slot.core for slot in idle))
    if not cores:
        raise LayoutError(
            "progress on reserved cores was requested, and no core is reserved: "
            "reserve at least one, with --reserve 1"
        )
    shares = []
    for rank in range(ranks):
        first, end = (turn * len(cores) // ranks for turn in (rank, rank + 1))
        share = cores[first : max(end, first + 1)]
        shares.append(tuple(sorted(slot.cpu for slot in idle if slot.core in share)))
    return tuple(shares)

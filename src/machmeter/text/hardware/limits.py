"""Limits of hardware as text: what each follows from, and where that was read."""

from __future__ import annotations

from machmeter.analysis.scaling.hardware import MemoryLimit, NetworkLimit, PeakLimit
from machmeter.model.units import BYTES_PER_SECOND_ONE_WAY, format_value
from machmeter.text.hardware.adapters import adapter_text
from machmeter.text.numbers import count_text

HardwareLimit = MemoryLimit | PeakLimit | NetworkLimit


def limit_text(limit: HardwareLimit) -> str:
    """`16 channels (EDAC) at 3,200 MT/s (not read: the most that Zen 3 takes)`."""
    match limit:
        case MemoryLimit():
            return _memory_text(limit)
        case PeakLimit():
            cores = count_text(limit.cores, "core", "cores")
            read = "nominal" if limit.nominal else "as measured"
            clock = f"{limit.clock / 1e9:.3g} GHz {read}"
            return f"{cores} at {clock}, {limit.operations} operations a cycle"
        case NetworkLimit():
            return "; ".join(map(adapter_text, limit.adapters))


def _memory_text(limit: MemoryLimit) -> str:
    if limit.on_package and limit.value == limit.on_package:
        carried = format_value(limit.on_package, BYTES_PER_SECOND_ONE_WAY)
        return f"memory on the packages, {carried}, as {limit.generation} has it"
    channels = count_text(limit.count, "channel", "channels")
    count_from = limit.count_from or f"not read: all that {limit.generation} has"
    rate_from = limit.transfers_from or f"not read: the most that {limit.generation} takes"
    return f"{channels} ({count_from}) at {limit.transfers / 1e6:,.0f} MT/s ({rate_from})"

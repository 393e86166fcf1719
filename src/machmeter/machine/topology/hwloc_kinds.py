"""Kinds of core as hwloc's XML tells them (hwloc documentation, "Kinds of CPU cores")."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.machine.topology.core_kinds import kinds_by_figure

# What Intel's CPUID leaf 0x1A calls the cores of hybrid processors, the most capable last.
_CORE_TYPES = ("IntelAtom", "IntelCore")


class CpuKind(Struct):
    """CPUs of one kind, with the attributes that the file states (else empty)."""

    cpus: frozenset[int]
    """Their numbers."""
    forced_efficiency: str = ""
    """Efficiency that hwloc was given."""
    core_type: str = ""
    """Type of the core."""
    max_megahertz: str = ""
    """Highest frequency, MHz."""


def kinds_of_cpus(kinds: Sequence[CpuKind]) -> dict[int, int]:
    """The kind of each CPU, 0 being the most capable; empty where the file does not tell.

    In hwloc's own order: the efficiency that was forced, else the type of core, else the highest
    frequency; each only where every kind has it. Frequencies within 10 % are one kind.
    """
    for figures in (
        [_number(kind.forced_efficiency) for kind in kinds],
        [_CORE_TYPES.index(k.core_type) if k.core_type in _CORE_TYPES else -1 for k in kinds],
    ):
        if kinds and min(figures) >= 0:
            ranks = sorted(set(figures), reverse=True)
            return _by_cpu(kinds, [ranks.index(figure) for figure in figures])
    frequencies = [_number(kind.max_megahertz) for kind in kinds]
    if kinds and min(frequencies) > 0:
        return kinds_by_figure(_by_cpu(kinds, frequencies))
    return {}


def _by_cpu(kinds: Sequence[CpuKind], figures: Sequence[int]) -> dict[int, int]:
    return {cpu: figure for k, figure in zip(kinds, figures, strict=True) for cpu in k.cpus}


def _number(text: str) -> int:
    # Python converts no more than some thousand digits.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1

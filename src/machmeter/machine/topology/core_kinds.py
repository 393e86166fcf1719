"""Unequal cores: which CPUs are of the most capable kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from machmeter.machine.system_files import read_cpu_list, read_int

_SAME_KIND = 0.9
_HYBRID = ("cpu_core", "cpu_atom", "cpu_lowpower")


def core_kinds(root: Path, folders: Mapping[int, Path]) -> dict[int, int]:
    """The kind of each CPU, 0 being the most capable.

    Told by the perf devices of hybrid x86 (`/sys/devices/cpu_core`, `cpu_atom`), else by
    `cpu_capacity` (scaled to 1024 for the most capable), else by the highest frequency.
    """
    hybrid = [set(read_cpu_list(root / "sys/devices" / name / "cpus") or ()) for name in _HYBRID]
    if sum(bool(cpus) for cpus in hybrid) > 1:
        ranked = [cpus for cpus in hybrid if cpus]
        return {
            cpu: next((kind for kind, cpus in enumerate(ranked) if cpu in cpus), 0)
            for cpu in folders
        }
    for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        figures = {cpu: read_int(folder / name) for cpu, folder in folders.items()}
        if figures and min(figures.values()) > 0 and len(set(figures.values())) > 1:
            return kinds_by_figure(figures)
    return dict.fromkeys(folders, 0)


def kinds_by_figure(figures: Mapping[int, int]) -> dict[int, int]:
    """Kinds by a figure that is higher for more capable CPUs.

    Figures within 10 % of the highest of a kind are of that kind: the few cores of a server that
    are allowed a little more turbo are no kind of their own.
    """
    kinds: dict[int, int] = {}
    tops: list[int] = []
    for cpu in sorted(figures, key=lambda cpu: (-figures[cpu], cpu)):
        if not tops or figures[cpu] < _SAME_KIND * tops[-1]:
            tops.append(figures[cpu])
        kinds[cpu] = len(tops) - 1
    return kinds

"""Which share of the time of its CPUs others took from a launch, by what its record holds. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from machmeter.model.plan.launch import Noise, Record
from machmeter.model.plan.observation import ObservedRank

MOST_OF_OTHERS = 0.1
"""A launch from whose CPUs others took more of the time is contended."""
MOST_SWITCHES = 90.0
"""A short launch is contended whose threads, each on a CPU of its own, had to leave it more often
in a second of their CPU time (ADR 60 has the measurement)."""
_LEAST_WALL_SECONDS = 0.5
"""Shorter launches are too few of the kernel's ticks."""
_LEAST_OWN_SECONDS = 0.1

_Cpus = tuple[str, tuple[int, ...]]


def share_of_others(record: Record) -> float | None:
    """Time in which the CPUs of a launch were busy for others, as a share of all their time.

    What the kernel counts as busy on those CPUs less the CPU time of the launch's own threads, over
    wall time times CPUs. None where that cannot be said: of simulated launches, of launches shorter
    than 0.5 s, of ranks whose CPUs overlap and are not the same, of ranks on several hosts, whose
    messages keep the kernel busy, and of records without these counts.
    """
    if record.observed:
        return _of_observed(record.observed)
    return _of_noise(record)


def contention_reasons(record: Record) -> tuple[str, ...]:
    """Why others disturbed a launch too much for it to count; empty where they did not."""
    share = share_of_others(record)
    if share is not None and share > MOST_OF_OTHERS:
        return (f"other processes took {100 * share:.0f} % of the time of its CPUs",)
    switches = _switches_of_short(record) if share is None else 0.0
    if switches > MOST_SWITCHES:
        return (f"others took its CPUs {switches:.0f} times in a second of its CPU time",)
    return ()


def _switches_of_short(record: Record) -> float:
    """Involuntary context switches of a benchmark in a second of its CPU time; 0 for what is not a
    short launch on one host with a CPU for each thread."""
    header, closing = record.header, record.closing
    if header is None or closing is None or len(header.noise) != len(closing.noise):
        return 0.0
    cpus = {cpu for place in header.places for cpu in place.cpus}
    alone = len({one.host for one in header.noise}) == 1 and len(header.places) <= len(cpus)
    if not alone or not 0 < _seconds_between(header.started, closing.ended) < _LEAST_WALL_SECONDS:
        return 0.0
    pairs = list(zip(header.noise, closing.noise, strict=True))
    own = sum((after.own_seconds or 0.0) - (before.own_seconds or 0.0) for before, after in pairs)
    switches = sum(b.involuntary_switches - a.involuntary_switches for a, b in pairs)
    return switches / own if own >= _LEAST_OWN_SECONDS else 0.0


def _of_observed(ranks: Sequence[ObservedRank]) -> float | None:
    if len({one.host for one in ranks}) > 1:
        return None
    wall = max(one.wall_seconds for one in ranks)
    own = sum(one.user_seconds + one.system_seconds for one in ranks)
    busy = {(one.boot or one.host, one.cpus): one.busy_seconds for one in ranks}
    return _share(wall, own, busy)


def _of_noise(record: Record) -> float | None:
    header, closing = record.header, record.closing
    if header is None or closing is None or len(header.noise) != len(closing.noise):
        return None
    pairs = list(zip(header.noise, closing.noise, strict=True))
    if len({before.host for before, _ in pairs}) != 1:
        return None
    wall = _seconds_between(header.started, closing.ended)
    own, busy = 0.0, dict[_Cpus, float]()
    for rank, (before, after) in enumerate(pairs):
        spent = _counted(before, after)
        cpus = {cpu for place in header.places if place.rank == rank for cpu in place.cpus}
        if spent is None or before.host != after.host or not cpus:
            return None
        own += spent[0]
        busy[before.boot or before.host, tuple(sorted(cpus))] = spent[1]
    return _share(wall, own, busy)


def _counted(before: Noise, after: Noise) -> tuple[float, float] | None:
    """CPU seconds of the process, and of its CPUs."""
    if before.own_seconds is None or after.own_seconds is None:
        return None
    if before.busy_seconds is None or after.busy_seconds is None:
        return None
    return after.own_seconds - before.own_seconds, after.busy_seconds - before.busy_seconds


def _seconds_between(started: str, ended: str) -> float:
    """0 where one of them is no moment."""
    try:
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    except (TypeError, ValueError):
        return 0.0


def _share(wall: float, own: float, busy_by_cpus: Mapping[_Cpus, float]) -> float | None:
    """CPUs that ranks have in common are counted once, also where several hosts are containers of
    one machine."""
    cpus = {(host, cpu) for host, every in busy_by_cpus for cpu in every}
    if wall < _LEAST_WALL_SECONDS or not cpus:
        return None
    if sum(len(every) for _, every in busy_by_cpus) != len(cpus):
        return None
    return max(sum(busy_by_cpus.values()) - own, 0.0) / (wall * len(cpus))

"""How disturbed the machine was while it was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from machmeter.analysis.stats.launch_value import is_time
from machmeter.model.plan.launch import Noise
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.results.run import NoiseSummary

DETOUR = 1.05
FASTEST_SHARE = 10


def summarize_noise(noises: Sequence[Noise]) -> tuple[NoiseSummary, ...]:
    """Noise by host and CPU over all launches, in order of host and CPU.

    Hosts of one kernel are one machine, whose CPUs count once, under the name seen first; so is a
    host that was booted again.

    Slow-downs are the times of equal pieces of work over the mean of that CPU's own fastest tenth
    (fixed work quanta: Sottile, Minnich, IEEE Cluster 2004). detours: quanta slower than 1.05
    times it. CPUs without quanta are left out. Raises ValueError when CPUs and quanta differ in
    number or a quantum is not a positive time.
    """
    quanta: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    names: dict[str, str] = {}
    of_kernels: dict[tuple[str, float], str] = {}
    for noise in noises:
        if len(noise.cpus) != len(noise.quanta_seconds):
            raise ValueError(
                f"noise of {noise.host}: {len(noise.cpus)} CPUs but quanta of "
                f"{len(noise.quanta_seconds)}"
            )
        kernel = ObservedHost(noise.host, noise.boot, noise.kernel_started).same_kernel
        known = of_kernels.get(kernel, noise.host) if kernel else noise.host
        name = names.setdefault(noise.host, known)
        if kernel:
            of_kernels.setdefault(kernel, name)
        for cpu, times in zip(noise.cpus, noise.quanta_seconds, strict=True):
            quanta[name, cpu].extend(times)
    return tuple(
        _summary(host, cpu, times) for (host, cpu), times in sorted(quanta.items()) if times
    )


def steal_shares(readings: Sequence[tuple[Noise, Noise, float]], cpus: int) -> dict[str, float]:
    """CPU time the hypervisor gave to others, by host, as a share of what `cpus` CPUs have.

    readings: before and after each launch, with the seconds between; cpus: those the kernel counts
    steal over, all that are online. Never negative: the counter may step back when a virtual
    machine moves. Raises ValueError when a pair is of two hosts, seconds or `cpus` are not
    positive, or a share is no number.
    """
    stolen: defaultdict[str, float] = defaultdict(float)
    passed: defaultdict[str, float] = defaultdict(float)
    for before, after, seconds in readings:
        if before.host != after.host:
            raise ValueError(f"steal of two hosts: {before.host} and {after.host}")
        if not seconds > 0 or cpus < 1:
            raise ValueError(f"steal needs positive time and CPUs, got {seconds} s and {cpus}")
        stolen[before.host] += max(after.steal_seconds - before.steal_seconds, 0.0)
        passed[before.host] += seconds * cpus
    for host, seconds in passed.items():
        if not math.isfinite(stolen[host] / seconds):
            raise ValueError(f"steal of {host}: {stolen[host]} s in {seconds} s of its CPUs")
    return {host: stolen[host] / passed[host] for host in sorted(passed)}


def _summary(host: str, cpu: int, times: Sequence[float]) -> NoiseSummary:
    if not all(map(is_time, times)):
        raise ValueError(f"noise of {host}, CPU {cpu}: a quantum is not a positive time")
    import numpy as np

    ordered = np.sort(np.asarray(times, dtype=float))
    slowdowns = ordered / ordered[: max(len(ordered) // FASTEST_SHARE, 1)].mean()
    median, p99 = np.quantile(slowdowns, (0.5, 0.99))
    return NoiseSummary(
        host=host,
        cpu=cpu,
        quanta=len(ordered),
        median_slowdown=float(median),
        p99_slowdown=float(p99),
        worst_slowdown=float(slowdowns[-1]),
        detours=int(np.count_nonzero(slowdowns > DETOUR)),
    )

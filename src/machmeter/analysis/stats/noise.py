"""How disturbed the machine was while it was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

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
    of_hosts: defaultdict[str, list[Noise]] = defaultdict(list)
    names: dict[str, str] = {}
    of_kernels: dict[tuple[str, float], str] = {}
    for noise in noises:
        kernel = ObservedHost(noise.host, noise.boot, noise.kernel_started).same_kernel
        known = of_kernels.get(kernel, noise.host) if kernel else noise.host
        name = names.setdefault(noise.host, known)
        if kernel:
            of_kernels.setdefault(kernel, name)
        of_hosts[name].append(noise)
    # One host after another: the times of all hosts of large runs do not fit.
    return tuple(one for host in sorted(of_hosts) for one in _summaries(host, of_hosts[host]))


def sound_times(noise: Noise) -> list[tuple[int, Sequence[float]]]:
    """`Noise.times`, each of which can be.

    Raises ValueError when CPUs and quanta differ in number or a quantum is not a positive time.
    """
    try:
        times = noise.times()
    except ValueError as error:
        raise ValueError(f"noise of {noise.host}: {error}") from error
    for cpu, every in times:
        if not all(map(is_time, every)):
            raise ValueError(f"noise of {noise.host}, CPU {cpu}: a quantum is not a positive time")
    return times


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


def _summaries(host: str, noises: Sequence[Noise]) -> list[NoiseSummary]:
    """Of each CPU of a host, in their order; CPUs with as many quanta are computed together."""
    import numpy as np

    of_cpus: defaultdict[int, list[float]] = defaultdict(list)
    for cpu, every in chain.from_iterable(map(sound_times, noises)):
        of_cpus[cpu].extend(every)
    by_count: defaultdict[int, list[int]] = defaultdict(list)
    for cpu in sorted(of_cpus):
        by_count[len(of_cpus[cpu])].append(cpu)
    found = []
    for count in filter(None, by_count):
        ordered = np.sort([of_cpus[cpu] for cpu in by_count[count]], axis=1)
        fastest = ordered[:, : max(count // FASTEST_SHARE, 1)].mean(axis=1, keepdims=True)
        slowdowns = ordered / fastest
        medians, p99s = np.quantile(slowdowns, (0.5, 0.99), axis=1)
        found += [
            NoiseSummary(host, cpu, count, *numbers)
            for cpu, *numbers in zip(
                by_count[count],
                medians.tolist(),
                p99s.tolist(),
                slowdowns[:, -1].tolist(),
                np.count_nonzero(slowdowns > DETOUR, axis=1).tolist(),
                strict=True,
            )
        ]
    return sorted(found, key=lambda one: one.cpu)

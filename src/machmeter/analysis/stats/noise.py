"""How disturbed the machine was while it was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from machmeter.analysis.stats.launch_value import is_time
from machmeter.model.plan.launch import Noise
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.packed import LACKING, Quanta, cpu_numbers
from machmeter.model.results.run import NoiseSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DETOUR = 1.05
FASTEST_SHARE = 10
# Of all threads of a host in one launch; the native programs time 12 of each where they are packed.
_MOST_QUANTA = 2**20
_FLOATS = msgspec.json.Decoder(list[float])
_INTEGERS = msgspec.json.Decoder(list[int])


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


def check_noise(noise: Noise) -> None:
    """Raises ValueError where `summarize_noise` would."""
    _times(noise)


def _times(noise: Noise) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every quantum: the CPU, and seconds."""
    import numpy as np

    try:
        cpus, seconds = _unpacked(noise.packed) if noise.packed else _listed(noise)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"noise of {noise.host}: {error}") from error
    if len(seconds) and not (is_time(seconds.min()) and is_time(seconds.max())):
        wrong = cpus[[not is_time(one) for one in seconds]]
        raise ValueError(f"noise of {noise.host}, CPU {wrong[0]}: a quantum is not a positive time")
    return np.asarray(cpus, dtype=np.int64), seconds


def _listed(noise: Noise) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    import numpy as np

    if len(noise.cpus) != len(noise.quanta_seconds):
        raise ValueError(f"{len(noise.cpus)} CPUs but quanta of {len(noise.quanta_seconds)}")
    lengths = [len(times) for times in noise.quanta_seconds]
    seconds = np.fromiter(chain.from_iterable(noise.quanta_seconds), dtype=float)
    return np.repeat(np.asarray(noise.cpus, dtype=np.int64), lengths), seconds


def _unpacked(packed: Quanta) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    import numpy as np

    if packed.cpus == LACKING:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    cpus = np.asarray(cpu_numbers(packed.cpus), dtype=np.int64)
    fastest, slow_ns = (
        np.asarray(_FLOATS.decode(_listing(text)), dtype=float)
        for text in (packed.fastest_ns, packed.slow_ns)
    )
    slow = np.asarray(_INTEGERS.decode(_listing(packed.slow)), dtype=np.int64)
    if not len(cpus) == len(fastest) == len(slow):
        raise ValueError(f"quanta of {len(cpus)}, {len(fastest)} and {len(slow)} threads")
    if packed.count * len(cpus) > _MOST_QUANTA:
        raise ValueError(f"{packed.count} quanta of each of {len(cpus):,} threads")
    of_thread = packed.count > 0 and 0 <= slow.min() <= slow.max() <= packed.count
    if not of_thread or slow.sum() != len(slow_ns):
        raise ValueError(f"{packed.count} quanta of a thread, {len(slow_ns)} of all are slow")
    as_fast = packed.count - slow
    return (
        np.concatenate((np.repeat(cpus, as_fast), np.repeat(cpus, slow))),
        np.concatenate((np.repeat(fastest, as_fast), slow_ns)) * 1e-9,
    )


def _listing(numbers: str) -> str:
    """As JSON, which is read in a fifth of the time."""
    return f"[{numbers.replace(' ', ',')}]"


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
    """Of each CPU of a host, in their order; those with as many quanta are computed together."""
    import numpy as np

    every = [_times(noise) for noise in noises]
    cpus, seconds = (np.concatenate(parts) for parts in zip(*every, strict=True))
    order = np.argsort(cpus, kind="stable")
    numbers, begins, counts = np.unique(cpus[order], return_index=True, return_counts=True)
    found = []
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        ordered = np.sort(seconds[order[begins[rows, np.newaxis] + np.arange(count)]], axis=1)
        fastest = ordered[:, : max(count // FASTEST_SHARE, 1)].mean(axis=1, keepdims=True)
        slowdowns = ordered / fastest
        medians, p99s = np.quantile(slowdowns, (0.5, 0.99), axis=1)
        columns = (medians, p99s, slowdowns[:, -1], np.count_nonzero(slowdowns > DETOUR, axis=1))
        found += [
            NoiseSummary(host, cpu, count, *summary)
            for cpu, *summary in zip(
                numbers[rows].tolist(), *(one.tolist() for one in columns), strict=True
            )
        ]
    return sorted(found, key=lambda one: one.cpu)

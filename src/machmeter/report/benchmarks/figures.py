"""The few figures of a run that matter."""

from __future__ import annotations

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks import (
    figures_apps,
    figures_memory,
    figures_network,
    figures_places,
    figures_threads,
)
from machmeter.report.benchmarks.figure import Chooser, Headline, figure
from machmeter.report.benchmarks.selection import best, estimates_of, of_metric

_CHOICES: dict[str, Chooser] = {
    "memory.stream": figures_memory.stream,
    "memory.latency": figures_memory.latency,
    "memory.pages": figures_places.pages,
    "memory.matrix": figures_places.matrix,
    "memory.loaded": figures_memory.loaded,
    "memory.timeline": figures_memory.timeline,
    "memory.allocation": figures_memory.allocation,
    "threads.sync": figures_threads.sync,
    "threads.arrays": figures_threads.arrays,
    "threads.schedule": figures_threads.schedule,
    "threads.nested": figures_threads.nested,
    "threads.pairs": figures_places.pairs,
    "sparse.spmv": figures_apps.spmv,
    "apps.retrieval": figures_apps.application,
    "apps.heatflow": figures_apps.application,
    "network.latency": figures_network.latency,
    "network.pairs": figures_network.pairs,
    "network.bandwidth": figures_network.bandwidth,
    "network.threads": figures_network.threads,
    "network.overlap": figures_network.overlap,
    "network.availability": figures_network.availability,
    "network.collective": figures_network.collective,
    "network.barrier": figures_network.barrier,
    "network.collective-overlap": figures_network.collective_overlap,
    "network.onesided": figures_network.onesided,
    "network.atomics": figures_network.onesided,
    "network.startup": figures_network.startup,
    "network.consistency": figures_network.consistency,
    "shmem.transfer": figures_network.onesided,
    "shmem.atomics": figures_network.onesided,
    "shmem.alltoall": figures_network.shmem_alltoall,
}


def headline_figures(result: RunResult) -> tuple[Headline, ...]:
    """The figures a person asks for first, one to three of each benchmark that ran."""
    chosen: list[Headline] = []
    for benchmark in dict.fromkeys(e.point.benchmark for e in result.estimates):
        choose = _CHOICES.get(benchmark, _first_primary)
        chosen.extend(choose(result, estimates_of(result, benchmark)))
    return tuple(chosen)


def _first_primary(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """For a benchmark that this room knows nothing of: the best of its first metric."""
    found = best(of_metric(estimates, estimates[0].metric))
    return figure(f"{found.point.benchmark}, {found.title}", found) if found else []

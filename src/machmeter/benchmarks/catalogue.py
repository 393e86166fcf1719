"""Every benchmark by name."""

from __future__ import annotations

from machmeter.benchmarks.apps import APPS
from machmeter.benchmarks.memory.access import MEMORY
from machmeter.benchmarks.memory.allocation import ALLOCATION
from machmeter.benchmarks.memory.load import MEMORY_LOAD
from machmeter.benchmarks.memory.places import MEMORY_PLACES
from machmeter.benchmarks.network.collectives import COLLECTIVES
from machmeter.benchmarks.network.messages import NETWORK
from machmeter.benchmarks.network.onesided import ONE_SIDED, SHMEM
from machmeter.benchmarks.network.overlap import OVERLAPS
from machmeter.benchmarks.network.system import SYSTEM
from machmeter.benchmarks.reference import REFERENCE
from machmeter.benchmarks.sparse import SPARSE
from machmeter.benchmarks.threads import THREADS
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import UsageError

BENCHMARKS: tuple[Benchmark, ...] = (
    *MEMORY,
    *MEMORY_PLACES,
    *MEMORY_LOAD,
    ALLOCATION,
    *THREADS,
    *SPARSE,
    *APPS,
    *NETWORK,
    *OVERLAPS,
    *COLLECTIVES,
    *ONE_SIDED,
    *SYSTEM,
    *SHMEM,
)
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(benchmark.group for benchmark in BENCHMARKS))


def find(name: str) -> Benchmark:
    """The benchmark of that name. Raises UsageError when there is none."""
    for benchmark in (*BENCHMARKS, REFERENCE):
        if benchmark.name == name:
            return benchmark
    known = ", ".join(benchmark.name for benchmark in BENCHMARKS)
    raise UsageError(f"there is no benchmark {name!r}", f"choose one of: {known}")


def is_primary(benchmark: str, metric: str) -> bool:
    """Whether a metric stands by itself, and does not follow from another of its benchmark.

    What machmeter does not measure itself (a published workload) stands by itself.
    """
    own = (one for of in BENCHMARKS if of.name == benchmark for one in of.metrics)
    return all(one.primary for one in own if one.name == metric)

"""Results by which a page shows the sensitivity of a simulated run to parameters of its model."""

from __future__ import annotations

from msgspec import Struct

from machmeter.benchmarks.network.collectives import COLLECTIVE
from machmeter.benchmarks.network.messages import BANDWIDTH, LATENCY
from machmeter.benchmarks.network.onesided import ONESIDED
from machmeter.model.benchmark import Benchmark, Value


class SensitiveResult(Struct, frozen=True):
    """Which result of a benchmark: of several that of fewest ranks and smallest size."""

    benchmark: Benchmark
    """Whose result it is."""
    metric: str
    """Its metric."""
    settings: dict[str, Value]
    """Values of parameters; others are free."""
    title: str
    """What it is, before size and ranks."""
    most_ranks: bool = False
    """Whether that of most ranks is taken."""
    largest: bool = False
    """Whether that of the largest size is taken."""


_PLAIN: dict[str, Value] = {
    "pattern": "ping-pong",
    "way": "blocking",
    "data": "contiguous",
    "buffers": "hot",
}
SENSITIVE_RESULTS = (
    SensitiveResult(LATENCY, "latency", {"size": 8, **_PLAIN}, "latency"),
    SensitiveResult(LATENCY, "latency", {"size": 2**20, **_PLAIN}, "latency"),
    SensitiveResult(
        BANDWIDTH, "bandwidth_one_way", {"size": 2**20, "direction": "one-way"}, "bandwidth"
    ),
    SensitiveResult(ONESIDED, "time", {"size": 8, "operation": "put"}, "one-sided put"),
    SensitiveResult(COLLECTIVE, "time", {"operation": "allreduce"}, "allreduce", most_ranks=True),
    SensitiveResult(
        COLLECTIVE, "time", {"operation": "alltoall"}, "all-to-all", most_ranks=True, largest=True
    ),
)
"""At most so many are simulated again; those that a run lacks are left out."""

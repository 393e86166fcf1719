"""What can be measured: a kernel, its parameters, its metrics."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.layout import Binding, ProgressMode, WaitPolicy
from machmeter.model.units import Unit

Value = int | str


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"


class Executable(StrEnum):
    """The native program that holds a benchmark, by what it links."""

    NODE = "machmeter-node"
    MPI = "machmeter-mpi"
    SHMEM = "machmeter-shmem"


class ParameterKind(StrEnum):
    """How a parameter's values are written on the command line.

    A PAIR is two CPUs (`0-17`), a DOMAIN_PAIR two NUMA domains, a RANK_PAIR two ranks; a MATRIX
    is one of the choices or the path of a Matrix Market file.
    """

    SIZE = "size"
    COUNT = "count"
    CHOICE = "choice"
    PAIR = "pair"
    DOMAIN_PAIR = "domain pair"
    RANK_PAIR = "rank pair"
    MATRIX = "matrix"


class Formula(StrEnum):
    """How one launch's series become one value; defined in `analysis.stats.launch_value`."""

    TIME = "time of one event"
    RATE = "amount over time of one event"
    QUOTIENT = "first time over second time"
    OVERHEAD = "test minus reference, paired"
    WORK_HIDDEN = "1 - (total - communication) / work"
    COMMUNICATION_HIDDEN = "1 - (total - work) / communication"
    AMOUNT = "a fact of the record as it stands"
    AVAILABILITY = "1 - overhead / base, by a two-line fit of total time over work"


class ThreadSweep(StrEnum):
    """The thread counts that a benchmark is measured with, unless others are asked for."""

    ONE = "one thread"
    TWO = "two threads"
    ENDS = "one thread and all cores"
    POWERS = "powers of two up to all cores"
    ALL = "all cores"
    SPLITS = "one thread, one domain, and every outer x inner split of all cores"


class RankSweep(StrEnum):
    """The rank counts that a benchmark is measured with, unless others are asked for.

    Where several nodes were named, PAIR means two ranks on one node and one on each of two nodes;
    the others take all nodes. GROWING goes beyond the cores, as a benchmark of memory may.
    """

    ONE = "one process"
    PAIR = "two ranks"
    POWERS = "powers of two from two ranks up to one on every core"
    ALL = "one rank on every core"
    NODES = "one rank on every node; of one node, on every core"
    GROWING = "2, 4, 8, 16 ranks, more than there are cores"


class Parameter(Struct, frozen=True):
    """One axis of a benchmark and the values it takes unless others are asked for.

    `AUTO` as the only value means: chosen from the topology, or for sizes from what the sizing
    launches measured. A number lies within minimum and maximum, is a multiple of `multiple`, holds
    `least_per_thread` for each thread of its layout, and is one of the choices where there are
    any; `auto` chooses none above `auto_most_per_thread` for each thread (0 = no bound).
    """

    name: str
    kind: ParameterKind
    values: tuple[Value, ...]
    summary: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 2**63 - 1
    multiple: int = 1
    least_per_thread: int = 0
    auto_most_per_thread: int = 0

    @property
    def automatic(self) -> bool:
        """Whether its values are chosen from the machine unless others are asked for."""
        return self.values == (AUTO,)

    def fits_auto(self, value: Value, threads: int) -> bool:
        """Whether `auto` may choose `value` for a layout of that many threads."""
        most = self.auto_most_per_thread * threads
        return not most or isinstance(value, str) or value <= most

    def refusal(self, value: Value, threads: int = 1) -> str:
        """Why the parameter cannot take `value` with that many threads; empty where it can."""
        if isinstance(value, str):
            free = not self.choices or self.kind is ParameterKind.MATRIX
            known = free or value in self.choices or (value == AUTO and self.automatic)
            return "" if known else f"it must be one of {', '.join(self.choices)}"
        if self.choices and str(value) not in self.choices:
            return f"it must be one of {', '.join(self.choices)}"
        least = max(self.minimum, self.least_per_thread * threads)
        if value < least:
            for_threads = f" for {threads} threads" * (threads > 1 and least > self.minimum)
            return f"it must be at least {least}{for_threads}"
        if value > self.maximum:
            return f"it must be at most {self.maximum}"
        if value % self.multiple:
            below = value - value % self.multiple
            nearest = [v for v in (below, below + self.multiple) if least <= v <= self.maximum]
            return (
                f"it must be a multiple of {self.multiple}; nearest: "
                f"{' or '.join(map(str, nearest))}"
            )
        return ""


AUTO = "auto"


class Metric(Struct, frozen=True):
    """One figure of a benchmark.

    series: the sample series the formula reads, in its order; amount: the name of the fact that
    a RATE divides by the time of one event (a point without that fact has no such metric);
    primary: precision is asked of this metric.
    """

    name: str
    title: str
    unit: Unit
    direction: Direction
    formula: Formula
    series: tuple[str, ...] = ("seconds",)
    amount: str = ""
    primary: bool = True


class Benchmark(Struct, frozen=True):
    """One thing measured, and the layout axes it is swept over unless others are asked for.

    threads, bindings, wait_policies: that sweep; sweep_pages: on base and huge pages;
    sweep_runtimes, sweep_allocators: under each OpenMP runtime or allocator that the machine has;
    least_threads: with fewer it means nothing; shows_samples: its raw series are shown.

    ranks: its sweep of ranks; least_ranks, most_ranks: how many it takes (0 = any number);
    even_ranks: only an even number; progress: who advances communication; sweep_packages: on the
    cores of each package by itself too.

    seconds_per_point: the time a launch spends on one point, seconds, at most, once the least
    number of samples is taken; skips: parameter combinations that mean nothing.
    """

    name: str
    title: str
    summary: str
    executable: Executable
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    seconds_per_point: float = 0.03
    ranks: RankSweep = RankSweep.ONE
    least_ranks: int = 1
    most_ranks: int = 0
    even_ranks: bool = False
    progress: tuple[ProgressMode, ...] = (ProgressMode.LIBRARY,)
    sweep_packages: bool = False
    threads: ThreadSweep = ThreadSweep.ONE
    bindings: tuple[Binding, ...] = (Binding.CLOSE,)
    wait_policies: tuple[WaitPolicy, ...] = (WaitPolicy.ACTIVE,)
    sweep_pages: bool = False
    sweep_runtimes: bool = False
    sweep_allocators: bool = False
    least_threads: int = 1
    shows_samples: bool = False
    skips: tuple[tuple[tuple[str, Value], ...], ...] = ()

    @property
    def group(self) -> str:
        """The part of the name before the dot: `memory`, `threads`, `network`."""
        return self.name.split(".", 1)[0]

    def metric(self, name: str) -> Metric:
        """The metric of that name. Raises KeyError when the benchmark has none."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(f"{self.name} has no metric {name!r}")

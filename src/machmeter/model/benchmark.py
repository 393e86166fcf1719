"""What can be measured: a kernel, its parameters, its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from machmeter.model.display import Display
from machmeter.model.layout import Binding, ProgressMode, WaitPolicy
from machmeter.model.program import Program
from machmeter.model.units import Unit

Value = int | str
SCALING, WEAK = "scaling", "weak"
"""The parameter that says whether a problem grows, and its value where it does."""


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"


class ParameterKind(StrEnum):
    """How a parameter's values are written on the command line.

    A PAIR is two CPUs (`0-17`), a DOMAIN_PAIR two NUMA domains, a RANK_PAIR two ranks, a NODE the
    number of a node: points that differ in it alone are measured at the same time. A MATRIX
    is one of the choices or the path of a Matrix Market file, a LIBRARY one of the choices or the
    path of a shared library.
    """

    SIZE = "size"
    COUNT = "count"
    CHOICE = "choice"
    PAIR = "pair"
    DOMAIN_PAIR = "domain pair"
    RANK_PAIR = "rank pair"
    NODE = "node"
    MATRIX = "matrix"
    LIBRARY = "library"

    @property
    def may_be_file(self) -> bool:
        """Whether the path of a file is a value as well as the choices."""
        return self in (ParameterKind.MATRIX, ParameterKind.LIBRARY)

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return self in (ParameterKind.SIZE, ParameterKind.COUNT, ParameterKind.NODE)


class ParameterRole(StrEnum):
    """What a parameter says of a point."""

    SETTING = "how it is done, or on what"
    WORK = "how much is done, by all ranks and threads together"


class Statistic(StrEnum):
    """Which of the values that one launch yields its result is."""

    MEAN = "mean"
    MEDIAN = "median"
    BEST = "best"
    SLOWEST_RANK = "slowest rank"
    MEAN_OF_RANKS = "mean of ranks"


class Formula(StrEnum):
    """How one launch's series become one value; defined in `analysis.stats.launch_value`."""

    TIME = "time of one event"
    RATE = "amount over time of one event"
    QUOTIENT = "first time over second time"
    OVERHEAD = "test minus reference, paired"
    WORK_HIDDEN = "1 - (total - communication) / work"
    COMMUNICATION_HIDDEN = "1 - (total - work) / communication"
    AMOUNT = "a quantity of the record as it stands"
    AVAILABILITY = "1 - overhead / base, by a two-line fit of total time over work"


class ThreadSweep(StrEnum):
    """The thread counts that a benchmark is measured with, unless others are requested."""

    ONE = "one thread"
    TWO = "two threads"
    ENDS = "one thread and all cores"
    POWERS = "powers of two up to all cores"
    ALL = "all cores"
    SPLITS = "one thread, one domain, and every outer x inner split of all cores"


class RankSweep(StrEnum):
    """The rank counts that a benchmark is measured with, unless others are requested.

    Where several nodes were named, PAIR means two ranks on one node and one on each of two nodes;
    the others take all nodes. GROWING goes beyond the cores, as a benchmark of memory may.
    """

    ONE = "one process"
    EVERY = "powers of two from one rank up to one on every core"
    PAIR = "two ranks"
    POWERS = "powers of two from two ranks up to one on every core"
    ALL = "one rank on every core"
    NODES = "one rank on every node; of one node, on every core"
    EACH_NODE = "one rank on every node"
    GROWING = "2, 4, 8, 16 ranks, more than there are cores"


class AutoRule(StrEnum):
    """How `auto` chooses the values of a parameter; each rule is a function of `run.planning`.

    CACHES_... follow from the caches as sizing launches measure them.
    """

    CACHES_ARRAY = "an array of four times the last-level caches"
    CACHES_DEVICE = (
        "an array of four times the last-level caches, of 1 GiB at least where a device has memory "
        "of its own"
    )
    CACHES_CURVE = "working sets from inside the first cache to beyond the last"
    CACHES_PAGES = "sets of pages from inside a core's own cache to beyond the last"
    CACHES_DOMAIN = "memory of one NUMA domain, beyond the caches that may hold it"
    CACHES_THREAD = "memory of one thread, beyond the last cache"
    CACHES_NONZEROS = "nonzeros of a matrix of twice the last-level caches"
    ALLOCATION = "32 MiB for each core"
    PAGE_KINDS = "the kinds of pages that can be had"
    VECTOR_WIDTHS = "the register widths that the CPU has"
    BLAS = "OpenBLAS as fetched from PyPI, else the BLAS of the system"
    ORDERS = "orders from inside the first cache to beyond the last, larger ones for more threads"
    ORDER_OF_NODE = "1536 times the cube root of the cores of a node"
    ORDERS_IN_BUDGET = "orders up to one of which ten launches take about a tenth of the budget"
    PAIRS = "pairs of CPUs that cover the topology"
    PAIRS_BOTH_WAYS = "pairs of CPUs in either order that cover the topology"
    DOMAIN_PAIRS = "every pair of NUMA domains"
    RANK_PAIRS = "every pair of ranks, each of which stands for a node"
    NODES = "every node"
    SERIES_SECONDS = "a thirtieth of the budget"
    WAVES = "one, a NUMA domain full, and two waves and one over all cores"
    MESSAGES = "messages up to the size from which bandwidth is flat"

    @property
    def follows_caches(self) -> bool:
        """Whether the caches must be measured first."""
        return self.name.startswith("CACHES_")


class Parameter(Struct, frozen=True):
    """One axis of a benchmark and the values it takes unless others are requested.

    A number is within minimum and maximum, is a multiple of `multiple`, holds `least_per_thread`
    for each thread of its layout, and is one of the choices where there are any.
    """

    name: str
    """As on the command line and in the native program."""
    kind: ParameterKind
    """How its values are written."""
    values: tuple[Value, ...]
    """Unless others are requested; `AUTO` as the only one: chosen by the rule in `auto`."""
    summary: str
    """What it means, in a phrase."""
    choices: tuple[str, ...] = ()
    """The only values it takes (empty: any of its kind); the first default is the plain one."""
    minimum: int = 0
    """Smallest number it takes."""
    maximum: int = 2**63 - 1
    """Largest number it takes."""
    multiple: int = 1
    """Of which a number must be a multiple."""
    least_per_thread: int = 0
    """Smallest number for each thread of the layout."""
    auto: AutoRule | None = None
    """How `auto` chooses; None where there is no `auto`."""
    auto_most_per_thread: int = 0
    """`auto` chooses none above this for each thread (0: no bound)."""
    bytes_each: int = 0
    """What a launch allocates at least for each unit of a number that is no size, bytes."""
    most_bytes_each: int = 0
    """What it allocates at most for each, with any of its other parameters, bytes: a number that
    fills the memory counts on it; 0: as `bytes_each`."""
    power: int = 1
    """That is for each unit of this power of the number: 2 for rows and columns, 3 for an edge of
    a box."""
    flops_each: float = 0.0
    """Operations of an event for each unit of the next power of the number, as a product or a
    factorization of matrices has them; 0: as the time of a point says."""
    times: tuple[str, ...] = ()
    """And of other parameters whose numbers multiply it."""
    role: ParameterRole = ParameterRole.SETTING
    """What it says of a point."""
    grows: int = 0
    """About which power of the number the work is, where `scaling=weak` makes the native program
    take a larger one, so that each thread has as much work as one alone; 0: it takes no larger
    one for threads."""
    phrase: str = ""
    """How a value reads without the name: `{} outstanding`; empty: text as it is, a number after
    the name."""
    counted: tuple[str, str] = ("", "")
    """What a number of it counts, one and several: `query`, `queries`; empty where it counts
    nothing that has a name."""

    @property
    def automatic(self) -> bool:
        """Whether its values are chosen from the machine unless others are requested."""
        return self.values == (AUTO,)

    @property
    def fills_memory(self) -> bool:
        """Whether `memory` is a value: the largest number whose data fit with room to spare."""
        counts = self.kind is ParameterKind.COUNT and self.role is ParameterRole.WORK
        return counts and self.bytes_each > 0

    def data_bytes(self, value: Value) -> int:
        """Bytes that a launch allocates at least for `value`; 0 where it does not follow."""
        if not isinstance(value, int):
            return 0
        each = 1 if self.kind is ParameterKind.SIZE else self.bytes_each
        return each * int(value**self.power)

    def growth(self, parameters: Mapping[str, Value], threads: int) -> float:
        """How many times the number a program takes on that many threads at a point."""
        weak = self.grows > 0 and parameters.get(SCALING) == WEAK
        return float(threads ** (1 / self.grows)) if weak else 1.0

    def fits_auto(self, value: Value, threads: int) -> bool:
        """Whether `auto` may choose `value` for a layout of that many threads."""
        most = self.auto_most_per_thread * threads
        return not most or isinstance(value, str) or value <= most

    def refusal(self, value: Value, threads: int = 1) -> str:
        """Why the parameter cannot take `value` with that many threads; empty where it can."""
        if isinstance(value, str):
            free = not self.choices or self.kind.may_be_file
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
OF_MEMORY = "memory"


class Metric(Struct, frozen=True):
    """One quantity that a benchmark measures."""

    name: str
    """Unique within its benchmark."""
    title: str
    """As a heading."""
    unit: Unit
    """The kind of quantity; values are in its base unit."""
    direction: Direction
    """Which way is better."""
    formula: Formula
    """How the series of one launch become its value."""
    series: tuple[str, ...] = ("seconds",)
    """The sample series that the formula reads, in its order."""
    amount: str = ""
    """The quantity of the record that a RATE divides by the time of one event, or that an AMOUNT
    is. A point without that quantity has no such metric."""
    statistic: Statistic = Statistic.MEAN
    """Of its samples, over all ranks and threads where these are timed together."""
    primary: bool = True
    """Whether it is a result of its own with a target precision; others follow from it."""


class Subject(StrEnum):
    """What several benchmarks measure together, as readers look for it."""

    MEMORY_BANDWIDTH = "Memory bandwidth"
    MEMORY_LATENCY = "Memory latency"
    OPENMP = "OpenMP constructs"
    MPI_LATENCY = "MPI latency"
    MPI_BANDWIDTH = "MPI bandwidth"
    MPI_COLLECTIVES = "MPI collectives"
    MPI_ONE_SIDED = "MPI one-sided"
    SHMEM = "OpenSHMEM"
    APPLICATIONS = "Applications"


class Benchmark(Struct, frozen=True):
    """One thing measured: everything that planning, statistics and reports know of it.

    threads, bindings, wait_policies and the `sweep_...` fields are the layouts it is measured under
    unless others are requested.
    """

    name: str
    """Group and name, with a dot between: `memory.stream`."""
    title: str
    """As a heading."""
    summary: str
    """What is timed, in a sentence or three, with the source of the method."""
    program: Program
    """The native program that holds it."""
    parameters: tuple[Parameter, ...]
    """Its axes."""
    metrics: tuple[Metric, ...]
    """What it measures, the most important first."""
    display: Display = Display()
    """How its results are shown."""
    stands_for: str = ""
    """Of a proxy, the kind of work and the programs that do it; empty: it is no proxy."""
    subject: Subject | None = None
    """The group that its results are summarized with in a comparison; None: it is its own."""
    seconds_per_point: float = 0.03
    """Time that a launch spends on one point once the least number of samples is taken, seconds,
    at most."""
    event_seconds: float = 0.0
    """About what an event with the usual numbers takes on one thread, seconds, of work whose time
    other numbers change by their powers; 0: as the time of a point says."""
    long_events: bool = False
    """Whether one event may be all that a launch measures of a point."""
    arrays: int = 1
    """Arrays of the parameter `size` that a point allocates and sweeps."""
    setup_seconds_per_byte: float = 0.0
    """What a point takes in addition to its samples, seconds per byte of its `size`, where that is
    more than to write it once."""
    ranks: RankSweep = RankSweep.ONE
    """Its sweep of ranks."""
    least_ranks: int = 1
    """The fewest ranks it takes."""
    most_ranks: int = 0
    """The most ranks it takes (0: any number)."""
    even_ranks: bool = False
    """Whether it takes an even number of ranks only: each has one partner."""
    progress: tuple[ProgressMode, ...] = (ProgressMode.LIBRARY,)
    """Who advances communication."""
    sweep_packages: bool = False
    """Whether it is measured on the cores of each package by itself too."""
    threads: ThreadSweep = ThreadSweep.ONE
    """Its sweep of threads."""
    bindings: tuple[Binding, ...] = (Binding.CLOSE,)
    """How threads are bound."""
    wait_policies: tuple[WaitPolicy, ...] = (WaitPolicy.ACTIVE,)
    """How idle threads wait."""
    sweep_pages: bool = False
    """Whether it is measured on base and on huge pages."""
    sweep_runtimes: bool = False
    """Whether it is measured under each OpenMP runtime that the machine has."""
    sweep_allocators: bool = False
    """Whether it is measured under each allocator that the machine has."""
    least_threads: int = 1
    """With fewer threads it means nothing."""
    shows_samples: bool = False
    """Whether its raw series are shown, so that one record of each point is kept at hand."""
    skips: tuple[tuple[tuple[str, Value], ...], ...] = ()
    """Combinations of parameter values that mean nothing."""
    modeled: dict[str, tuple[Value, ...]] | None = None
    """What models of machines describe of it: the values of those parameters and layout fields of
    which they do not describe all (None: nothing of it)."""

    @property
    def group(self) -> str:
        """The part of the name before the dot: `memory`, `threads`, `network`."""
        return self.name.split(".", 1)[0]

    @property
    def of_one_thread(self) -> bool:
        """Whether it leaves no choice of ranks and threads: one of each."""
        return not self.program.has_ranks and self.threads is ThreadSweep.ONE

    @property
    def of_two_ranks(self) -> bool:
        """Whether every result is of two ranks."""
        return self.most_ranks == 2

    @property
    def of_pairs(self) -> bool:
        """Whether each rank has one partner, whatever the number of pairs."""
        return self.of_two_ranks or self.even_ranks

    def metric(self, name: str) -> Metric:
        """The metric of that name. Raises KeyError when the benchmark has none."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(f"{self.name} has no metric {name!r}")

    @property
    def amounts(self) -> tuple[str, ...]:
        """Names of the parameters that say how much work a point is."""
        return tuple(one.name for one in self.parameters if one.role is ParameterRole.WORK)

    @property
    def loads_blas(self) -> bool:
        """Whether it calls a BLAS that is loaded while it runs."""
        return any(one.auto is AutoRule.BLAS for one in self.parameters)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, None where it has none."""
        return next((one for one in self.parameters if one.name == name), None)

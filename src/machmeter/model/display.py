"""How the results of a benchmark are shown: headlines, charts, tables and definitions as data.

A benchmark declares these (`Benchmark.display`); the report interprets them. What serves several
benchmarks is a struct with a few fields, what only one shows is a `ChartKind` or a `TableKind`.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class LayoutFilter(StrEnum):
    """Which layouts of those that were measured."""

    MOST_THREADS = "the most threads"
    ONE_THREAD = "one thread"
    NESTED = "inner teams of several threads"
    MOST_RANKS = "the most ranks"
    FEWEST_RANKS = "the fewest ranks"
    USUAL = "base pages, runtime and allocator as linked, all packages, bound close"
    NO_HUGE_PAGES = "no huge pages"
    LINKED_RUNTIME = "the OpenMP runtime as linked"
    LINKED_ALLOCATOR = "the allocator as linked"


class Selection(Struct, frozen=True, kw_only=True):
    """Some of the results of a benchmark; each field narrows what those before it leave."""

    metrics: tuple[str, ...] = ()
    """Names of metrics (empty: the first one)."""
    where: tuple[tuple[str, int | str], ...] = ()
    """Parameters with the value they must have."""
    prefer: tuple[tuple[str, int | str], ...] = ()
    """Parameters with a value that is taken where any result has it."""
    plain: bool = False
    """Whether every choice has the first of its declared values, but for those in `vary`."""
    vary: tuple[str, ...] = ()
    """Choices that keep all their values."""
    layouts: tuple[LayoutFilter, ...] = ()
    """Of these the layouts, one filter after the other."""
    largest: tuple[str, ...] = ()
    """Parameters of which the largest value is taken, one after the other."""
    smallest: tuple[str, ...] = ()
    """Parameters of which the smallest value is taken."""
    small: bool = False
    """Whether the message size nearest to 8 B is taken, from there on where there is one."""


class Pick(StrEnum):
    """Which one of the results that a selection leaves."""

    FIRST = "the first"
    BEST = "the best by its direction"
    EACH = "each, the best by its direction first"
    NEAREST_AND_FARTHEST = "the median pair of the nearest and of the farthest places"
    FARTHEST = "the median pair of the farthest places"
    WORST_AND_BEST_PAIR = "the worst and the best pair, by the names of their nodes"
    WORST_AND_BEST_NODE = "the worst and the best node, by their names"


class Headline(Struct, frozen=True, kw_only=True):
    """One result, or one for each value of something, that a person asks for first.

    Results that an earlier headline of the benchmark shows are left out.
    """

    title: str
    """With `{name}` for a parameter's value, `{pages}`, `{binding}`, `{wait_policy}`, `{pairs}`, or
    `{place}` for what picks of pairs find."""
    select: Selection = Selection()
    """Out of these."""
    by: str = ""
    """A headline for each value of this parameter or part of the layout (empty: one only)."""
    values: tuple[str, ...] = ()
    """Of `by`: only these, in this order (empty: all)."""
    most: int = 0
    """At most so many (0: all)."""
    pick: Pick = Pick.FIRST
    """Which of those that are left."""
    hide: tuple[str, ...] = ()
    """Parameters that the label leaves out, because the title says them or they go without saying;
    plain choices are always left out where the selection is plain."""


class Along(StrEnum):
    """What curves and the columns of a table run along."""

    SIZE = "size"
    THREADS = "threads"
    RANKS = "ranks"
    PAIRS = "pairs"
    NODES = "nodes"
    WINDOW = "window"
    OUTSTANDING = "outstanding"
    WORK = "work_percent"
    ORDER = "order"


class CurveForm(StrEnum):
    """How curves are laid out."""

    TOGETHER = "in one panel, with their precision below"
    PANELS = "in panels, those of one group on the same axes"
    MULTIPLES = "in small panels on the same axes"
    SHARES = "in panels in percent, with 0 and 100 marked"


class CurveChart(Struct, frozen=True, kw_only=True, tag=True):
    """Results along an axis; no chart where nothing varies along it."""

    name: str
    """Unique among all charts, fit for a file name."""
    title: str
    """With `{along}` for the axis."""
    description: str
    """What is seen, for who cannot see it; with `{along}`."""
    value: str
    """Title of the value axis, without unit."""
    select: Selection = Selection()
    """Of these."""
    along: tuple[Along, ...] = (Along.SIZE,)
    """The first of these along which results vary."""
    size: str = "message size"
    """What a size is that of."""
    form: CurveForm = CurveForm.TOGETHER
    """How they are laid out."""
    panels: tuple[str, ...] = ()
    """A panel for each combination of these parameters; `metric` stands for the metric."""
    shared: str = ""
    """Panels with the same value of this parameter have the same axes (empty: all)."""
    note: str = ""
    """Below the chart."""
    precision: bool = True
    """Whether the precision of each value stands below; not of what another chart repeats."""


class RatiosToDefault(Struct, frozen=True, kw_only=True, tag=True):
    """Ratios to the default: what another value of a parameter gains at otherwise equal points."""

    name: str
    """Unique among all charts, fit for a file name; empty: there is only the table."""
    title: str
    """Of chart and table."""
    names: tuple[str, ...]
    """The parameters, or parts of the layout, whose defaults the others are compared with."""
    select: Selection = Selection()
    """Of these."""
    along: Along = Along.SIZE
    """What ratios run along: the axis of curves, or with `category` one panel each; the columns of
    the table."""
    category: str = ""
    """A parameter whose values have a line each (empty: curves)."""
    description: str = ""
    """What is seen, for who cannot see it."""
    value: str = "ratio"
    """Title of the value axis."""
    note: str = ""
    """Below chart and table."""


class PivotTable(Struct, frozen=True, kw_only=True, tag=True):
    """A table of values: one row a case, one column a value of the axis."""

    title: str
    """With `{along}` for the axis."""
    select: Selection = Selection()
    """Of these."""
    along: tuple[Along, ...] = (Along.SIZE,)
    """The first of these along which results vary, else the last."""
    growth: bool = False
    """Whether the note says what one more along the axis adds."""


class ChartKind(StrEnum):
    """Charts that need code of their own, in `report.benchmarks.groups`."""

    KERNEL_BANDWIDTH = "bandwidth by kernel, on the bus, over threads and placements"
    WORKING_SETS = "latency by working set with the levels of the hierarchy"
    LOADED_LATENCY = "latency against bandwidth"
    ALLOCATION_PHASES = "phases of allocation by way, pages, threads and allocator"
    TIME_SERIES = "bandwidth over time"
    PAGE_VISITS = "page visits by place and size of the set"
    DOMAIN_MATRIX = "latency and bandwidth between NUMA domains"
    CORE_PAIRS = "one-way time between cores"
    CONSTRUCTS = "overhead by construct, runtime, binding and threads"
    ARRAY_CLAUSES = "overhead by clause and size of the array"
    SCHEDULES = "overhead of an iteration by schedule"
    NESTED_REGIONS = "overhead of inner teams by split"
    SPARSE_PRODUCTS = "rate and imbalance by matrix and schedule, pictures of the matrices"
    SPLITS = "speedup and time by outer and inner threads"
    WAVES = "measured time against the wave model"
    MESSAGE_TIME = "time of a message by size with its protocols"
    MESSAGE_STREAMS = "bandwidth and rate by size, pairs and window"
    BARRIER = "time of a barrier by form and start"
    COLLECTIVE_OVERLAP = "shares hidden by operation and size"
    OPERATION_TIME = "time of one one-sided operation"
    NODE_MATRIX = "latency and bandwidth from node to node"
    NODE_MAP = "every node as a share of the usual one"
    NODE_DISTRIBUTION = "the share of nodes up to each value"
    LAYOUTS = "each layout of a program, the best first"
    ROOFLINE = "kernels by what limits them"
    DEVICE_ROOFLINE = "peak and memory of devices"
    STAGES = "memory over time through the stages of a program"


class TableKind(StrEnum):
    """Tables that need code of their own, in `report.benchmarks.groups`."""

    LEVELS = "levels of the memory hierarchy"
    TIME_SERIES = "time series and their changes of level"
    PAGE_VISITS = "page visits by what owner and visitor share"
    DOMAIN_MATRIX = "latency and bandwidth by what the domains share"
    CORE_PAIRS = "one-way time by what the cores share"
    SPARSE_PRODUCTS = "rate, imbalance and cost of the partition"
    WAVES = "measured time against the wave model"
    MESSAGE_STREAMS = "bandwidth and rate by pairs and window"
    OPERATIONS_IN_FLIGHT = "time of one operation, rate of many, and how many overlap"
    NODE_PAIRS = "the slowest pairs and nodes"
    NODE_RANKS = "the worst nodes"
    NODE_QUANTILES = "quartiles and spread of the nodes"
    LAYOUTS = "each layout of a program, the best first"
    ORDERS = "what times by order say of larger ones"
    ROOFLINE = "kernels by what limits them"
    DEVICE_ROOFLINE = "peak and memory of devices"
    STAGES = "time, CPU time and memory of each stage of a program"
    TIME_USE = "where the time of a program went under each layout"


class Definition(Struct, frozen=True):
    """A term and what it means here, where other tools mean something else."""

    name: str
    """The term."""
    meaning: str
    """In a sentence or two."""
    parameter: str = ""
    """It is needed where results have this parameter (empty: always)."""
    values: tuple[str, ...] = ()
    """With one of these values (empty: any)."""


class LimitKind(StrEnum):
    """A limit of the machine, and what of the same run is compared with it."""

    TRAFFIC = "kernels as fractions of the peak memory traffic"
    LEVELS = "latency of each memory level"
    FARTHEST = "farthest memory over nearest"
    SWEEP = "bandwidth as a fraction of the best sweep"
    ROOFLINE = "kernels as fractions of the roof that limits them"
    PING_PONG = "message rate of a window over that of one message at a time"


class Limit(Struct, frozen=True):
    """A limit of the machine that a run measures."""

    kind: LimitKind
    """What is compared."""
    of: str = ""
    """The other benchmark whose results are the limit; empty for its own."""


class YardstickKind(StrEnum):
    """How a result is set in relation to another result of the same run."""

    TIMES = "a multiple of another result"
    SHARE = "a share of another result"
    PEAK_TRAFFIC = "a share of the most memory traffic observed"
    FIRST_CACHE = "a multiple of the latency of the first cache level"
    ROOF = "a share of what the roofline allows"
    HARDWARE = "a share of what the hardware can at most"
    ONE_AT_A_TIME = "a multiple of the rate that one message at a time allows"


class Yardstick(Struct, frozen=True, kw_only=True):
    """What gives a key result meaning: another result of the same run."""

    kind: YardstickKind
    """The relation."""
    metrics: tuple[str, ...] = ()
    """Names of the metrics that it is for (empty: all of the benchmark)."""
    of: str = ""
    """The benchmark of the other result."""
    select: Selection = Selection()
    """Which of its results; of several the best."""
    name: str = ""
    """The other result as text: `memory access`."""
    in_memory: bool = False
    """Whether its working set has to be larger than every cache."""


class Counted(Struct, frozen=True, kw_only=True):
    """The operations and the bytes that a benchmark counts, by which its results stand on the
    roofline."""

    bytes: str
    """Name of the metric that is its rate of bytes."""
    model: str
    """Which bytes these are: counted, or assumed."""
    flops: str
    """Name of the metric that is its rate of operations, or that it follows from."""
    data: str = ""
    """Name of the metric that has the bytes of all its data (empty: by the record of an event, or
    the point's parameters)."""
    flops_of: tuple[str, tuple[tuple[str, float], ...]] = ("", ())
    """Where it follows: a parameter, and by its value operations for each unit of that metric.
    Results with other values count no operations."""
    each: tuple[str, ...] = ()
    """Parameters every value of which has a mark of its own, the best of its results."""
    largest: tuple[str, ...] = ()
    """Parameters of which the largest value counts."""
    name: str = ""
    """Of a mark, with `{parameter}` for its value."""
    precision: str = "double"
    """Of its numbers, where no parameter says it."""


class Display(Struct, frozen=True, kw_only=True):
    """How the results of a benchmark are shown. What is empty gets what any benchmark gets: the
    best of its first metric as headline, the table of all results, and a chart of each primary
    metric along a number that varies.
    """

    headlines: tuple[Headline, ...] = ()
    """The results that a person asks for first."""
    charts: tuple[CurveChart | RatiosToDefault | ChartKind, ...] = ()
    """In the order of the page."""
    tables: tuple[PivotTable | RatiosToDefault | TableKind, ...] = ()
    """In the order of the page, before the table of all results."""
    definitions: tuple[Definition, ...] = ()
    """Terms that the results need."""
    yardsticks: tuple[Yardstick, ...] = ()
    """What its key results are related to: the first that the run measured."""
    limit: Limit | None = None
    """The limit of the machine that its results are, or are compared with."""
    counted: Counted | None = None
    """What puts its results on the roofline; None where operations or bytes are not counted."""

"""A question to results, and the rule by which results answer it, as data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.benchmark import Value

LARGEST = "largest"
SMALLEST = "smallest"
SMALLEST_TEAM = "smallest team"
OWN = "own"
OTHER = "other"
NEAREST = "nearest"
FARTHEST = "farthest"
Advice = dict[str, str]


class Resource(StrEnum):
    """What a machine or a run must have enough of for a question to be answerable."""

    CORES = "cores"
    HARDWARE_THREADS = "hardware threads of a core"
    RANKS = "ranks"
    NODES = "nodes"
    NODE_PLACES = "node places"
    PACKAGES = "packages"
    DOMAINS = "domains"
    DOMAINS_WITH_MEMORY = "domains with memory"
    PAIR_PLACEMENTS = "placements of two threads"
    PLACEMENTS = "placements"
    HUGE_PAGES_2M = "2 MiB pages in the pool"
    TRANSPARENT_HUGE_PAGES = "transparent huge pages"
    HUGE_PAGES_BY_DEFAULT = "transparent huge pages without asking for them"
    OPENMP_RUNTIMES = "OpenMP runtimes"
    ALLOCATORS = "allocators"
    MPI_LIBRARIES = "MPI libraries"
    SPARE_CORES = "spare cores"
    SHMEM_COMPILERS = "OpenSHMEM compilers"
    DEVICES = "devices of the run"


class Selector(Struct, frozen=True):
    """Picks results: parameters by name, layout fields by name.

    The thread count `0` means: as many as the largest layout measured; the value `"largest"` or
    `"smallest"` of a parameter or a layout field, the largest or smallest measured, and `"smallest
    team"` the smallest measured above 1. Of a pair, `"own"` means both the same place, `"other"`
    two different ones, `"nearest"` and `"farthest"` those two that share the most or the least of
    the topology; of several such pairs the geometric mean is taken. In addition to its fields a
    layout has `threads`, those of inner teams included, `split`, `4 x 2` for four outer threads
    that lead two each, and `is_placed`, 0 where nothing is set and else 1. What neither side of a
    comparison names must be the same on both.
    """

    parameters: dict[str, Value] = field(default_factory=dict)
    """Wanted values of parameters."""
    layout: dict[str, Value] = field(default_factory=dict)
    """Wanted values of layout fields."""


class Band(Struct, frozen=True):
    """Ratios from `least` on, up to the next band."""

    least: float
    """Smallest ratio (or slope) of the band."""
    name: str
    """The answer for it."""
    advice: str = ""
    """What to do."""


class _Rule(Struct, frozen=True, tag_field="kind"):
    """What every rule has."""

    candidate: Selector
    """The results that the question is about."""


class BetterRule(_Rule, frozen=True, tag="better"):
    """Is the candidate better than the baseline?"""

    baseline: Selector
    """What it is compared with: of advice on a setting, what programs have without it."""
    yes: str = ""
    """Advice where it is better."""
    no: str = ""
    """Advice where it is worse."""
    same: str = ""
    """Advice where they differ by at most 2 % (2 points)."""
    settings: tuple[str, ...] = ()
    """Environment variables that make the candidate of the baseline: `OMP_WAIT_POLICY=active`."""
    no_where_set: str = ""
    """Advice where it is worse and people have one of the settings; `no` is for all others."""
    by_default: Resource | None = None
    """What a machine has where programs have the candidate without asking for it."""
    yes_by_default: str = ""
    """Advice where it is better and they have it."""
    shared_fields: tuple[str, ...] = ()
    """Fields of the layout in which candidate and baseline must not differ."""


class CostRule(_Rule, frozen=True, tag="cost"):
    """In which band is the cost of the candidate over that of the baseline?"""

    baseline: Selector
    """What it is compared with."""
    bands: tuple[Band, ...]
    """Bands of the ratio, the lowest first."""
    bands_on_one_domain: tuple[Band, ...] = ()
    """The bands on a machine with one NUMA domain, where they differ."""


class BestRule(_Rule, frozen=True, tag="best"):
    """Which value of the axes is best among the candidates, which differ in nothing else?

    What is not distinguishable from the best is named with it.
    """

    axes: tuple[str, ...]
    """Parameters or layout fields in which the candidates differ."""
    baseline: Selector | None = None
    """The usual value: compared with, and kept where it is as good (null: the worst)."""
    advice: Advice = field(default_factory=dict)
    """What to do by value of the best, of one axis."""
    otherwise: str = ""
    """What to do where the best has no advice of its own."""
    same: str = ""
    """Advice where no value is distinguishable from another."""
    settings: dict[str, str] = field(default_factory=dict)
    """The environment variable that makes a value of the usual one, by value, of one axis."""


class EfficiencyRule(_Rule, frozen=True, tag="efficiency"):
    """In which band is the parallel efficiency: the speedup over the baseline per added thread, or
    per added node where the best layouts of several numbers of nodes are compared?"""

    baseline: Selector
    """What the speedup is over."""
    bands: tuple[Band, ...]
    """Bands of the efficiency, the lowest first."""
    axes: tuple[str, ...] = ()
    """Where the candidates, or the baselines, differ in these alone, the best of them counts."""


class ShareRule(_Rule, frozen=True, tag="share"):
    """In which band is the candidate as a share of the best that another benchmark measured?

    What the two benchmarks do not have in common does not have to be the same.
    """

    baseline: Selector
    """The results of the other benchmark, of which the best counts, as what could be had."""
    benchmark: str
    """The other benchmark."""
    bands: tuple[Band, ...]
    """Bands of the share, the lowest first."""
    metric: str = ""
    """Its metric (empty: the question's)."""


class WaveRule(_Rule, frozen=True, tag="waves"):
    """In which band is the speedup over that of the wave model (`analysis.curves.waves`)?

    The candidate is the whole problem.
    """

    baseline: Selector
    """One unit of work for each thread of one domain, or the whole problem on one thread."""
    unit: str
    """The parameter that counts units of work."""
    bands: tuple[Band, ...]
    """Bands of the ratio, the lowest first."""


class SwitchRule(_Rule, frozen=True, tag="switch"):
    """Where along the axis does a protocol switch, and what does the switch cost?"""

    axis: str
    """The parameter along which the candidates are followed."""
    slower: str = ""
    """Advice where the time jumps up."""
    faster: str = ""
    """Advice where it does not."""
    none: str = ""
    """Advice where one line describes the whole curve."""


class FlatRule(_Rule, frozen=True, tag="flat"):
    """From which value of the axis on is the metric flat?"""

    axis: str
    """The parameter along which the candidates are followed."""
    flat: str = ""
    """Advice where it is flat from a value on."""
    rising: str = ""
    """Advice where it rises at the last value."""
    falling: str = ""
    """Advice where it falls at the last value."""


class ThresholdRule(_Rule, frozen=True, tag="threshold"):
    """From which value of the axis on is the metric at least the bound?"""

    axis: str
    """The parameter along which the candidates are followed."""
    bound: float
    """The bound, in the metric's base unit."""
    reached: str = ""
    """Advice where it is reached up to the last value."""
    never: str = ""
    """Advice where it is reached nowhere."""
    partly: str = ""
    """Advice where it is reached at some values, not at the last."""


class ConsistentRule(_Rule, frozen=True, tag="consistent"):
    """Do all pairs perform the same, and which nodes or links do not?"""

    consistent: str = ""
    """Advice where they do."""
    named: str = ""
    """Advice where nodes or links are shown to be slow."""
    levels: str = ""
    """Advice where pairs fall into several levels."""


class NodesRule(_Rule, frozen=True, tag="nodes"):
    """Is every node as fast as the others, and which are not?"""

    even: str = ""
    """Advice where they are."""
    named: str = ""
    """Advice where nodes are shown to be slow."""
    apart: str = ""
    """Advice where the nodes are two groups."""


class GrowthRule(_Rule, frozen=True, tag="growth"):
    """In which band is the cost of one more of the axis?"""

    axis: str
    """The parameter or layout field along which the candidates are followed."""
    bands: tuple[Band, ...]
    """Bands of the slope, in the metric's base unit, the lowest first."""


Rule = (
    BetterRule
    | CostRule
    | BestRule
    | EfficiencyRule
    | ShareRule
    | WaveRule
    | SwitchRule
    | FlatRule
    | ThresholdRule
    | ConsistentRule
    | NodesRule
    | GrowthRule
)


class PublishedResults(Struct, frozen=True, tag_field="form", tag="results"):
    """The same question, put to the results of a published machine."""

    machine: str
    """ID of the published machine."""
    benchmark: str = ""
    """Benchmark of its results (empty: the question's)."""
    metric: str = ""
    """Metric of its results (empty: the question's)."""
    each: tuple[str, ...] = ()
    """Cases (empty: the question's)."""
    rule: Rule | None = None
    """The rule with the selectors of its results (null: the question's)."""


class PublishedRatio(Struct, frozen=True, tag_field="form", tag="ratio"):
    """A ratio of published numbers that answers the question.

    A number is named `machine/figure`. The ratio is the sum of `over` divided by that of `under`,
    each as often as it says, or the product of `product` divided by that of `per`.
    """

    machine: str
    """ID of the published machine."""
    over: dict[str, float] = field(default_factory=dict)
    """Numbers above the line."""
    under: dict[str, float] = field(default_factory=dict)
    """Numbers below the line."""
    product: tuple[str, ...] = ()
    """Numbers to multiply, instead."""
    per: tuple[str, ...] = ()
    """Numbers to divide that product by."""
    text: str = ""
    """The answer, with `{}` for the ratio (empty: as the question's rule calls that ratio)."""


class PublishedStatement(Struct, frozen=True, tag_field="form", tag="statement"):
    """A statement of a source that answers the question."""

    machine: str
    """ID of the published machine."""
    text: str
    """The statement, with published numbers in braces: `rises from {louhi/...} on`."""
    page: str = ""
    """Where it is printed; of one with numbers these say it."""


PublishedSource = PublishedResults | PublishedRatio | PublishedStatement


class Phase(StrEnum):
    """What the time of a program goes to, as the program marks it."""

    COMPUTE = "compute"
    HALO = "halo"
    COLLECTIVE = "collective"
    REST = "rest"


class CountedParts(Struct, frozen=True):
    """By which metrics of its benchmark a difference between two layouts is explained."""

    shares: dict[Phase, str]
    """The share of each part in the time of the ranks; the rest is what they leave."""
    messages: str
    """Messages with neighbors in one event, of all ranks."""
    imbalance: str
    """The share of its computing that the busiest rank has more than the mean."""


class Question(Struct, frozen=True):
    """A question that results of one metric answer by a rule."""

    text: str
    """The question."""
    benchmark: str
    """The benchmark whose results answer it."""
    metric: str
    """The metric that answers it."""
    rule: Rule
    """How the results answer it."""
    each: tuple[str, ...] = ()
    """A case for every value of these parameters or layout fields, or combination of several."""
    requires: dict[Resource, int] = field(default_factory=dict)
    """What the machine or run must have at least."""
    tested_alone: bool = False
    """Whether its p values are adjusted for its own comparisons alone: it has few launches."""
    leads: bool = False
    """Whether its answer stands before all others: what the run was made to compare."""
    explained_by: CountedParts | None = None
    """What explains its answer, where two layouts of one program are compared."""
    source: str = ""
    """Who asked it first, and what was found there."""
    published: tuple[PublishedSource, ...] = ()
    """What published machines answer, for comparison."""

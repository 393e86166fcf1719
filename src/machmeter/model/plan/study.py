"""What is asked: experiments and the questions they answer, as data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.benchmark import RankSweep, ThreadSweep, Value
from machmeter.model.layout import Binding, ProgressMode, WaitPolicy

LARGEST = "largest"
SMALLEST = "smallest"
SMALLEST_TEAM = "smallest team"
OWN = "own"
OTHER = "other"
NEAREST = "nearest"
FARTHEST = "farthest"
LINKED = "linked"
"""Asks for the OpenMP runtime or allocator that the programs are linked with."""


class Selector(Struct, frozen=True):
    """Picks one estimate: parameters by name, layout fields by name.

    The thread count `0` means: as many as the largest layout measured; the value `"largest"` or
    `"smallest"` of a parameter or a layout field, the largest or smallest measured, and `"smallest
    team"` the smallest measured above 1. Of a pair, `"own"` means both the same place, `"other"`
    two different ones, `"nearest"` and `"farthest"` those two that share the most or the least of
    the topology; of several such pairs the geometric mean is taken. Beside its fields a layout has
    `threads`, those of inner teams included, and `split`, `4 x 2` for four outer threads that lead
    two each. What is named on neither side must be the same on both.
    """

    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)


class Rule(StrEnum):
    """How a question is decided; each is defined in `analysis.rules.answer`."""

    BETTER = "is the candidate better than the baseline"
    BANDS = "in which band lies the cost of the candidate over that of the baseline"
    BEST = "which value of the axes is best among the candidates"
    EFFICIENCY = "in which band lies the speed-up over the baseline, divided by the threads"
    WAVES = "in which band lies the speed-up over that of the wave model"
    SWITCH = "where does the protocol switch as messages grow, and what does it cost"
    FLAT = "from which size on is the figure flat"
    THRESHOLD = "from which value of the axis on does the figure reach the bound"
    CONSISTENT = "are all pairs alike, and who is behind those that are not"
    GROWTH = "what does one more of the axis cost"


class Band(Struct, frozen=True):
    """Ratios from `least` on, up to the next band: what that is called, and what to do."""

    least: float
    name: str
    advice: str = ""


class PublishedSide(Struct, frozen=True):
    """What a published machine says to a question; every number comes from its file.

    With nothing but `machine` the question itself is put to that machine's figures; benchmark,
    metric, candidate, baseline, each: the question's, where figures are printed of others.
    over, under: figures by reference (`machine/figure`), each with the times it counts; the sum of
    the first over that of the second is the ratio that the rule asks for, as is that of all in
    `product` multiplied. words: what is printed, with `{}` for that ratio and figures by reference
    in braces (`rises from {louhi/availability-rises-from} on`).
    """

    machine: str
    benchmark: str = ""
    metric: str = ""
    each: str = ""
    candidate: Selector | None = None
    baseline: Selector | None = None
    over: dict[str, float] = field(default_factory=dict)
    under: dict[str, float] = field(default_factory=dict)
    product: tuple[str, ...] = ()
    words: str = ""


class Question(Struct, frozen=True):
    """A decision rule over estimates of one metric, and the words for each outcome.

    BETTER compares `candidate` with `baseline`; `yes`, `no` and `same` are the advice for each
    outcome, after the verdict and its ratio. BANDS takes the cost of the candidate over that of
    the baseline and names the band it lies in, EFFICIENCY a speed-up over the number of threads,
    that of the best candidate where they differ in `axes` alone (parameters or layout fields).
    BEST names the best of all that `candidate` selects, which differ in `axes` alone; what is as
    good is named with it, the baseline is the usual one, to compare with and to keep where it is
    as good (without one: the worst), and `advice` says what to do by name of the best. WAVES takes
    the candidate as the whole problem; what `baseline` selects has one unit for each thread of one
    domain, counted by the parameter that `axes` names, or the whole problem on one thread. SWITCH,
    FLAT and GROWTH follow what `candidate` selects along the one of `axes`; THRESHOLD names the
    first value of the axis from which on the figure is at least `bound`. CONSISTENT takes all
    pairs that `candidate` selects.

    each: the rule is applied to every value of that parameter or layout field by itself; of
    several, with commas between, to every combination.
    needs: the least that a machine must have for the question to be asked of it, by the name of a
    fact (`run.results.findings.facts_of`); undecided: what it lacks otherwise. bands_of_one_domain:
    what `bands` are on a machine of one NUMA domain, if something else. alone: asked of a few
    launches only, so that its p values are not adjusted for what else is asked. source: who asked
    it first, and what was found there; published: what published machines say to it, to be set
    beside.
    """

    text: str
    benchmark: str
    metric: str
    candidate: Selector
    baseline: Selector | None = None
    yes: str = ""
    no: str = ""
    same: str = ""
    source: str = ""
    rule: Rule = Rule.BETTER
    axes: tuple[str, ...] = ()
    each: str = ""
    bands: tuple[Band, ...] = ()
    advice: dict[str, str] = field(default_factory=dict)
    undecided: str = ""
    needs: dict[str, int] = field(default_factory=dict)
    bands_of_one_domain: tuple[Band, ...] = ()
    alone: bool = False
    bound: float = 0.0
    published: tuple[PublishedSide, ...] = ()


class Experiment(Struct, frozen=True):
    """A benchmark over parameters and layouts; what is empty or None takes the benchmark's own.

    threads, bindings, wait_policies, pages, runtimes, allocators, ranks, progress, packages: as the
    sweeps of `model.benchmark.Benchmark`; mpis: under each of several MPI libraries, not the first
    alone; one_node: on one node alone, where several were named; seconds_per_point: time cap of one
    point in one launch, seconds (0 = the benchmark's own); most_launches: launches after which no
    more are made (0 = as the precision asks).
    """

    benchmark: str
    parameters: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    threads: ThreadSweep | None = None
    bindings: tuple[Binding, ...] = ()
    wait_policies: tuple[WaitPolicy, ...] = ()
    pages: bool | None = None
    runtimes: bool | None = None
    allocators: bool | None = None
    ranks: RankSweep | None = None
    progress: tuple[ProgressMode, ...] = ()
    packages: bool | None = None
    mpis: bool = True
    one_node: bool = False
    seconds_per_point: float = 0.0
    most_launches: int = 0


class Study(Struct, frozen=True):
    """A named list of experiments and the questions asked of them.

    budget_seconds: time for measuring unless another is asked for, seconds; mpis: the MPI libraries
    it is measured under unless others are asked for (empty: the embedded default).
    """

    name: str
    title: str
    summary: str
    experiments: tuple[Experiment, ...]
    questions: tuple[Question, ...] = ()
    budget_seconds: float = 300.0
    mpis: tuple[str, ...] = ()


class LayoutOptions(Struct, frozen=True):
    """Layout options of the command line; None or empty means the benchmark's own sweep.

    rank_counts: over all nodes; nodes: how many of the hosts; hosts: their names, this machine's
    first (empty: this machine alone); agent: what starts a process on another host, instead of ssh;
    by_slurm: the hosts are those of the Slurm job around us;
    mpis: names of several MPI libraries (empty: there is but one).
    """

    rank_counts: tuple[int, ...] = ()
    nodes: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    agent: str = ""
    by_slurm: bool = False
    mpis: tuple[str, ...] = ()
    progress: tuple[ProgressMode, ...] = ()
    threads: tuple[int, ...] = ()
    smt: int = 1
    reserved_cores: int = 0
    bindings: tuple[Binding, ...] = ()
    page_bytes: tuple[int, ...] = ()
    wait_policies: tuple[WaitPolicy, ...] = ()
    openmp: tuple[str, ...] = ()
    allocators: tuple[str, ...] = ()
    oversubscribe: bool = False

"""Benchmarks of OpenMP threads."""

from __future__ import annotations

from machmeter.benchmarks.memory.access import MEMORY_ACCESS
from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    ChartKind,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
    TableKind,
)
from machmeter.model.layout import Binding, WaitPolicy
from machmeter.model.units import SECONDS

CONSTRUCTS = (
    "parallel",
    "for",
    "parallel-for",
    "barrier",
    "reduction",
    "single",
    "critical",
    "lock",
    "ordered",
    "atomic",
    "task",
    "taskwait",
    "taskloop",
)
ARRAY_CLAUSES = ("private", "firstprivate", "copyin", "copyprivate")
ARRAY_SIZES = (8, 512, 8192, 131072)
SCHEDULES = ("static", "dynamic", "guided", "auto")
PROTOCOLS = ("compare-and-swap", "one-line", "two-lines")

_ALL_POLICIES = (WaitPolicy.ACTIVE, WaitPolicy.DEFAULT, WaitPolicy.PASSIVE)


def _overhead(title: str) -> Metric:
    return Metric(
        "overhead",
        title,
        SECONDS,
        Direction.LOWER,
        Formula.OVERHEAD,
        series=("test", "reference"),
    )


SYNC = Benchmark(
    name="threads.sync",
    title="Cost of OpenMP constructs",
    subject=Subject.OPENMP,
    summary="Overhead of one construct: the same work with and without it, paired in turn "
    "(after Bull, EWOMP 1999, with pairs in place of one reference). lock, critical, ordered and "
    "atomic by passage of one thread; task and taskwait by task of each thread, taskwait with its "
    "creation; taskloop by loop of one task a thread.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "construct",
            ParameterKind.CHOICE,
            CONSTRUCTS,
            "the OpenMP construct",
            choices=CONSTRUCTS,
        ),
    ),
    metrics=(_overhead("Overhead"),),
    display=Display(
        headlines=(
            Headline(
                title="OpenMP {construct}, {wait_policy}",
                select=Selection(
                    prefer=(("construct", "barrier"),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.USUAL),
                ),
                by="wait policy",
                hide=("construct",),
            ),
        ),
        yardsticks=(MEMORY_ACCESS,),
        charts=(ChartKind.CONSTRUCTS,),
    ),
    seconds_per_point=0.04,
    threads=ThreadSweep.POWERS,
    wait_policies=_ALL_POLICIES,
)

ARRAYS = Benchmark(
    name="threads.arrays",
    title="Cost of array clauses",
    subject=Subject.OPENMP,
    summary="Overhead of a clause that gives every thread its own copy of an array, by clause and "
    "size: a parallel region (copyprivate: a single) with it over the same without it "
    "(after EPCC arraybench).",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "clause",
            ParameterKind.CHOICE,
            ARRAY_CLAUSES,
            "the data-sharing clause",
            choices=ARRAY_CLAUSES,
        ),
        Parameter(
            "size",
            ParameterKind.SIZE,
            ARRAY_SIZES,
            "bytes of the array; it is known when the clause is compiled",
            choices=tuple(map(str, ARRAY_SIZES)),
        ),
    ),
    metrics=(_overhead("Overhead"),),
    display=Display(
        headlines=(
            Headline(
                title="Private copy of an array",
                select=Selection(
                    prefer=(("clause", "firstprivate"),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.USUAL),
                    largest=("size",),
                ),
            ),
        ),
        charts=(ChartKind.ARRAY_CLAUSES,),
    ),
    seconds_per_point=0.03,
    threads=ThreadSweep.ENDS,
)

SCHEDULE = Benchmark(
    name="threads.schedule",
    title="Cost of loop schedules",
    subject=Subject.OPENMP,
    summary="What it costs a thread to be handed one iteration of a worksharing loop, by schedule "
    "and chunk size, over the same iterations shared out by hand (after EPCC schedbench).",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "schedule",
            ParameterKind.CHOICE,
            SCHEDULES,
            "the schedule clause",
            choices=SCHEDULES,
        ),
        Parameter(
            "chunk",
            ParameterKind.COUNT,
            (0, 1, 8, 64),
            "iterations handed out at once; 0 leaves the chunk out of the clause",
            maximum=1024,
        ),
    ),
    metrics=(_overhead("Overhead of one iteration"),),
    display=Display(
        headlines=(
            Headline(
                title="Loop iteration, {schedule}",
                select=Selection(
                    prefer=(("chunk", 1),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.USUAL),
                ),
                by="schedule",
                values=("static", "dynamic"),
                hide=("schedule",),
            ),
        ),
        charts=(ChartKind.SCHEDULES,),
    ),
    seconds_per_point=0.03,
    threads=ThreadSweep.ENDS,
    skips=tuple((("schedule", "auto"), ("chunk", chunk)) for chunk in (1, 8, 64)),
)

NESTED = Benchmark(
    name="threads.nested",
    title="Cost of nested parallel regions",
    subject=Subject.OPENMP,
    summary="Overhead of an inner parallel region and of a barrier of its team, for every split of "
    "the cores into outer and inner teams, bound and not.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "construct",
            ParameterKind.CHOICE,
            ("inner-parallel", "inner-barrier"),
            "what the inner teams do",
            choices=("inner-parallel", "inner-barrier"),
        ),
    ),
    metrics=(_overhead("Overhead"),),
    display=Display(
        headlines=(
            Headline(
                title="Inner region, linked runtime",
                select=Selection(
                    prefer=(("construct", "inner-parallel"),),
                    layouts=(
                        LayoutFilter.MOST_THREADS,
                        LayoutFilter.NESTED,
                        LayoutFilter.LINKED_RUNTIME,
                        LayoutFilter.USUAL,
                    ),
                ),
                hide=("construct",),
            ),
            Headline(
                title="Inner region, fastest",
                select=Selection(
                    prefer=(("construct", "inner-parallel"),),
                    layouts=(LayoutFilter.MOST_THREADS, LayoutFilter.NESTED),
                ),
                pick=Pick.BEST,
                hide=("construct",),
            ),
        ),
        charts=(ChartKind.NESTED_REGIONS,),
    ),
    seconds_per_point=0.04,
    threads=ThreadSweep.SPLITS,
    bindings=(Binding.NONE, Binding.OUTER, Binding.SPREAD),
    sweep_runtimes=True,
)

PAIRS = Benchmark(
    name="threads.pairs",
    title="Core to core",
    summary="Time for a word to pass from one core to another, by pair of cores and by protocol.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "pair",
            ParameterKind.PAIR,
            (AUTO,),
            "the two CPUs, 0-1; the first allocates the lines; auto covers the topology",
            auto=AutoRule.PAIRS,
            phrase="pair {}",
        ),
        Parameter(
            "protocol",
            ParameterKind.CHOICE,
            PROTOCOLS,
            "compare-and-swap on one line; loads and stores on one line, or on a line each way",
            choices=PROTOCOLS,
        ),
    ),
    metrics=(Metric("one_way", "One-way time", SECONDS, Direction.LOWER, Formula.TIME),),
    display=Display(
        headlines=(
            Headline(
                title="Core to core, {place}",
                select=Selection(prefer=(("protocol", PROTOCOLS[0]),)),
                pick=Pick.NEAREST_AND_FARTHEST,
            ),
        ),
        yardsticks=(MEMORY_ACCESS,),
        charts=(ChartKind.CORE_PAIRS,),
        tables=(TableKind.CORE_PAIRS,),
    ),
    seconds_per_point=0.02,
    threads=ThreadSweep.ALL,
    wait_policies=(WaitPolicy.PASSIVE,),
    least_threads=2,
)

THREADS = (SYNC, ARRAYS, SCHEDULE, NESTED, PAIRS)

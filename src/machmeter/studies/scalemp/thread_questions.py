"""Questions of study `scalemp` about threads, schedules and nested teams.

Bounds of bands are machmeter's own, unless said.
"""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.plan.study import (
    LARGEST,
    SMALLEST_TEAM,
    Band,
    PublishedSide,
    Question,
    Rule,
    Selector,
)

_PAPER = "Schmidl et al. 2010"
_SCALEMP = (PublishedSide("scalemp"),)
_TWO_CORES = "it takes two cores"
_CORES = {"cores": 2}
_NEAR: dict[str, Value] = {"binding": "close", "threads_per_rank": 2, "wait_policy": "active"}
_FAR: dict[str, Value] = _NEAR | {"binding": "spread"}
_WAITING: dict[str, Value] = {"wait_policy": "active", "binding": "close"}
_BOUND: dict[str, Value] = {"binding": "spread"}
_FREE: dict[str, Value] = {"binding": "none"}
_DERIVATIVES: dict[str, Value] = {"derivatives": LARGEST, "arrays": "slices"}
_MOST_TEAMS: dict[str, Value] = {"inner_threads": SMALLEST_TEAM}
_OUTER_ONLY: dict[str, Value] = {"threads_per_rank": 0, "inner_threads": 1, **_BOUND}

_SYNCHRONIZATION = (
    Question(
        text="What does synchronization cost between far threads over near ones?",
        benchmark="threads.sync",
        metric="overhead",
        rule=Rule.BANDS,
        candidate=Selector(layout=_FAR),
        baseline=Selector(layout=_NEAR),
        each="construct",
        # 10 as the bound of "fewer, larger regions" suits the paper's 157 to 451.
        bands=(
            Band(0.0, "as little", "synchronize across domains as within"),
            Band(1.3, "more", "keep teams that synchronize often within a domain"),
            Band(10.0, "far more", "fewer, larger parallel regions; leave out barriers (nowait)"),
        ),
        undecided="any two of its cores are equally near",
        needs={"two_placed": 2},
        source=f"{_PAPER}: two threads on two boards over two on one",
        published=_SCALEMP,
    ),
    Question(
        text="What does synchronization cost with all cores over two?",
        benchmark="threads.sync",
        metric="overhead",
        rule=Rule.BANDS,
        candidate=Selector(layout={"threads_per_rank": 0, "wait_policy": "active"}),
        baseline=Selector(layout={"threads_per_rank": 2, "wait_policy": "active"}),
        each="construct",
        bands=(
            Band(0.0, "hardly more", "synchronize at any thread count"),
            Band(2.0, "more", "as few synchronizations as possible at high thread counts"),
            Band(20.0, "far more", "fewer, larger parallel regions; leave out barriers (nowait)"),
        ),
        undecided="it takes more than two cores",
        needs={"cores": 3},
        source=f"{_PAPER}: from two threads to all cores, on ScaleMP and on a plain machine",
        published=tuple(
            PublishedSide(
                name,
                candidate=Selector(layout={"threads_per_rank": 0, "binding": binding}),
                baseline=Selector(layout={"threads_per_rank": 2, "binding": binding}),
            )
            for name, binding in (("scalemp", "close"), ("tigerton", "none"))
        ),
    ),
)

_SCHEDULES = (
    Question(
        text="Which schedule does a sparse matrix want?",
        benchmark="sparse.spmv",
        metric="flops",
        rule=Rule.BEST,
        candidate=Selector(layout={"threads_per_rank": 0}),
        baseline=Selector({"schedule": "static"}),
        axes=("schedule",),
        each="matrix",
        advice={
            "balanced": "partition by nonzeros beforehand, and let owners touch their part first",
            "guided": "balance at run time",
            "dynamic": "balance at run time",
            "static": "leave the schedule as it is",
        },
        undecided=_TWO_CORES,
        needs=_CORES,
        source=f"{_PAPER}: guided was bad on ScaleMP and good on the plain machine",
        published=(
            PublishedSide(
                "scalemp",
                words="a sorted, precomputed schedule made it {scalemp/smxv-sorted} as fast as the "
                "plain machine",
            ),
        ),
    ),
    Question(
        text="What do small chunks of a dynamic schedule cost?",
        benchmark="threads.schedule",
        metric="overhead",
        rule=Rule.BANDS,
        candidate=Selector({"schedule": "dynamic", "chunk": 1}, {"threads_per_rank": 0}),
        baseline=Selector({"schedule": "dynamic", "chunk": 64}, {"threads_per_rank": 0}),
        bands=(
            Band(0.0, "little", "take the chunk that balances best"),
            Band(3.0, "much", "hand out tens of iterations at once"),
            Band(30.0, "very much", "hand out hundreds of iterations at once"),
        ),
        undecided=_TWO_CORES,
        needs=_CORES,
    ),
)

_NESTING = (
    Question(
        text="Which OpenMP runtime for inner parallel regions?",
        benchmark="threads.nested",
        metric="overhead",
        rule=Rule.BEST,
        candidate=Selector({"construct": "inner-parallel"}, {"inner_threads": LARGEST, **_BOUND}),
        baseline=Selector(layout={"openmp": "libgomp"}),
        axes=("openmp",),
        yes="run nested programs with it",
        undecided="it has one OpenMP runtime only, or one core",
        needs={"runtimes": 2, "cores": 2},
    ),
    Question(
        text="Do inner parallel regions gain from bound inner teams?",
        benchmark="threads.nested",
        metric="overhead",
        candidate=Selector({"construct": "inner-parallel"}, {"inner_threads": LARGEST, **_BOUND}),
        baseline=Selector({"construct": "inner-parallel"}, {"inner_threads": LARGEST, **_FREE}),
        each="openmp",
        yes="bind both levels: OMP_PROC_BIND=spread,close",
        no="leave them to the system here",
        same="bind where runs must repeat",
        undecided=_TWO_CORES,
        needs=_CORES,
        source=f"{_PAPER}: bind by hand, for OpenMP 3.0 could not (4.0 can)",
    ),
    Question(
        text="Do inner parallel regions gain from bound teams where all outer threads lead one?",
        benchmark="threads.nested",
        metric="overhead",
        candidate=Selector({"construct": "inner-parallel"}, _MOST_TEAMS | _BOUND),
        baseline=Selector({"construct": "inner-parallel"}, _MOST_TEAMS | _FREE),
        each="openmp",
        yes="bind both levels: OMP_PROC_BIND=spread,close",
        no="leave them to the system here",
        same="bind where runs must repeat",
        undecided="it takes four cores",
        needs={"cores": 4},
    ),
)


def _split_questions(
    benchmark: str, what: str, parameters: dict[str, Value], source: str, printed: str
) -> tuple[Question, ...]:
    """Which split of the cores is best, and whether binding it pays."""
    every: dict[str, Value] = {"threads": 0}
    return (
        Question(
            text=f"Which split of the cores (outer x inner) for {what}?",
            benchmark=benchmark,
            metric="time",
            rule=Rule.BEST,
            candidate=Selector(parameters, every | _BOUND),
            axes=("split",),
            yes="set OMP_NUM_THREADS so, and OMP_PROC_BIND=spread,close",
            undecided=_TWO_CORES,
            needs=_CORES,
            source=source,
            published=(PublishedSide("scalemp", words=printed),),
        ),
        Question(
            text=f"Does binding both levels pay for {what}?",
            benchmark=benchmark,
            metric="time",
            candidate=Selector(parameters, every | _BOUND),
            baseline=Selector(parameters, every | _FREE),
            each="split",
            yes="bind: OMP_PROC_BIND=spread,close",
            no="leave threads to the system here",
            same="bind where runs must repeat",
            undecided=_TWO_CORES,
            needs=_CORES,
            source=f"{_PAPER}: bind outer and inner teams by hand",
        ),
    )


_APPLICATIONS = (
    *_split_questions(
        "apps.retrieval",
        "image retrieval",
        {},
        f"{_PAPER}: nested, 18 queries on the outer level",
        "{scalemp/fire-speed-up} on {scalemp/cores} cores, nested",
    ),
    *_split_questions(
        "apps.heatflow",
        "independent derivatives",
        _DERIVATIVES,
        f"{_PAPER}: the best of all splits",
        "{scalemp/shemat-best} on {scalemp/cores} cores",
    ),
    Question(
        text="Should private arrays be slices of one array?",
        benchmark="apps.heatflow",
        metric="time",
        candidate=Selector({"derivatives": LARGEST, "arrays": "slices"}, _OUTER_ONLY),
        baseline=Selector({"derivatives": LARGEST, "arrays": "inside"}, _OUTER_ONLY),
        yes="allocate one array beforehand, and give each thread a slice",
        no="allocate inside the parallel region",
        same="allocate where it suits the program",
        undecided=_TWO_CORES,
        needs=_CORES,
        source=f"{_PAPER}: making private arrays in parallel regions was the bottleneck",
    ),
    Question(
        text="How near is the speed-up to the wave model?",
        benchmark="apps.heatflow",
        metric="time",
        rule=Rule.WAVES,
        candidate=Selector(_DERIVATIVES, _OUTER_ONLY),
        baseline=Selector({"arrays": "slices"}, {"inner_threads": 1}),
        axes=("derivatives",),
        bands=(
            Band(0.0, "far below it", "look for overhead beyond the waves: placement, allocation"),
            Band(0.9, "at it", "stop tuning: only units that fill the waves, or faster ones, help"),
            Band(1.1, "above it", "the model's single waves were measured under worse conditions"),
        ),
        undecided=_TWO_CORES,
        needs=_CORES,
        source=f"{_PAPER}: a board is slower when all of it computes, for memory limits",
        published=_SCALEMP,
    ),
    Question(
        text="What share of the cores does image retrieval make use of?",
        benchmark="apps.retrieval",
        metric="time",
        rule=Rule.EFFICIENCY,
        # 18 queries cannot fill 104 outer threads: the split that is best counts.
        candidate=Selector(layout={"threads": 0, **_BOUND}),
        baseline=Selector(layout={"threads_per_rank": 1, "inner_threads": 1, "binding": "close"}),
        axes=("split",),
        bands=(
            Band(0.0, "less than half", "see what limits: memory, or teams that wait for others"),
            Band(0.5, "most", "let the outer teams be a divisor of the queries"),
            Band(0.9, "nearly all", "cores limit: use them all"),
        ),
        undecided=_TWO_CORES,
        needs=_CORES,
        source=f"{_PAPER}: the speed-up of image retrieval over the cores",
        published=(
            PublishedSide("scalemp", over={"scalemp/fire-speed-up": 1}, under={"scalemp/cores": 1}),
        ),
    ),
)

THREAD_QUESTIONS = (*_SYNCHRONIZATION, *_SCHEDULES, *_NESTING, *_APPLICATIONS)

"""Questions of study `scalemp` about threads, schedules and nested teams.

Bounds of bands are machmeter's own, unless stated.
"""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST_TEAM,
    Band,
    BestRule,
    BetterRule,
    CostRule,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    WaveRule,
)

_PAPER = "Schmidl et al. 2010"
_SCALEMP = (PublishedResults("scalemp"),)
_CORES = {Resource.CORES: 2}
_NEAR: dict[str, Value] = {"binding": "close", "threads_per_rank": 2, "wait_policy": "active"}
_FAR: dict[str, Value] = _NEAR | {"binding": "spread"}
_BOUND: dict[str, Value] = {"binding": "spread"}
_FREE: dict[str, Value] = {"binding": "none"}
_DERIVATIVES: dict[str, Value] = {"derivatives": LARGEST, "arrays": "slices"}
_OUTER_ONLY: dict[str, Value] = {"threads_per_rank": 0, "inner_threads": 1, **_BOUND}
_BIND_BOTH = "bind both levels: OMP_PROC_BIND=spread,close"
_FEWER = "use fewer, larger parallel regions; omit barriers (nowait)"

_OF_ALL_CORES = CostRule(
    Selector(layout={"threads_per_rank": 0, "wait_policy": "active"}),
    Selector(layout={"threads_per_rank": 2, "wait_policy": "active"}),
    (
        Band(0.0, "hardly more", "synchronize at any thread count"),
        Band(2.0, "more", "synchronize rarely at high thread counts"),
        Band(20.0, "far more", _FEWER),
    ),
)


def _bound_teams(binding: str) -> CostRule:
    """Of machines whose teams of all cores were bound so."""
    return replace(
        _OF_ALL_CORES,
        candidate=Selector(layout={"threads_per_rank": 0, "binding": binding}),
        baseline=Selector(layout={"threads_per_rank": 2, "binding": binding}),
    )


_SYNCHRONIZATION = (
    Question(
        text="How much more does synchronization cost between distant threads than near ones?",
        benchmark="threads.sync",
        metric="overhead",
        rule=CostRule(
            Selector(layout=_FAR),
            Selector(layout=_NEAR),
            # 10 as the bound of "far more" suits the paper's 157 to 451.
            (
                Band(0.0, "no more", "synchronize across domains as within"),
                Band(1.3, "more", "keep teams that synchronize often within a domain"),
                Band(10.0, "far more", _FEWER),
            ),
        ),
        each=("construct",),
        requires={Resource.PAIR_PLACEMENTS: 2},
        source=f"{_PAPER}: two threads on two boards over two on one",
        published=_SCALEMP,
    ),
    Question(
        text="How much more does synchronization cost on all cores than on two?",
        benchmark="threads.sync",
        metric="overhead",
        rule=_OF_ALL_CORES,
        each=("construct",),
        requires={Resource.CORES: 3},
        source=f"{_PAPER}: from two threads to all cores, on ScaleMP and on a plain machine",
        published=(
            PublishedResults("scalemp", rule=_bound_teams("close")),
            PublishedResults("tigerton", rule=_bound_teams("none")),
        ),
    ),
)

_SCHEDULES = (
    Question(
        text="Which schedule is fastest for sparse matrices?",
        benchmark="sparse.spmv",
        metric="flops",
        rule=BestRule(
            Selector(layout={"threads_per_rank": 0}),
            ("schedule",),
            Selector({"schedule": "static"}),
            advice={
                "balanced": "partition by nonzeros beforehand, and let owners initialize their "
                "part",
                "guided": "balance at run time",
                "dynamic": "balance at run time",
                "static": "keep the static schedule",
            },
        ),
        each=("matrix",),
        requires=_CORES,
        source=f"{_PAPER}: guided was bad on ScaleMP and good on the plain machine",
        published=(
            PublishedStatement(
                "scalemp",
                "a sorted, precomputed schedule made it {scalemp/smxv-sorted} as fast as the plain "
                "machine",
            ),
        ),
    ),
    Question(
        text="How much do small chunks of a dynamic schedule cost?",
        benchmark="threads.schedule",
        metric="overhead",
        rule=CostRule(
            Selector({"schedule": "dynamic", "chunk": 1}, {"threads_per_rank": 0}),
            Selector({"schedule": "dynamic", "chunk": 64}, {"threads_per_rank": 0}),
            (
                Band(0.0, "little", "use the chunk that balances best"),
                Band(3.0, "much", "use chunks of tens of iterations"),
                Band(30.0, "very much", "use chunks of hundreds of iterations"),
            ),
        ),
        requires=_CORES,
    ),
)


def _inner_regions(text: str, inner: Value, cores: int, source: str = "") -> Question:
    """Whether binding makes inner parallel regions faster."""
    regions: dict[str, Value] = {"construct": "inner-parallel"}
    return Question(
        text=text,
        benchmark="threads.nested",
        metric="overhead",
        rule=BetterRule(
            Selector(regions, {"inner_threads": inner, **_BOUND}),
            Selector(regions, {"inner_threads": inner, **_FREE}),
            yes=_BIND_BOTH,
            settings=("OMP_PROC_BIND=spread,close", "OMP_PLACES=cores"),
            no="leave threads unbound here",
            same="bind where runs must be repeatable",
        ),
        each=("openmp",),
        requires={Resource.CORES: cores},
        source=source,
    )


_NESTING = (
    Question(
        text="Which OpenMP runtime is fastest for inner parallel regions?",
        benchmark="threads.nested",
        metric="overhead",
        rule=BestRule(
            Selector({"construct": "inner-parallel"}, {"inner_threads": LARGEST, **_BOUND}),
            ("openmp",),
            Selector(layout={"openmp": "libgomp"}),
            otherwise="run nested programs with it",
        ),
        requires={Resource.OPENMP_RUNTIMES: 2, **_CORES},
    ),
    _inner_regions(
        "Does binding inner teams make inner parallel regions faster?",
        LARGEST,
        2,
        f"{_PAPER}: bind by hand, for OpenMP 3.0 could not (4.0 can)",
    ),
    _inner_regions(
        "Does binding make inner parallel regions faster when every outer thread leads one?",
        SMALLEST_TEAM,
        4,
    ),
)


def _split_questions(
    benchmark: str, what: str, parameters: dict[str, Value], source: str, printed: str
) -> tuple[Question, ...]:
    """Which split of the cores is best, and whether binding it is faster."""
    every: dict[str, Value] = {"threads": 0}
    bound = Selector(parameters, every | _BOUND)
    return (
        Question(
            text=f"Which split of the cores (outer x inner threads) is fastest for {what}?",
            benchmark=benchmark,
            metric="time",
            rule=BestRule(
                bound,
                ("split",),
                otherwise="set OMP_NUM_THREADS accordingly, and OMP_PROC_BIND=spread,close",
            ),
            requires=_CORES,
            source=source,
            published=(PublishedStatement("scalemp", printed),),
        ),
        Question(
            text=f"Does binding both levels of threads speed up {what}?",
            benchmark=benchmark,
            metric="time",
            rule=BetterRule(
                bound,
                Selector(parameters, every | _FREE),
                yes=_BIND_BOTH,
                settings=("OMP_PROC_BIND=spread,close", "OMP_PLACES=cores"),
                no="leave threads unbound here",
                same="bind where runs must be repeatable",
            ),
            each=("split",),
            requires=_CORES,
            source=f"{_PAPER}: bind outer and inner teams by hand",
        ),
    )


_APPLICATIONS = (
    *_split_questions(
        "apps.retrieval",
        "image retrieval",
        {},
        f"{_PAPER}: nested, 18 queries on the outer level",
        "{scalemp/fire-speedup} on {scalemp/cores} cores, nested",
    ),
    *_split_questions(
        "apps.heatflow",
        "independent derivatives",
        _DERIVATIVES,
        f"{_PAPER}: the best of all splits",
        "{scalemp/shemat-best} on {scalemp/cores} cores",
    ),
    Question(
        text="Are private arrays faster as slices of one array?",
        benchmark="apps.heatflow",
        metric="time",
        rule=BetterRule(
            Selector({"derivatives": LARGEST, "arrays": "slices"}, _OUTER_ONLY),
            Selector({"derivatives": LARGEST, "arrays": "inside"}, _OUTER_ONLY),
            yes="allocate one array beforehand, and give each thread a slice",
            no="allocate inside the parallel region",
            same="allocate where it suits the program",
        ),
        requires=_CORES,
        source=f"{_PAPER}: making private arrays in parallel regions was the bottleneck",
    ),
    Question(
        text="How close is the speedup to the wave model?",
        benchmark="apps.heatflow",
        metric="time",
        rule=WaveRule(
            Selector(_DERIVATIVES, _OUTER_ONLY),
            Selector({"arrays": "slices"}, {"inner_threads": 1}),
            "derivatives",
            (
                Band(0.0, "far below", "look for other overhead: placement, allocation"),
                Band(0.9, "at the model", "only better filled waves or faster units will help"),
                Band(1.1, "above", "the model's single waves were measured in worse conditions"),
            ),
        ),
        requires=_CORES,
        source=f"{_PAPER}: a board is slower when all of it computes, for memory limits",
        published=_SCALEMP,
    ),
    Question(
        text="What share of the cores does image retrieval use?",
        benchmark="apps.retrieval",
        metric="time",
        rule=EfficiencyRule(
            # 18 queries cannot fill 104 outer threads: the split that is best counts.
            Selector(layout={"threads": 0, **_BOUND}),
            Selector(layout={"threads_per_rank": 1, "inner_threads": 1, "binding": "close"}),
            (
                Band(0.0, "less than half", "find the limit: memory, or teams that wait"),
                Band(0.5, "most", "use a number of outer teams that divides the queries"),
                Band(0.9, "nearly all", "cores are the limit: use them all"),
            ),
            ("split",),
        ),
        requires=_CORES,
        source=f"{_PAPER}: the speedup of image retrieval over the cores",
        published=(
            PublishedRatio("scalemp", over={"scalemp/fire-speedup": 1}, under={"scalemp/cores": 1}),
        ),
    ),
)

THREAD_QUESTIONS = (*_SYNCHRONIZATION, *_SCHEDULES, *_NESTING, *_APPLICATIONS)

"""Study `quick`: an overview of one machine in two minutes."""

from __future__ import annotations

from machmeter.model.benchmark import ThreadSweep, Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    BetterRule,
    Question,
    Resource,
    Selector,
)
from machmeter.model.plan.study import Experiment, Study

_TRIAD: dict[str, Value] = {"kernel": "triad", "stores": "nontemporal"}
_ALL_LARGEST_PAGES: dict[str, Value] = {"threads_per_rank": 0, "page_bytes": LARGEST}


def _waiting(policy: str) -> dict[str, Value]:
    return {"threads_per_rank": 0, "wait_policy": policy}


QUICK = Study(
    name="quick",
    title="How fast is this machine?",
    summary="Peak floating-point rate, matrix product, memory bandwidth and latency, OpenMP "
    "overheads, and MPI latency, bandwidth and overlap between two ranks, in two minutes.",
    experiments=(
        Experiment(
            "compute.fma",
            {"precision": ("double",)},
            threads=ThreadSweep.ENDS,
            bindings=(Binding.CLOSE,),
            seconds_per_point=0.03,
        ),
        Experiment(
            "compute.gemm",
            {"precision": ("double",), "order": (1024,)},
            threads=ThreadSweep.ALL,
            seconds_per_point=0.03,
        ),
        Experiment(
            "memory.stream",
            {
                "kernel": ("triad", "read", "write"),
                "stores": ("temporal", "nontemporal"),
            },
            threads=ThreadSweep.ENDS,
            seconds_per_point=0.06,
        ),
        Experiment("memory.latency", seconds_per_point=0.008),
        Experiment(
            "threads.sync",
            {"construct": ("parallel", "for", "barrier", "reduction", "single", "critical")},
            threads=ThreadSweep.ENDS,
            seconds_per_point=0.03,
        ),
        Experiment(
            "network.latency",
            {"size": (0, 8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304)},
            seconds_per_point=0.02,
        ),
        Experiment(
            "network.bandwidth",
            {"size": (8, 1024, 16384, 131072, 1048576)},
            seconds_per_point=0.02,
        ),
        Experiment("network.overlap", {"size": (16384, 65536, 1048576)}, seconds_per_point=0.03),
    ),
    budget_seconds=120.0,
    questions=(
        Question(
            text="Do huge pages improve streaming bandwidth?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            rule=BetterRule(
                Selector(_TRIAD, _ALL_LARGEST_PAGES),
                Selector(_TRIAD, {"threads_per_rank": 0, "page_bytes": SMALLEST}),
                yes="request huge pages with madvise for streaming access",
                by_default=Resource.HUGE_PAGES_BY_DEFAULT,
                yes_by_default="keep transparent huge pages at `always` for streaming access",
                no="keep base pages for streaming access",
            ),
        ),
        Question(
            text="Do huge pages reduce the latency of random access?",
            benchmark="memory.latency",
            metric="latency",
            rule=BetterRule(
                Selector({"size": LARGEST}, {"page_bytes": LARGEST}),
                Selector({"size": LARGEST}, {"page_bytes": SMALLEST}),
                yes="request huge pages with madvise for random access",
                by_default=Resource.HUGE_PAGES_BY_DEFAULT,
                yes_by_default="keep transparent huge pages at `always` for random access",
                no="keep base pages for random access",
            ),
        ),
        Question(
            text="Do non-temporal stores improve bandwidth?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            rule=BetterRule(
                Selector(_TRIAD, _ALL_LARGEST_PAGES),
                Selector({"kernel": "triad", "stores": "temporal"}, _ALL_LARGEST_PAGES),
                yes="use non-temporal stores for arrays that are not read again soon",
                no="use regular stores",
            ),
        ),
        Question(
            text="Does bandwidth scale beyond one core?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            rule=BetterRule(
                Selector(_TRIAD, _ALL_LARGEST_PAGES),
                Selector(_TRIAD, {"threads_per_rank": 1, "page_bytes": LARGEST}),
                yes="use all cores for streaming access: one does not saturate the memory bus",
                no="use fewer threads for streaming access: bandwidth drops",
                same="use one core for streaming access: it saturates the memory bus",
            ),
        ),
        Question(
            text="Does active waiting make parallel regions faster than the default?",
            benchmark="threads.sync",
            metric="overhead",
            rule=BetterRule(
                Selector({"construct": "parallel"}, _waiting("active")),
                Selector({"construct": "parallel"}, _waiting("default")),
                yes="set OMP_WAIT_POLICY=active where every thread has its own core",
                no_where_set="unset OMP_WAIT_POLICY",
                same="leave OMP_WAIT_POLICY unset: active waiting gains nothing",
                settings=("OMP_WAIT_POLICY=active",),
            ),
        ),
        Question(
            text="Does passive waiting make parallel regions faster than the default?",
            benchmark="threads.sync",
            metric="overhead",
            rule=BetterRule(
                Selector({"construct": "parallel"}, _waiting("passive")),
                Selector({"construct": "parallel"}, _waiting("default")),
                yes="set OMP_WAIT_POLICY=passive",
                no_where_set="unset OMP_WAIT_POLICY",
                same="leave OMP_WAIT_POLICY unset: passive waiting gains nothing",
                settings=("OMP_WAIT_POLICY=passive",),
            ),
        ),
    ),
)

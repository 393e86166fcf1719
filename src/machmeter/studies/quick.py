"""Study `quick`: what a machine is worth, in two minutes."""

from __future__ import annotations

from machmeter.model.benchmark import ThreadSweep, Value
from machmeter.model.plan.study import LARGEST, SMALLEST, Experiment, Question, Selector, Study

_TRIAD: dict[str, Value] = {"kernel": "triad", "stores": "nontemporal"}
_ALL_LARGEST_PAGES: dict[str, Value] = {"threads_per_rank": 0, "page_bytes": LARGEST}

QUICK = Study(
    name="quick",
    title="What is this machine worth?",
    summary="Memory bandwidth and latency, cost of OpenMP constructs, MPI latency, bandwidth and "
    "overlap between two ranks, in two minutes.",
    experiments=(
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
    budget_seconds=110.0,
    questions=(
        Question(
            text="Do huge pages pay when memory is swept through?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            candidate=Selector(_TRIAD, _ALL_LARGEST_PAGES),
            baseline=Selector(_TRIAD, {"threads_per_rank": 0, "page_bytes": SMALLEST}),
            yes="ask for them (madvise)",
            no="they cost bandwidth here",
            same="",
        ),
        Question(
            text="Do huge pages pay when memory is read at random?",
            benchmark="memory.latency",
            metric="latency",
            candidate=Selector({"size": LARGEST}, {"page_bytes": LARGEST}),
            baseline=Selector({"size": LARGEST}, {"page_bytes": SMALLEST}),
            yes="ask for them (madvise)",
            no="they cost latency here",
            same="",
        ),
        Question(
            text="Do non-temporal stores pay?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            candidate=Selector(_TRIAD, _ALL_LARGEST_PAGES),
            baseline=Selector({"kernel": "triad", "stores": "temporal"}, _ALL_LARGEST_PAGES),
            yes="for arrays that are not read again soon",
            no="leave stores to the caches",
            same="",
        ),
        Question(
            text="Do all cores move more memory than one?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            candidate=Selector(_TRIAD, _ALL_LARGEST_PAGES),
            baseline=Selector(_TRIAD, {"threads_per_rank": 1, "page_bytes": LARGEST}),
            yes="one core does not fill the memory bus",
            no="more threads disturb each other",
            same="one core fills the memory bus",
        ),
        Question(
            text="Should waiting threads spin?",
            benchmark="threads.sync",
            metric="overhead",
            candidate=Selector(
                {"construct": "parallel"}, {"threads_per_rank": 0, "wait_policy": "active"}
            ),
            baseline=Selector(
                {"construct": "parallel"}, {"threads_per_rank": 0, "wait_policy": "passive"}
            ),
            yes="where every thread has a core of its own: OMP_WAIT_POLICY=active",
            no="leave OMP_WAIT_POLICY=passive",
            same="",
        ),
    ),
)

"""Study `scalemp`: the experiments of Schmidl et al. (IEEE Cluster 2010), on this machine."""

from __future__ import annotations

from machmeter.model.benchmark import ThreadSweep
from machmeter.model.layout import Binding, WaitPolicy
from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.scalemp.memory_questions import MEMORY_QUESTIONS
from machmeter.studies.scalemp.thread_questions import THREAD_QUESTIONS

_EVERY_WAY = (Binding.CLOSE, Binding.SPREAD, Binding.NONE)

_MEMORY = (
    Experiment("memory.pages", {"extent": ("page",), "order": ("independent",)}),
    Experiment("memory.pages", {"extent": ("word",), "order": ("dependent",)}, pages=False),
    Experiment("memory.matrix", pages=False),
    Experiment(
        "memory.stream",
        {"kernel": ("triad",), "stores": ("nontemporal",)},
        bindings=_EVERY_WAY,
        pages=False,
        seconds_per_point=0.06,
    ),
    Experiment("memory.timeline", bindings=_EVERY_WAY, most_launches=4),
    Experiment("memory.loaded", {"pause": (0, 100, 300, 1000, 3000)}, pages=False),
    Experiment(
        "memory.allocation",
        {"way": ("map", "malloc-outside", "malloc-inside")},
        allocators=False,
        seconds_per_point=0.08,
    ),
    Experiment(
        "memory.allocation",
        {"way": ("malloc-loop",), "pages": ("base",)},
        threads=ThreadSweep.ALL,
        allocators=True,
        seconds_per_point=0.08,
    ),
)

_THREADS = (
    Experiment("threads.pairs"),
    Experiment("threads.sync", seconds_per_point=0.03),
    Experiment(
        "threads.sync",
        threads=ThreadSweep.TWO,
        bindings=(Binding.CLOSE, Binding.SPREAD),
        wait_policies=(WaitPolicy.ACTIVE,),
        seconds_per_point=0.03,
    ),
    Experiment("threads.schedule", {"chunk": (0, 1, 64)}, threads=ThreadSweep.ALL),
    Experiment("threads.nested"),
)

_APPLICATIONS = (
    Experiment("sparse.spmv", threads=ThreadSweep.ALL),
    Experiment("apps.retrieval", bindings=(Binding.SPREAD, Binding.NONE), seconds_per_point=0.15),
    Experiment(
        "apps.heatflow",
        {"cells": (32,)},
        bindings=(Binding.SPREAD,),
        seconds_per_point=0.15,
    ),
    Experiment(
        "apps.heatflow",
        {"cells": (32,), "arrays": ("slices",)},
        bindings=(Binding.NONE,),
        seconds_per_point=0.15,
    ),
)

SCALEMP = Study(
    name="scalemp",
    title="What do memory, placement and threads cost here?",
    summary="What Schmidl et al. (IEEE Cluster 2010) found out about a virtual machine of 104 "
    "cores, asked of this one: remote pages, binding, schedules, allocation, synchronization, "
    "nested teams, and the speed-up that is left.",
    experiments=(*_MEMORY, *_THREADS, *_APPLICATIONS),
    questions=(*MEMORY_QUESTIONS, *THREAD_QUESTIONS),
    budget_seconds=450.0,
)

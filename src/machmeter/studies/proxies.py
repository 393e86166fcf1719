"""Study `proxies`: what kinds of application reach on this machine, and what limits them."""

from __future__ import annotations

from machmeter.benchmarks.catalogue import PROXIES
from machmeter.model.benchmark import Benchmark, ThreadSweep, Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    BestRule,
    EfficiencyRule,
    Question,
    Resource,
    Selector,
)
from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.applications import SCALING

_CORES = {Resource.CORES: 2}
_RANKS: dict[str, Value] = {"threads_per_rank": 1}


def _questions(benchmark: Benchmark) -> tuple[Question, ...]:
    """How to share out the cores, and whether it scales over them."""
    return (
        Question(
            text=f"{benchmark.title}: with how many ranks and threads is the rate highest?",
            benchmark=benchmark.name,
            metric="rate",
            rule=BestRule(
                Selector(),
                ("ranks_per_node", "threads_per_rank"),
                otherwise="share out the cores like this",
                same="these layouts are equally fast: use the fewest ranks",
            ),
            requires=_CORES,
        ),
        Question(
            text=f"{benchmark.title}: does the rate grow with the cores of the node?",
            benchmark=benchmark.name,
            metric="rate",
            rule=EfficiencyRule(
                Selector(layout={**_RANKS, "ranks_per_node": LARGEST}),
                Selector(layout={**_RANKS, "ranks_per_node": SMALLEST}),
                SCALING,
            ),
            requires=_CORES,
        ),
    )


PROXY_STUDY = Study(
    name="proxies",
    title="How do kinds of application run here, and what limits them?",
    summary="Every proxy at a small size under ranks and threads, beside the roofline of the node: "
    "peak floating-point rate and memory bandwidth.",
    experiments=(
        Experiment(
            "compute.fma",
            {"precision": ("double",)},
            threads=ThreadSweep.ENDS,
            bindings=(Binding.CLOSE,),
            seconds_per_point=0.03,
        ),
        Experiment(
            "memory.stream",
            {"kernel": ("triad", "read"), "stores": ("temporal", "nontemporal")},
            threads=ThreadSweep.ENDS,
            seconds_per_point=0.06,
        ),
        *(Experiment(one.name) for one in PROXIES),
    ),
    # With half a minute of fetching and compiling on two cores it takes less than five minutes.
    budget_seconds=255.0,
    questions=tuple(question for one in PROXIES for question in _questions(one)),
)

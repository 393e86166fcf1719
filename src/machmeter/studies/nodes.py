"""Study `nodes`: every node of a cluster by itself, and which are behind the others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from machmeter.benchmarks.nodes import (
    NODE_FMA,
    NODE_GEMM,
    NODE_LATENCY,
    NODE_NOISE,
    NODE_STREAM,
    NODE_SYNC,
)
from machmeter.model.plan.question import NodesRule, Question, Resource, Selector
from machmeter.model.plan.study import Experiment, Study

_RULE = NodesRule(
    Selector(),
    even="use the nodes as they are",
    named="measure these nodes again; where it holds, compare their firmware and logs with those "
    "of others before jobs run there",
    apart="look for what the slower group has in common: model, firmware, cooling, place",
)


def _are_even(
    what: str, benchmark: str, metric: str, further: Mapping[Resource, int] = MappingProxyType({})
) -> Question:
    return Question(
        text=f"Has every node the same {what}?",
        benchmark=benchmark,
        metric=metric,
        rule=_RULE,
        requires={Resource.NODES: 2, **further},
    )


NODES = Study(
    name="nodes",
    title="Is every node as fast as the others?",
    summary="Memory bandwidth, memory latency, sustained floating-point rate, products of "
    "matrices, OpenMP barrier and noise of every node by itself, all at the same time, in several "
    "launches.",
    experiments=(
        Experiment(NODE_STREAM.name),
        Experiment(NODE_LATENCY.name),
        Experiment(NODE_FMA.name),
        Experiment(NODE_GEMM.name),
        Experiment(NODE_SYNC.name),
        Experiment(NODE_NOISE.name),
    ),
    questions=(
        _are_even("memory bandwidth", NODE_STREAM.name, "bandwidth"),
        _are_even(
            *("bandwidth of its slowest NUMA domain", NODE_STREAM.name, "domain_bandwidth"),
            {Resource.DOMAINS: 2},
        ),
        _are_even("memory latency", NODE_LATENCY.name, "latency"),
        _are_even("sustained floating-point rate", NODE_FMA.name, "flops"),
        _are_even("rate of products of matrices", NODE_GEMM.name, "flops"),
        _are_even("clock under load", NODE_FMA.name, "clock"),
        _are_even("cost of a barrier of its threads", NODE_SYNC.name, "overhead"),
        _are_even("noise of its operating system", NODE_NOISE.name, "stretch"),
    ),
    budget_seconds=300.0,
)

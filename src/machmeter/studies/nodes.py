"""Study `nodes`: every node of a cluster by itself, and which are behind the others."""

from __future__ import annotations

from machmeter.benchmarks.nodes import NODE_FMA, NODE_LATENCY, NODE_STREAM
from machmeter.model.plan.study import Experiment, Study

NODES = Study(
    name="nodes",
    title="Is every node as fast as the others?",
    summary="Memory bandwidth, memory latency and sustained floating-point rate of every node by "
    "itself, all at the same time, in several launches.",
    experiments=(
        Experiment(NODE_STREAM.name),
        Experiment(NODE_LATENCY.name),
        Experiment(NODE_FMA.name),
    ),
    budget_seconds=300.0,
)

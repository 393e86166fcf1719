"""How many nodes of a twin a run uses, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.errors import UsageError
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.twin import Twin
from machmeter.simulation.as_machine import host_names
from machmeter.simulation.format import MPI_LIBRARIES

USUAL_NODES = 64
"""Nodes that are simulated unless others are requested."""


def refuse_other_libraries(names: Sequence[str]) -> None:
    """Raise UsageError for an MPI library whose algorithms are not modeled."""
    for name in names:
        if name not in MPI_LIBRARIES:
            raise UsageError(
                f"--mpi {name}: its algorithms are not modeled",
                f"choose: {', '.join(MPI_LIBRARIES)}",
            )


def hosts_of_twin(twin: Twin, layout: LayoutOptions) -> tuple[str, ...]:
    """Names of the nodes that layouts of this request may use.

    Raises UsageError for more nodes than the machine has, and for hosts beside a twin.
    """
    if layout.hosts or layout.remote_shell:
        raise UsageError(
            "--on simulates, and --hosts names hosts to measure", "leave one of them out"
        )
    if layout.oversubscribe:
        raise UsageError(
            "models of machines do not describe ranks that share a core",
            "leave --oversubscribe out",
        )
    most = max(layout.nodes, default=min(twin.nodes, USUAL_NODES))
    if most > twin.nodes:
        raise UsageError(
            f"--nodes {most}: {twin.name} has {twin.nodes} nodes", f"use 1 to {twin.nodes}"
        )
    cores = twin.nodes * twin.node.cores
    ranks = max(layout.rank_counts, default=0)
    if ranks > cores:
        raise UsageError(
            f"--ranks {ranks}: {twin.name} has {cores:,} cores ({twin.nodes:,} nodes of "
            f"{twin.node.cores}), and models have a core for each rank",
            f"use 1 to {cores}",
        )
    return host_names(twin, most)

"""On which hosts a run can go on that began on others. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.launch.launchers.hosts import Hosts
from machmeter.layout.words import first_names
from machmeter.model.benchmark import Benchmark, ParameterKind
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.launch import LaunchSpec, LostHost
from machmeter.model.results.run import Plan

_OF_HOSTS = (ParameterKind.NODE, ParameterKind.RANK_PAIR)


def hosts_to_continue(
    plan: Plan | None,
    before: Sequence[str],
    now: Hosts,
    own: Sequence[Benchmark] = (),
) -> Hosts:
    """Those of the hosts `now` that the launches of `plan` take, in their order (None: it has none
    yet).

    before: names of those that the run began on, without any that it lost; own: benchmarks that its
    study has of its own. Results of single nodes and pairs are of hosts by their number: these have
    to be there, and come in the order that they had. Raises MachineLacksError where they are
    others, or fewer than layouts have nodes.
    """
    # A run that ended when it lost hosts may have a plan for all of them still.
    most = min(most_nodes(plan), len(before)) if before else most_nodes(plan)
    if most > len(now.names):
        raise MachineLacksError(
            f"the run has layouts of {most} nodes, and here are {len(now.names)}: "
            f"{first_names(now.names)}",
            "resume it in a job of as many nodes",
        )
    if {*before} <= {*now.names}:
        return replace(now, names=tuple(before))
    by_host = next((spec for spec in _launched(plan) if tells_hosts_apart(spec, own)), None)
    if by_host is not None:
        raise MachineLacksError(
            f"the run has results of each of its hosts ({by_host.benchmark}), which are "
            f"{first_names(before)}, and here are {first_names(now.names)}",
            f"submit it on the same: --sbatch=--nodelist={','.join(before)}, or start a new run",
        )
    return now


def renumbered(
    plan: Plan, began_on: Sequence[str], lost: Sequence[LostHost], own: Sequence[Benchmark] = ()
) -> frozenset[str]:
    """Names of the specs that have results of hosts by their number, which are others now; own: as
    of `hosts_to_continue`."""
    names = {one.name for one in lost}
    first = next((place for place, host in enumerate(began_on) if host in names), len(began_on))
    return frozenset(
        spec.name
        for spec in plan.specs
        if spec.layout.nodes > first and tells_hosts_apart(spec, own)
    )


def most_nodes(plan: Plan | None) -> int:
    """The most nodes that a layout has which a plan still launches; 1 without a plan."""
    return max((spec.layout.nodes for spec in _launched(plan)), default=1)


def _launched(plan: Plan | None) -> list[LaunchSpec]:
    gone = (plan.superseded or ()) if plan else ()
    return [spec for spec in plan.specs if spec.name not in gone] if plan else []


def tells_hosts_apart(spec: LaunchSpec, own: Sequence[Benchmark]) -> bool:
    """Whether it has results of single hosts, or pairs of them, by number; own: as of
    `hosts_to_continue`."""
    parameters = find(spec.benchmark, own).parameters
    return spec.layout.nodes > 1 and any(one.kind in _OF_HOSTS for one in parameters)

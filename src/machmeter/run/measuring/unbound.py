"""The fastest layout of a program once more without binding: whether its gain is of its ranks and
threads or of where they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.analysis.rules.ranking import best_of
from machmeter.analysis.rules.trial import compared
from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.model.layout import Binding
from machmeter.model.layout_fields import layout_label
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchRole, LaunchSpec
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.run import Plan, Request
from machmeter.run.measuring.stopping import dropped_out
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.layouts import Configuration, placement_key


class UnboundTrio(NamedTuple):
    """What is launched next to each other once the race is over."""

    unset: LaunchSpec
    """Nothing set."""
    fastest: LaunchSpec
    """The fastest layout of the race."""
    unbound: LaunchSpec
    """That without binding."""


def unbound_trio(
    plan: Plan, tally: Tally, request: Request, machine: Machine
) -> UnboundTrio | None:
    """What shows whether the fastest layout gains by its ranks and threads or by their places: as
    the plan has it, else as it follows from the race.

    None where the fastest is not bound or not shown to be faster than nothing set, where an unbound
    layout of its ranks and threads was in the race, where one process of one thread is measured,
    and where bindings or launch modes were requested.
    """
    options = request.layout_options
    if not request.explores or options.bindings or options.modes:
        return None
    launched = [spec for spec in plan.specs if spec.name not in (plan.superseded or ())]
    kept = next((spec for spec in launched if spec.role is LaunchRole.UNBOUND), None)
    raced_ones = [spec for spec in launched if spec.of_points]
    nodes = kept.layout.nodes if kept else _best_nodes(raced_ones, tally)
    specs = [spec for spec in raced_ones if spec.layout.nodes == nodes]
    unset = next((s for s in specs if s.layout.binding is Binding.DEFAULT), None)
    if unset is None:
        return None
    if kept:
        bound = next((spec for spec in specs if spec.name == kept.group), None)
        return UnboundTrio(unset, bound, kept) if bound else None
    fastest = _fastest_of(specs, unset, tally, request)
    if fastest is None or not fastest.layout.binding.is_bound:
        return None
    of_one = fastest.layout.ranks == 1 and options.threads == (1,)
    layout = replace(fastest.layout, binding=Binding.NONE)
    raced = {placement_key(Configuration(s.layout, s.variant), machine) for s in specs}
    if of_one or placement_key(Configuration(layout, fastest.variant), machine) in raced:
        return None
    unbound = replace(
        fastest,
        name=f"{fastest.benchmark} ({layout_label(layout, fastest.variant)})",
        role=LaunchRole.UNBOUND,
        layout=layout,
        points=tuple(replace(point, layout=layout) for point in fastest.points),
        most_launches=LEAST_ROUNDS,
        group=fastest.name,
    )
    return UnboundTrio(unset, fastest, unbound)


def _best_nodes(specs: Sequence[LaunchSpec], tally: Tally) -> int:
    """The number of nodes that the best of them has: layouts of one number compete."""
    found = [one for spec in specs for one in tally.estimates(spec, primary_only=True)[:1]]
    return best_of(found).point.layout.nodes if found else 1


def _fastest_of(
    specs: Sequence[LaunchSpec], unset: LaunchSpec, tally: Tally, request: Request
) -> LaunchSpec | None:
    """Of those still in the race that were launched often enough for one; None where it is not
    shown to be faster than nothing set."""
    raced = dropped_out(specs, tally, request.study.benchmarks) if request.precision.race else ()
    dropped = {one.name for one in raced}
    results = {
        result.point: (result, spec)
        for spec in specs
        for result in tally.estimates(spec, primary_only=True)[:1]
        if result.launches >= LEAST_ROUNDS
    }
    usual = next((one for one, spec in results.values() if spec is unset), None)
    left = [one for one, spec in results.values() if spec.name not in dropped]
    if usual is None or not left:
        return None
    best = best_of(left)
    if best is usual or compared(best, usual).verdict is not ComparisonVerdict.FASTER:
        return None
    return results[best.point][1]

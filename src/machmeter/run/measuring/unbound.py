"""The fastest layout of a program once more without binding: whether its gain is of its ranks and
threads or of where they run."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.rules.ranking import best_of
from machmeter.analysis.rules.trial import compared
from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.model.layout import Binding
from machmeter.model.layout_fields import layout_label
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.run import Plan, Request
from machmeter.run.measuring.stopping import dropped_out
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.layouts import Configuration, placement_key


def unbound_spec(plan: Plan, tally: Tally, request: Request, machine: Machine) -> LaunchSpec | None:
    """The spec of the fastest layout without binding, one group with it, for rounds of their own.

    None where the fastest is not bound or not shown to be faster than nothing set, where an unbound
    layout of its ranks and threads was launched, where one process of one thread is measured, and
    where bindings were requested.
    """
    options = request.layout_options
    if not request.explores or options.bindings or options.modes:
        return None
    specs = [spec for spec in plan.specs if spec.role == "points"]
    fastest = _fastest_of(specs, tally, request)
    if fastest is None or not fastest.layout.binding.is_bound:
        return None
    if fastest.layout.ranks == 1 and options.threads == (1,):
        return None
    layout = replace(fastest.layout, binding=Binding.NONE)
    launched = {placement_key(Configuration(s.layout, s.variant), machine) for s in specs}
    if placement_key(Configuration(layout, fastest.variant), machine) in launched:
        return None
    return replace(
        fastest,
        name=f"{fastest.benchmark} ({layout_label(layout, fastest.variant)})",
        layout=layout,
        points=tuple(replace(point, layout=layout) for point in fastest.points),
        most_launches=plan.precision.most_launches,
        group=fastest.name,
    )


def _fastest_of(specs: Sequence[LaunchSpec], tally: Tally, request: Request) -> LaunchSpec | None:
    """Of those still in the race that were launched often enough for one; None where it is not
    shown to be faster than nothing set."""
    dropped = {one.name for one in dropped_out(specs, tally, request.study.benchmarks)}
    results = {
        result.point: (result, spec)
        for spec in specs
        for result in tally.estimates(spec, primary_only=True)[:1]
        if result.launches >= LEAST_ROUNDS
    }
    usual = [one for one, spec in results.values() if spec.layout.binding is Binding.DEFAULT]
    left = [one for one, spec in results.values() if spec.name not in dropped]
    if not usual or not left:
        return None
    best = best_of(left)
    is_faster = best not in usual and compared(best, usual[0]).verdict is ComparisonVerdict.FASTER
    return results[best.point][1] if is_faster else None

"""Whether any of the requested layouts fits the machine, before anything is launched."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Request
from machmeter.run.planning.layouts import configurations_for

# The options that say how many CPUs a layout takes.
_NAMING = ("rank_counts", "threads", "modes", "smt", "reserved_cores")


def refuse_layouts_that_do_not_fit(request: Request, machine: Machine) -> None:
    """Raise UsageError where layouts were named and none of them fits this machine.

    Where some do, the plan leaves the others out. What is launched as if nobody set anything is no
    layout that was named.
    """
    usual, options = LayoutOptions(), request.layout_options
    named = any(getattr(options, name) != getattr(usual, name) for name in _NAMING)
    if not named or not machine.topology.usable:
        return
    reasons: list[str] = []
    for layout in _placed(request, machine):
        try:
            assign(layout, machine.topology)
        except LayoutError as error:
            reasons.append(str(error))
        else:
            return
    if reasons:
        cores = len(machine.topology.usable_cores)
        raise UsageError(
            f"no layout that was named fits: {reasons[0]}",
            f"name ranks and threads whose product is at most {cores} on each node",
        )


def _placed(request: Request, machine: Machine) -> Iterator[Layout]:
    """Every layout of the request but those in which nothing is set."""
    for experiment in request.study.experiments:
        if experiment.lacks:
            continue
        benchmark = find(experiment.benchmark, request.study.benchmarks)
        found = configurations_for(benchmark, experiment, machine, request.layout_options)
        yield from (layout for layout in found.layouts if layout.is_placed)

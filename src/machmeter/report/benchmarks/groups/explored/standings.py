"""How the layouts of a program that is not ours stand, as its finding ranks them: best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.stats.fields import has_values
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Binding, Layout
from machmeter.model.layout_fields import FIELDS
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.question import BestRule, Question
from machmeter.model.results.comparison import DroppedOut
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Ranking
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import of_metric
from machmeter.text.layouts import layout_text
from machmeter.text.plain import plain

_ALWAYS = ("ranks_per_node", "threads_per_rank", "binding")


class Standing(StrEnum):
    """How a layout compares with the best one."""

    BEST = "best"
    TIED = "tied"
    BEHIND = "behind"
    NOT_COMPARED = "not compared"


class LayoutResult(Struct, frozen=True):
    """The result of one layout, and how it stands."""

    name: str
    """The layout by what distinguishes it from the others."""
    spec: str
    """Name of its spec; empty where the plan has none."""
    estimate: Estimate
    """Its result, of the first metric."""
    standing: Standing
    """By the finding of the run."""
    dropped: DroppedOut | None = None
    """Where it dropped out of the race; None where it did not."""

    @property
    def is_default(self) -> bool:
        """Whether it is what people have who set nothing."""
        return self.estimate.point.layout.binding is Binding.DEFAULT

    @property
    def is_ahead(self) -> bool:
        """Whether it is the best one, or not distinguishable from it."""
        return self.standing in (Standing.BEST, Standing.TIED)


def layout_results(section: Section) -> tuple[LayoutResult, ...]:
    """The result of every layout: the best by the finding first, the others by their values.

    That finding is the one that leads: it compares all layouts of the program.
    """
    result, metrics = section.result, section.declared.metrics if section.declared else ()
    found = of_metric(section.estimates, metrics[0].name) if metrics else ()
    rankings = _rankings(section)
    names = _names(section)
    specs = {point: spec.name for spec in result.plan.specs for point in spec.points}
    dropped = {one.name: one for one in result.dropped_out}
    every = [
        LayoutResult(
            names[one.point.layout, one.point.variant.mpi],
            specs.get(one.point, ""),
            one,
            _standing(one, rankings),
            dropped.get(specs.get(one.point, "")),
        )
        for one in found
    ]
    return tuple(sorted(every, key=_order))


def without_result(section: Section) -> tuple[str, ...]:
    """The names of layouts that were planned and have no result."""
    measured = {one.point for one in section.estimates}
    names = _names(section)
    return tuple(
        names[spec.layout, spec.variant.mpi]
        for spec in _specs(section)
        if not measured.intersection(spec.points)
    )


def _specs(section: Section) -> list[LaunchSpec]:
    specs = section.result.plan.own_specs
    return [one for one in specs if one.gives_results and one.benchmark == section.name]


def _names(section: Section) -> Mapping[tuple[Layout, str], str]:
    """The names of layouts, each with its MPI library where there are several."""
    planned = ((one.layout, one.variant.mpi) for one in _specs(section))
    points = (one.point for one in section.estimates)
    every = dict.fromkeys([*planned, *((one.layout, one.variant.mpi) for one in points)])
    names = layout_names(section, [layout for layout, _ in every])
    several = len({mpi for _, mpi in every}) > 1
    return {
        (layout, mpi): f"{names[layout]}, {plain(mpi, 40)}" if several else names[layout]
        for layout, mpi in every
    }


def layout_names(section: Section, layouts: Sequence[Layout]) -> Mapping[Layout, str]:
    """Layouts by ranks, threads and binding, and by what else the question distinguishes."""
    rules = [one.rule for one in _leading(section)]
    axes = next((rule.axes for rule in rules if isinstance(rule, BestRule)), ())
    known = [name for name in axes if name in Layout.__struct_fields__]
    kept = [
        name
        for name in known
        if name in _ALWAYS or len({getattr(one, name) for one in layouts}) > 1
    ]
    return {one: _name(one, kept) for one in layouts}


def _leading(section: Section) -> list[Question]:
    """In a study, other benchmarks have leading questions too."""
    every = section.result.plan.questions
    return [one for one in every if one.leads and one.benchmark == section.name]


def _name(layout: Layout, fields: Sequence[str]) -> str:
    if not fields:
        return layout_text(layout)
    # Of who sets nothing, the rest is as it is by default.
    default = layout.binding is Binding.DEFAULT
    shown = [name for name in fields if name in ("nodes", *_ALWAYS)] if default else fields
    return plain(", ".join(FIELDS[name].phrase(layout) for name in shown), 120)


def _rankings(section: Section) -> list[Ranking]:
    """One for each number of nodes."""
    texts = {one.text for one in _leading(section)}
    found = (one for one in section.result.findings if one.question in texts)
    cases = (case for finding in found for case in finding.cases)
    return [case.ranking for case in cases if case.ranking is not None]


def _standing(estimate: Estimate, rankings: Sequence[Ranking]) -> Standing:
    for ranking in rankings:
        groups = (
            (Standing.BEST, (ranking.best,)),
            (Standing.TIED, ranking.tied),
            (Standing.BEHIND, ranking.behind),
        )
        for standing, members in groups:
            if any(has_values(estimate, one) for one in members):
                return standing
    return Standing.NOT_COMPARED


def _order(one: LayoutResult) -> tuple[bool, float]:
    value = one.estimate.value
    return (
        one.standing is not Standing.BEST,
        -value if one.estimate.direction is Direction.HIGHER else value,
    )

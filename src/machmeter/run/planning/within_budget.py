"""What the budget of a run is enough for: what is left out, and what is not even started. Pure."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.answer import parts_of, selectors_of
from machmeter.analysis.rules.select import metrics_of, select
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Benchmark, Metric
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.question import Question, ShareRule
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.run import Plan, Request, SkipCause, Skipped
from machmeter.run.planning.plan import expected, expected_launch_seconds
from machmeter.text.numbers import count_text, duration_text

CLEARLY_OVER = 2
"""A guess that exceeds the budget as often is no mistake of the guess: before sizing it was up to
1.7 times the time that launches took, afterwards it was within a third of it."""
_TRIFLE_SECONDS = 10
"""A run that is over its budget by no more hurts nobody."""


class Needs(Struct, frozen=True):
    """A question and the launches that answer it."""

    question: Question
    """The question."""
    specs: frozenset[str]
    """The specs that hold what its rule selects, by name."""
    points: frozenset[Point] = frozenset()
    """What its rule selects."""


def needs_of(plan: Plan, own: Sequence[Benchmark] = ()) -> tuple[Needs, ...]:
    """The questions that `plan` measures an answer to, the most important first.

    own: benchmarks that its study has of its own.
    """
    names = {point: spec.name for spec in plan.specs for point in spec.points}
    found = []
    for question in plan.questions:
        metrics = dict(metrics_of(question))
        pool = [
            one
            for spec in plan.specs
            if spec.gives_results and spec.benchmark in metrics
            for declared in [find(spec.benchmark, own).metric(metrics[spec.benchmark])]
            for one in [_planned(point, declared) for point in spec.points]
        ]
        needed: set[Point] = set()
        for _, part in parts_of(question, pool):
            pools = _sides_of(question, part)
            sides = [
                select(one, of, {})
                for one, of in zip(selectors_of(question.rule), pools, strict=False)
            ]
            if all(sides) and (len(sides) < 2 or sides[0] != sides[1]):
                needed |= {one.point for side in sides for one in side}
        if needed:
            specs = frozenset(names[point] for point in needed)
            found.append(Needs(question, specs, frozenset(needed)))
    return tuple(found)


def _sides_of(
    question: Question, part: Sequence[Estimate]
) -> tuple[Sequence[Estimate], Sequence[Estimate]]:
    """Among which results candidate and baseline are: those of a share are of two benchmarks."""
    if not isinstance(question.rule, ShareRule):
        return part, part
    own = [e for e in part if e.point.benchmark == question.benchmark]
    return own, [e for e in part if e.point.benchmark == question.rule.benchmark]


def within_budget(plan: Plan, request: Request, machine: Machine) -> Plan:
    """`plan` without what keeps its budget from deciding the rest.

    Where the least launches of all specs clearly exceed the budget (`CLEARLY_OVER`), what a
    question needs stays where it fits beside what those before it need, then what no question
    needs. What the first question needs stays, on several nodes unless another question fits, and
    so does every benchmark that was requested by its own name or its group's. A question that loses
    a point is left out too: what is left might answer another one.

    Of what is measured on several nodes a point is left out that alone takes longer than the
    budget, and layouts are, those of most ranks first, until the launches that are made whatever
    the time fit; the last layout of a benchmark that was requested by name stays.
    """
    # Once for each spec: of many ranks one may have very many points.
    starts = machine.software.mpi_starts
    times = {spec.name: expected_launch_seconds(spec, starts) for spec in plan.specs}
    needed = expected(plan, request.study, machine, times).seconds
    if request.force or not _is_over(needed, plan, request):
        return plan
    shorter = _without_long_points(plan, machine, times)
    times |= {spec.name: expected_launch_seconds(spec, starts) for spec in shorter.specs}
    questions = needs_of(plan, request.study.benchmarks)
    shorter = _of_questions(shorter, questions, request, machine, times)
    shorter = _without_large_layouts(shorter, request, machine, times)
    kept = {point for spec in shorter.specs for point in spec.points}
    lost = [one.question.text for one in questions if not one.points <= kept]
    decided = (len(questions) - len(lost)) * _fits(shorter, request, machine, times)
    reason = _short_text(plan, decided, len(questions), needed)
    dropped = [*_left_out(plan, shorter), *lost]
    return without(plan, [Skipped(what, reason, SkipCause.BUDGET) for what in dropped])


def _of(plan: Plan, names: Container[str]) -> Plan:
    return replace(plan, specs=tuple(spec for spec in plan.specs if spec.name in names))


def _without_long_points(plan: Plan, machine: Machine, times: Mapping[str, float]) -> Plan:
    """Without points on several nodes of which the fewest launches alone take longer than the
    budget, unless none of their layout would be left."""
    budget, starts = plan.precision.budget_seconds, machine.software.mpi_starts
    specs = []
    for spec in plan.specs:
        long = spec.layout.nodes > 1 and spec.fewest_launches * times[spec.name] > budget
        if spec.of_points and long:
            alone = ((one, replace(spec, points=(one,))) for one in spec.points)
            short = tuple(
                point
                for point, one in alone
                if spec.fewest_launches * expected_launch_seconds(one, starts) <= budget
            )
            specs.append(replace(spec, points=short or spec.points))
        else:
            specs.append(spec)
    return replace(plan, specs=tuple(specs))


def _without_large_layouts(
    plan: Plan, request: Request, machine: Machine, times: Mapping[str, float]
) -> Plan:
    """Without layouts over several nodes until the fewest launches fit into the budget."""
    budget = plan.precision.budget_seconds
    several = [spec for spec in plan.specs if spec.of_points and spec.layout.nodes > 1]
    for spec in sorted(several, key=lambda one: (one.layout.ranks, times[one.name]), reverse=True):
        if expected(plan, request.study, machine, times).fewest_seconds <= budget:
            break
        shorter = _of(plan, {one.name for one in plan.specs} - {spec.name})
        named = spec.benchmark if _is_named(spec, request.names) else ""
        if any(
            one.of_points and one.benchmark == (named or one.benchmark) for one in shorter.specs
        ):
            plan = shorter
    return plan


def _left_out(plan: Plan, shorter: Plan) -> list[str]:
    """Names of the specs that `shorter` lacks, and of points that those it has lack."""
    kept = {spec.name: frozenset(spec.points) for spec in shorter.specs}
    found = []
    for spec in plan.specs:
        if spec.name not in kept:
            found.append(spec.name)
        elif len(kept[spec.name]) < len(spec.points):
            found += [one.key for one in spec.points if one not in kept[spec.name]]
    return found


def without(plan: Plan, left_out: Sequence[Skipped]) -> Plan:
    """`plan` without the specs, points and questions that are left out for its budget."""
    of_budget = tuple(one for one in left_out if one.cause is SkipCause.BUDGET)
    names = {one.what for one in of_budget}
    specs = []
    for spec in plan.specs:
        points = tuple(one for one in spec.points if one.key not in names) if names else spec.points
        if spec.name not in names and points:
            specs.append(replace(spec, points=points))
    return replace(
        plan,
        specs=tuple(specs),
        questions=tuple(one for one in plan.questions if one.text not in names),
        skipped=(*plan.skipped, *of_budget),
    )


def budget_remark(plan: Plan, request: Request, machine: Machine) -> str:
    """What to know before a plan is launched that its budget is short for; else empty. Of a program
    that was not seen yet nothing is known."""
    if request.explores:
        return ""
    texts = {question.text for question in request.study.questions}
    left_out = [one for one in plan.skipped if one.cause is SkipCause.BUDGET]
    if left_out:
        names = [one.what for one in left_out if one.what not in texts]
        points = sum("[" in name for name in names)
        left = [count_text(len(names) - points, "layout", "layouts")] * (points < len(names))
        left += [count_text(points, "point", "points")] * (points > 0)
        are = "is" if len(names) == 1 else "are"
        return f"{left_out[0].reason}; {' and '.join(left)} {are} left out, --force keeps them"
    needed = expected(plan, request.study, machine).seconds
    return _short_text(plan, 0, 0, needed) if _is_over(needed, plan, request) else ""


def refuse_short_budget(plan: Plan, request: Request, machine: Machine) -> None:
    """Raise UsageError where the launches that are made whatever the time clearly exceed the
    budget (`CLEARLY_OVER`), by more than seconds; not where that is forced, and not of a model.
    """
    budget = plan.precision.budget_seconds
    fewest = expected(plan, request.study, machine).fewest_seconds
    if request.force or not _is_over(fewest, plan, request, _TRIFLE_SECONDS):
        return
    raise UsageError(
        f"the fewest launches take about {duration_text(fewest)}, and the budget is "
        f"{duration_text(budget)}",
        "raise --budget, measure fewer layouts or smaller sizes, or run over the budget with "
        "--force",
    )


def _is_over(needed: float, plan: Plan, request: Request, beyond: float = 0) -> bool:
    """Whether that clearly exceeds the budget, by more than `beyond`, seconds; no model does."""
    most = CLEARLY_OVER * (plan.precision.budget_seconds + beyond)
    return needed > most and not request.origin.is_quoted


def _of_questions(
    plan: Plan,
    questions: Sequence[Needs],
    request: Request,
    machine: Machine,
    times: Mapping[str, float],
) -> Plan:
    """What its questions need and fits, and what else does."""
    # Without a question nothing says what matters.
    if not questions:
        return plan
    nodes = {spec.name: spec.layout.nodes for spec in plan.specs}
    stays = (s.name for s in plan.specs if not s.of_points or _is_named(s, request.names))
    kept = frozenset(stays)
    first = questions[0].specs & nodes.keys()
    if all(nodes[name] == 1 for name in first):
        kept |= first
    others = (frozenset({spec.name}) for spec in plan.specs)
    for names in (*(one.specs & nodes.keys() for one in questions), *others):
        if _fits(_of(plan, kept | names), request, machine, times):
            kept |= names
    answers = any(one.specs <= kept for one in questions)
    return _of(plan, kept if answers else kept | first)


def _is_named(spec: LaunchSpec, requested: Sequence[str]) -> bool:
    return spec.benchmark in requested or spec.benchmark.split(".", 1)[0] in requested


def _fits(plan: Plan, request: Request, machine: Machine, times: Mapping[str, float]) -> bool:
    needed = expected(plan, request.study, machine, times).seconds
    return needed <= plan.precision.budget_seconds


def _short_text(plan: Plan, decided: int, questions: int, needed: float) -> str:
    budget = duration_text(plan.precision.budget_seconds)
    about = f"about {duration_text(needed)} needed"
    if questions:
        return f"{budget} decides about {decided} of {questions} questions; {about}"
    launches = plan.precision.least_launches
    return f"{budget} is short for {launches} launches of each layout; {about}"


def _planned(point: Point, declared: Metric) -> Estimate:
    """What a result will be of, as far as selectors look at it."""
    return Estimate(
        point=point,
        metric=declared.name,
        title="",
        unit=declared.unit,
        direction=declared.direction,
        scale=Scale.LOG,
        value=1.0,
        low=0.0,
        high=0.0,
        launches=0,
        samples=0,
        precision=0.0,
        target_precision=0.0,
        reached=False,
        resolved=True,
        launch_values=(),
        launch_numbers=(),
        warmup_cut=0,
        outliers=0,
        batch=1,
        attributes={},
    )

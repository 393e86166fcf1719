"""One plan for baseline and candidate: the points that both have, each with its partner. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import asdict, replace

from machmeter.benchmarks.programs import find_program
from machmeter.model.benchmark import Value
from machmeter.model.device import NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import layout_label
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import Point
from machmeter.model.results.run import Baseline, Plan, Precision, Request, Skipped
from machmeter.model.variant import Role
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import Sizes
from machmeter.run.programs.cached import as_chosen
from machmeter.simulation.plan import as_simulated

_CANDIDATE_ONLY = "the baseline has none of that kind; --unpaired measures it all the same"
_UNKNOWN = (
    "the baseline's kernels were not measured with that and may not know it; --unpaired measures "
    "the candidate all the same, --rebuild both with today's kernels"
)


class Settings(NamedTuple):
    """A spec, and by name what its partner is found by: every field of its layout and its MPI
    library, which has its name here also where it is the only one."""

    spec: LaunchSpec
    values: dict[str, Value]


class Pair(NamedTuple):
    """A spec of the candidate and its partner of the baseline, before points are taken out."""

    candidate: LaunchSpec
    baseline: LaunchSpec


def plan_of(
    request: Request, machine: Machine, sizes: Sizes, against: Baseline | None = None
) -> Plan:
    """The plan for a request, with the points of its baseline where it has one.

    Sizes are the same for both. Programs of a baseline get no point that they were not measured
    with: what they do not know they refuse, or ignore. Raises UsageError where a value has no
    meaning, or where baseline and candidate have no point in common.
    """
    new = _plan_alone(request, machine, request.precision, sizes)
    if request.twin is not None:
        return as_simulated(new)
    if against is None:
        return new
    old_request = against.request
    old = _of_baseline(_plan_alone(old_request, machine, request.precision, sizes), against)
    pairs = paired(settings_of(new, request.mpi), settings_of(old, old_request.mpi))
    return _of_both(new, old, pairs, against)


def _plan_alone(request: Request, machine: Machine, precision: Precision, sizes: Sizes) -> Plan:
    """On those devices of the machine alone that it names: others are of its partner."""
    options = request.layout_options
    if options.devices and machine.devices:
        machine = replace(machine, devices=devices_of(request, machine))
    return make_plan(request.study, machine, options, precision, sizes)


def devices_of(request: Request, machine: Machine) -> tuple[NamedDevice, ...]:
    """Those of the machine that a request names, or all where it names none."""
    named, there = request.layout_options.devices or (), machine.devices or ()
    return tuple(one for one in there if not named or {one.name, one.select} & {*named})


def _as_baseline(spec: LaunchSpec) -> LaunchSpec:
    variant = spec.variant.as_baseline()
    return replace(
        spec,
        name=f"{spec.benchmark} ({layout_label(spec.layout, variant)})",
        variant=variant,
        points=tuple(replace(point, variant=variant) for point in spec.points),
    )


def settings_of(plan: Plan, mpi: str) -> tuple[Settings, ...]:
    """The specs that measure points; mpi: the name of the only MPI, which variants leave out."""
    return tuple(
        Settings(
            spec,
            asdict(spec.layout)
            | {"mpi": spec.variant.mpi or mpi * find_program(spec.program).chooses_mpi},
        )
        for spec in plan.specs
        if spec.of_points
    )


def paired(candidates: Sequence[Settings], baselines: Sequence[Settings]) -> tuple[Pair, ...]:
    """Specs of one benchmark that have points in common, with the same settings.

    Where both have no settings of a benchmark in common, those are partners that differ only in
    what is different on both altogether (close on one, spread on the other), and are the only such.
    """
    found: list[Pair] = []
    for benchmark in dict.fromkeys(one.spec.benchmark for one in candidates):
        here, there = (
            [one for one in every if one.spec.benchmark == benchmark]
            for every in (candidates, baselines)
        )
        names = tuple(here[0].values)
        if there and not any(one.values == other.values for one in here for other in there):
            names = tuple(
                name
                for name in names
                if {one.values[name] for one in here} & {one.values[name] for one in there}
            )
        found += _matching(here, there, names)
    return tuple(pair for pair in found if _common(pair))


def _matching(
    here: Sequence[Settings], there: Sequence[Settings], names: Sequence[str]
) -> Iterator[Pair]:
    def key(one: Settings) -> tuple[Value, ...]:
        return tuple(one.values[name] for name in names)

    times = Counter(map(key, here)), Counter(map(key, there))
    partners = {key(one): one.spec for one in there}
    for one in here:
        if times[0][key(one)] == times[1][key(one)] == 1:
            yield Pair(one.spec, partners[key(one)])


def _common(pair: Pair) -> set[tuple[tuple[str, Value], ...]]:
    new, old = ({point.parameters for point in spec.points} for spec in pair)
    return new & old


def _of_both(new: Plan, old: Plan, pairs: Sequence[Pair], against: Baseline) -> Plan:
    if not pairs:
        raise UsageError(
            f"the request has nothing in common with run {against.run}: no benchmark, layout and "
            "parameters",
            "leave out what is to be as in that run: only what is named differs"
            + "; --rebuild takes today's kernels for both" * bool(against.programs),
        )
    reference = tuple(spec for spec in new.specs if spec.of_reference)
    left = tuple(_left(new, pairs))
    skipped = [
        *new.skipped,
        *(
            replace(one, what=f"{Role.BASELINE}: {one.what}")
            for one in old.skipped
            if one not in new.skipped
        ),
        *against.left_out,
        *(one for spec in left if not against.with_unpaired for one in _skipped_of(spec, against)),
    ]
    both = (spec for pair in pairs for spec in _both(pair))
    unpaired = left if against.with_unpaired else ()
    left_out = len(old.points) - sum(len(_common(pair)) for pair in pairs)
    note = (
        f"left out, for the candidate has none like them: {left_out} "
        f"point{'s' * (left_out > 1)} of run {against.run}"
    )
    return replace(
        new,
        specs=(*both, *unpaired, *reference),
        skipped=tuple(dict.fromkeys(skipped)),
        memory_short=new.memory_short or old.memory_short,
        notes=tuple(dict.fromkeys((*new.notes, *old.notes, *[note] * (left_out > 0)))),
    )


def _both(pair: Pair) -> tuple[LaunchSpec, LaunchSpec]:
    """Both with the points they have in common, launched next to each other."""
    common, spec = _common(pair), pair.candidate
    new = replace(
        spec, points=tuple(p for p in spec.points if p.parameters in common), group=spec.name
    )
    layout, variant = pair.baseline.layout, pair.baseline.variant
    points = tuple(replace(point, layout=layout, variant=variant) for point in new.points)
    return new, _as_baseline(replace(new, layout=layout, variant=variant, points=points))


def _left(new: Plan, pairs: Sequence[Pair]) -> Iterator[LaunchSpec]:
    """What of the candidate has no partner: whole specs, and points of specs that have one."""
    of_pairs = {pair.candidate.name: pair for pair in pairs}
    for spec in new.specs:
        if not spec.of_points:
            continue
        if spec.name not in of_pairs:
            yield spec
            continue
        common = _common(of_pairs[spec.name])
        points = tuple(point for point in spec.points if point.parameters not in common)
        if points:
            yield replace(spec, name=f"{spec.name}, the rest", points=points)


def _skipped_of(spec: LaunchSpec, against: Baseline) -> Iterator[Skipped]:
    known = Counter(_knows(against, point) for point in spec.points)
    for is_known, reason in ((True, _CANDIDATE_ONLY), (False, _UNKNOWN)):
        if count := known[is_known]:
            yield Skipped(f"{spec.name}: {count} point{'s' * (count > 1)}", reason)


def _of_baseline(plan: Plan, against: Baseline) -> Plan:
    """The plan of a baseline without points that its own programs may not know."""
    specs = (
        replace(spec, points=tuple(point for point in spec.points if _knows(against, point)))
        if spec.of_points
        else spec
        for spec in plan.specs
    )
    return replace(plan, specs=tuple(spec for spec in specs if spec.points))


def _knows(against: Baseline, point: Point) -> bool:
    """Whether the baseline's kernels know a point: those of today know every one."""
    if not against.programs:
        return True
    return as_chosen(point) in against.planned_parameters.get(point.benchmark, ())

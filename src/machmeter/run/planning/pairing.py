"""One plan for two sides: the points that both have, each beside its partner. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from machmeter.model.benchmark import Executable
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import BASELINE, LaunchSpec
from machmeter.model.point import Point
from machmeter.model.results.run import Baseline, Plan, Request, Skipped
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import Sizes
from machmeter.run.programs.cached import as_chosen

_ONLY_NEW = "the baseline has none of that kind; --unpaired measures it all the same"
_UNKNOWN = (
    "the old kernels were not measured with that and may not know it; --unpaired measures the new "
    "side all the same, --rebuild both with today's kernels"
)
_FIELDS = tuple(field.name for field in msgspec.structs.fields(Layout))


class Sided(NamedTuple):
    """A spec, and the layout by which its partner is found: one MPI has its name there too."""

    spec: LaunchSpec
    layout: Layout


class Pair(NamedTuple):
    """A spec of the candidate and its partner of the old one, before points are taken out."""

    new: LaunchSpec
    old: LaunchSpec


def plan_of(
    asked: Request, machine: Machine, sizes: Sizes, against: Baseline | None = None
) -> Plan:
    """The plan for what is asked, with the points of its baseline where it has one.

    Sizes are the same on both sides. Old programs get no point that they were not measured with:
    what they do not know they refuse, or ignore. Raises UsageError where a value has no meaning, or
    where the sides have no point in common.
    """
    new = make_plan(asked.study, machine, asked.layout_options, asked.precision, sizes)
    if against is None:
        return new
    of_old = against.request
    old = _of_known(
        make_plan(of_old.study, machine, of_old.layout_options, asked.precision, sizes), against
    )
    pairs = paired(sided(new, asked.mpi), sided(old, of_old.mpi))
    return _of_both(new, old, pairs, against)


def sided(plan: Plan, mpi: str) -> tuple[Sided, ...]:
    """The specs that measure points; mpi: the name of the only MPI, which layouts leave out."""
    return tuple(
        Sided(
            spec,
            replace(spec.layout, mpi=spec.layout.mpi or mpi)
            if spec.executable is Executable.MPI
            else spec.layout,
        )
        for spec in plan.specs
        if spec.role == "points"
    )


def paired(new: Sequence[Sided], old: Sequence[Sided]) -> tuple[Pair, ...]:
    """Specs of one benchmark that have points in common, under the same layout.

    Where both sides have no layout of a benchmark in common, those are partners that differ only in
    what is different on both sides altogether (close on one, spread on the other), and are the only
    such.
    """
    found: list[Pair] = []
    for benchmark in dict.fromkeys(one.spec.benchmark for one in new):
        here, there = ([s for s in side if s.spec.benchmark == benchmark] for side in (new, old))
        kept = _FIELDS
        if not {one.layout for one in here} & {one.layout for one in there}:
            kept = _agreeing(here, there)
        found += _alike(here, there, kept)
    return tuple(pair for pair in found if _common(pair))


def _agreeing(here: Sequence[Sided], there: Sequence[Sided]) -> tuple[str, ...]:
    """The fields of layouts in which both sides have a value in common."""
    return tuple(
        name
        for name in _FIELDS
        if {getattr(one.layout, name) for one in here}
        & {getattr(one.layout, name) for one in there}
    )


def _alike(here: Sequence[Sided], there: Sequence[Sided], kept: Sequence[str]) -> Iterator[Pair]:
    def key(one: Sided) -> tuple[object, ...]:
        return tuple(getattr(one.layout, name) for name in kept)

    times = Counter(map(key, here)), Counter(map(key, there))
    partners = {key(one): one.spec for one in there}
    for one in here:
        if times[0][key(one)] == times[1][key(one)] == 1:
            yield Pair(one.spec, partners[key(one)])


def _common(pair: Pair) -> set[tuple[tuple[str, str | int], ...]]:
    new, old = ({point.parameters for point in spec.points} for spec in pair)
    return new & old


def _of_both(new: Plan, old: Plan, pairs: Sequence[Pair], against: Baseline) -> Plan:
    if not pairs:
        raise UsageError(
            f"nothing that is asked was asked by run {against.run} too: no benchmark, layout and "
            "parameters in common",
            "leave out what is to be as in that run: only what is named differs"
            + "; --rebuild takes today's kernels on both sides" * bool(against.programs),
        )
    reference = tuple(spec for spec in new.specs if spec.role == "reference")
    left = tuple(_left(new, pairs))
    skipped = [
        *new.skipped,
        *(
            replace(one, what=f"{BASELINE}: {one.what}")
            for one in old.skipped
            if one not in new.skipped
        ),
        *against.left_out,
        *(one for spec in left if not against.with_unpaired for one in _told(spec, against)),
    ]
    both = (spec for pair in pairs for spec in _both(pair))
    rest = left if against.with_unpaired else ()
    left_out = len(old.points) - sum(len(_common(pair)) for pair in pairs)
    note = (
        f"left out, for the candidate has none like them: {left_out} "
        f"point{'s' * (left_out > 1)} of run {against.run}"
    )
    return replace(
        new,
        specs=(*both, *rest, *reference),
        skipped=tuple(dict.fromkeys(skipped)),
        notes=tuple(dict.fromkeys((*new.notes, *old.notes, *[note] * (left_out > 0)))),
    )


def _both(pair: Pair) -> tuple[LaunchSpec, LaunchSpec]:
    """Both with the points they have in common, launched alike."""
    common = _common(pair)
    new = replace(pair.new, points=tuple(p for p in pair.new.points if p.parameters in common))
    layout = pair.old.layout
    old = replace(
        new,
        name=f"{BASELINE}: {pair.old.name}",
        layout=layout,
        points=tuple(replace(point, layout=layout) for point in new.points),
        side=BASELINE,
        partner=new.name,
    )
    return new, old


def _left(new: Plan, pairs: Sequence[Pair]) -> Iterator[LaunchSpec]:
    """What of the candidate has no partner: whole specs, and points of specs that have one."""
    of_pairs = {pair.new.name: pair for pair in pairs}
    for spec in new.specs:
        if spec.role != "points":
            continue
        if spec.name not in of_pairs:
            yield spec
            continue
        common = _common(of_pairs[spec.name])
        points = tuple(point for point in spec.points if point.parameters not in common)
        if points:
            yield replace(spec, name=f"{spec.name}, the rest", points=points)


def _told(spec: LaunchSpec, against: Baseline) -> Iterator[Skipped]:
    known = Counter(_knows(against, point) for point in spec.points)
    for is_known, reason in ((True, _ONLY_NEW), (False, _UNKNOWN)):
        if count := known[is_known]:
            yield Skipped(f"{spec.name}: {count} point{'s' * (count > 1)}", reason)


def _of_known(plan: Plan, against: Baseline) -> Plan:
    """The plan of a baseline without points that its own programs may not know."""
    specs = (
        replace(spec, points=tuple(point for point in spec.points if _knows(against, point)))
        if spec.role == "points"
        else spec
        for spec in plan.specs
    )
    return replace(plan, specs=tuple(spec for spec in specs if spec.points))


def _knows(against: Baseline, point: Point) -> bool:
    """Whether the baseline's kernels know a point: those of today know every one."""
    if not against.programs:
        return True
    return as_chosen(point) in against.known_parameters.get(point.benchmark, ())

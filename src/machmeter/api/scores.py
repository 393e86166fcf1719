"""Scores of machines against the first one: SPEC-like, SSP, SSI and throughput."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from machmeter.analysis.scores.code_sets import left_out, set_components, why_unlike
from machmeter.analysis.scores.components import Components, ratio_components, speedups, ssp_rates
from machmeter.analysis.scores.scores import (
    Component,
    Score,
    ScoreKind,
    geometric_score,
    in_order,
    ssi_components,
    ssp,
    throughput_components,
    too_slow_for_ssi,
)
from machmeter.benchmarks.catalogue import is_primary
from machmeter.model.errors import UsageError
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import MachineComparison


class NoScoreError(UsageError):
    """The score cannot be made of the results that the machines have."""


class ScoreRequest(Struct, frozen=True):
    """Which score, and how it is made."""

    kind: ScoreKind
    """Defined in `machmeter.analysis.scores.scores`."""
    adjusted: bool = False
    """Where codes are missing: over those that all machines have."""
    every: bool = False
    """Over all results compared, not those of applications alone (SPEC-like)."""
    capability: dict[str, float] = field(default_factory=dict)
    """How many times larger the problem of a code was (SSI)."""
    weights: dict[str, float] = field(default_factory=dict)
    """Weight of a code among the others (SSI)."""
    fitting: bool = False
    """Of a set of codes: also over those that fit both machines."""


_NAMES = {
    ScoreKind.SPEC: "SPEC-like",
    ScoreKind.SSP: "SSP",
    ScoreKind.SSI: "SSI",
    ScoreKind.THROUGHPUT: "throughput",
}
_MADE_OF = {
    ScoreKind.SPEC: "result of an application (apps.*, workload.*)",
    ScoreKind.SSP: "code with the same problem and a rate in flop/s, or a time and its "
    "reference_tflop,",
    ScoreKind.SSI: "application with the same problem",
    ScoreKind.THROUGHPUT: "application with the same problem",
}


def scores_of(
    machines: Sequence[MachineResults],
    comparisons: Sequence[MachineComparison],
    request: ScoreRequest,
) -> tuple[Score, ...]:
    """The score of every other machine against the first (SSP: of all machines).

    All are over the same codes: those that any of the machines lacks count for none of them. Of
    machines with a set of codes they are those of the set; a score of those that fit both machines
    follows where it is requested.
    Raises NoScoreError where there is nothing to make a score of, and where a code is missing
    unless an adjusted score is requested; UsageError for a capability or weight of a code that
    there is not.
    """
    first, *others = machines
    if request.kind is ScoreKind.SSP:
        return _ssp_scores(first, others, request)
    made = [
        _components(first, other, comparison, request)
        for other, comparison in zip(others, comparisons, strict=True)
    ]
    _refuse_unknown_codes(made, request)
    code_set = first.code_set if request.kind is ScoreKind.SPEC else None
    lacking = tuple(dict.fromkeys(name for one in made for name in one.missing))
    for other, components in zip(others, made, strict=True):
        _refuse(components, request, first.id, other.id, code_set)
    found = []
    for other, comparison, components in zip(others, comparisons, made, strict=True):
        kept = tuple(one for one in components.found if one.name not in lacking)
        if not kept:
            raise NoScoreError(
                f"no code is common to {first.id} and all {len(others)} others",
                "score them one by one",
            )
        slow = too_slow_for_ssi(kept) if request.kind is ScoreKind.SSI else ()
        found.append(
            geometric_score(
                request.kind,
                kept,
                machine=other.id,
                reference=first.id,
                missing=lacking,
                adjusted=request.adjusted and bool(lacking),
                doubts=(*components.doubts, *slow),
                code_set=code_set.title if code_set else "",
            )
        )
        if request.fitting and code_set:
            unfit = left_out(first, other, comparison, code_set)
            found.append(_of_fitting(kept, found[-1], unfit))
    return tuple(found)


def _of_fitting(kept: Sequence[Component], whole: Score, unfit: dict[str, str]) -> Score:
    """The score without the codes that do not fit; `whole` is that of all."""
    fitting = tuple(one for one in kept if one.name not in unfit)
    if not fitting:
        raise NoScoreError(
            f"no code fits both {whole.reference} and {whole.machine}: "
            + "; ".join(f"{name}: {why}" for name, why in unfit.items()),
            "leave out --fitting",
        )
    return geometric_score(
        whole.kind,
        fitting,
        machine=whole.machine,
        reference=whole.reference,
        missing=whole.missing,
        adjusted=whole.adjusted,
        left_out=unfit,
        code_set=whole.code_set,
    )


def _components(
    first: MachineResults,
    other: MachineResults,
    comparison: MachineComparison,
    request: ScoreRequest,
) -> Components:
    """From primary metrics alone: others follow from these, and would count a launch twice."""
    reference, machine = (_of_primary(one) for one in (first, other))
    if request.kind is not ScoreKind.SPEC:
        return _of_whole_systems(reference, machine, request)
    if why := why_unlike(first, other):
        raise NoScoreError(f"no score of codes: {why}", "measure both: `machmeter run codes`")
    if first.code_set:
        return set_components(first, other, comparison, first.code_set)
    if request.fitting:
        raise UsageError(
            f"--fitting: {first.id} has no set of codes", "measure both: `machmeter run codes`"
        )
    figures = tuple(one for one in comparison.results if is_primary(one.a))
    return ratio_components(reference, replace(comparison, results=figures), every=request.every)


def _of_primary(machine: MachineResults) -> MachineResults:
    return replace(machine, estimates=tuple(filter(is_primary, machine.estimates)))


def _of_whole_systems(
    first: MachineResults, other: MachineResults, request: ScoreRequest
) -> Components:
    fast, uses = speedups(first, other)
    for machine in (first, other):
        if (fast.found or fast.doubts) and not (machine.parts.nodes or machine.parts.cores):
            raise NoScoreError(
                f"{_NAMES[request.kind]} needs the number of nodes of {machine.id}",
                "state it as [counts] in the machine's file",
            )
    try:
        if request.kind is ScoreKind.THROUGHPUT:
            return fast._replace(found=throughput_components(fast.found, uses))
        weighted = tuple(_weighted(one, request.weights) for one in fast.found)
        terms = ssi_components(weighted, uses, request.capability)
    except ValueError as error:
        raise NoScoreError(
            f"no {_NAMES[request.kind]} score: {error}", "state [counts] of both"
        ) from error
    return fast._replace(found=terms)


def _weighted(one: Component, weights: dict[str, float]) -> Component:
    return replace(one, weight=weights.get(one.name, 1.0))


def _ssp_scores(
    first: MachineResults, others: Sequence[MachineResults], request: ScoreRequest
) -> tuple[Score, ...]:
    """SSP of every machine; the codes of the first are those that each must have."""
    machines = (first, *others)
    rates = ssp_rates(machines)
    own = [{one.name for one in of.found} for of in rates]
    wanted = [*(one.name for one in rates[0].found), *rates[0].missing]
    common = set(wanted).intersection(*own)
    lacking = tuple(name for name in wanted if name not in common)
    lacks = next(
        (m.id for m, codes in zip(machines, own, strict=True) if not codes.issuperset(wanted)), ""
    )
    doubts = tuple(doubt for of in rates for doubt in of.doubts)
    found = []
    for machine, of in zip(machines, rates, strict=True):
        kept = tuple(one for one in of.found if one.name in common)
        _refuse(Components(kept, lacking, doubts), request, first.id, lacks)
        if not machine.parts.nodes:
            raise NoScoreError(
                f"SSP needs the number of nodes of {machine.id}",
                "state it as [counts] in the machine's file",
            )
        adjusted = request.adjusted and bool(lacking)
        found.append(
            ssp(
                kept,
                machine.parts.nodes,
                machine.id,
                missing=lacking,
                adjusted=adjusted,
                doubts=of.doubts,
            )
        )
    return (found[0], *(in_order(one, found[0]) for one in found[1:]))


def _refuse_unknown_codes(made: Sequence[Components], request: ScoreRequest) -> None:
    """What is mistyped would leave a score unweighted that looks weighted."""
    known = dict.fromkeys(
        name for of in made for name in (*(one.name for one in of.found), *of.missing)
    )
    for option, given in (("--capability", request.capability), ("--weight", request.weights)):
        for code in given:
            if code not in known:
                raise UsageError(
                    f"{option}: the score has no code {code!r}",
                    f"its codes: {', '.join(known) or 'none'}",
                )


def _refuse(
    components: Components,
    request: ScoreRequest,
    first: str,
    other: str,
    code_set: CodeSet | None = None,
) -> None:
    why = f" ({'; '.join(components.doubts)})" if components.doubts else ""
    if code_set and components.missing and (not components.found or not request.adjusted):
        raise NoScoreError(
            f"no base score of {other}: of {code_set.title}, {', '.join(components.missing)} lack "
            f"a result with all cores of both {first} and {other}{why}",
            "measure them: `machmeter run codes`"
            + "; --adjusted: a score over the others" * bool(components.found),
        )
    if not components.found:
        raise NoScoreError(
            f"no {_NAMES[request.kind]} score: the machines have no {_MADE_OF[request.kind]} in "
            f"common{why}",
            "`machmeter show machine NAME` lists the results of a machine"
            + "; --score-over all takes every result" * (request.kind is ScoreKind.SPEC),
        )
    if components.missing and not request.adjusted:
        raise NoScoreError(
            f"no base {_NAMES[request.kind]} score of {other}: it lacks "
            f"{', '.join(components.missing)}, which {first} has{why}",
            "--adjusted: an adjusted score over the common codes",
        )

"""What `machmeter compare` says: machines beside the first, and scores where one is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from machmeter.analysis.compare_machines import compare_machines, kept_to
from machmeter.analysis.score_components import Components, ratio_components, speedups, ssp_rates
from machmeter.analysis.scores import (
    Component,
    Score,
    ScoreKind,
    geometric_score,
    ssi_components,
    ssp,
    throughput_components,
    too_slow_for_ssi,
)
from machmeter.model.compared import MachineComparison
from machmeter.model.errors import UsageError
from machmeter.model.known import KnownMachine, Origin


class Compared(Struct, frozen=True):
    """What `compare --json` prints: each further machine beside the first.

    machines: without their figures; those that are compared stand in `comparisons`.
    """

    machines: tuple[KnownMachine, ...]
    comparisons: tuple[MachineComparison, ...]
    scores: tuple[Score, ...] = ()


class ScoreAsked(Struct, frozen=True):
    """Which score, whether over the common codes where some are missing, and over what.

    every: over all figures compared, not those of applications alone; capability, weights: by
    code, for SSI.
    """

    kind: ScoreKind
    adjusted: bool = False
    every: bool = False
    capability: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)


def compared(
    machines: Sequence[KnownMachine], benchmarks: Sequence[str], score: ScoreAsked | None = None
) -> Compared:
    """The machines beside the first one, kept to those benchmarks or groups where any is named.

    Raises UsageError for fewer than two machines, one that is named twice, and a score that cannot
    be made of their figures.
    """
    ids = [machine.id for machine in machines]
    if len(ids) < 2:
        raise UsageError("compare takes two machines or more", "`machmeter compare A B`")
    twice = next((one for one in ids if ids.count(one) > 1), "")
    if twice:
        raise UsageError(f"{twice} is named twice", "name each machine once")
    first, *others = (kept_to(machine, benchmarks) for machine in machines)
    comparisons = tuple(compare_machines(first, other) for other in others)
    scores = _scores(first, others, comparisons, score) if score else ()
    heads = tuple(replace(machine, estimates=()) for machine in (first, *others))
    return Compared(heads, comparisons, scores)


_MADE_OF = {
    ScoreKind.SPEC: "figure of an application (apps.*, workload.*)",
    ScoreKind.SSP: "code with a rate in flop/s, or a time with its reference_tflop,",
    ScoreKind.SSI: "application with the same problem",
    ScoreKind.THROUGHPUT: "application with the same problem",
}


def _scores(
    first: KnownMachine,
    others: Sequence[KnownMachine],
    comparisons: Sequence[MachineComparison],
    asked: ScoreAsked,
) -> tuple[Score, ...]:
    if asked.kind is ScoreKind.SSP:
        return _ssp_scores(first, others, asked)
    found = []
    for other, comparison in zip(others, comparisons, strict=True):
        if asked.kind is ScoreKind.SPEC:
            components = ratio_components(first, comparison, every=asked.every)
            doubts: tuple[str, ...] = ()
        else:
            components, doubts = _of_whole_systems(first, other, asked)
        _refuse(components, asked, first.id, other.id)
        found.append(
            geometric_score(
                asked.kind,
                components.found,
                machine=other.id,
                reference=first.id,
                missing=components.missing,
                adjusted=asked.adjusted and bool(components.missing),
                doubts=doubts,
            )
        )
    return tuple(found)


def _of_whole_systems(
    first: KnownMachine, other: KnownMachine, asked: ScoreAsked
) -> tuple[Components, tuple[str, ...]]:
    fast, uses = speedups(first, other)
    for machine in (first, other):
        if fast.found and not (machine.parts.nodes or machine.parts.cores):
            raise UsageError(
                f"{asked.kind.value} needs to know how many nodes {machine.id} has",
                "state it as [counts] in the machine's file",
            )
    try:
        if asked.kind is ScoreKind.THROUGHPUT:
            return Components(throughput_components(fast.found, uses), fast.missing), ()
        weighted = tuple(_weighted(one, asked.weights) for one in fast.found)
        terms = ssi_components(weighted, uses, asked.capability)
    except ValueError as error:
        raise UsageError(
            f"no {asked.kind.value} score: {error}", "state [counts] of both"
        ) from error
    return Components(terms, fast.missing), too_slow_for_ssi(fast.found)


def _weighted(one: Component, weights: dict[str, float]) -> Component:
    return replace(one, weight=weights.get(one.name, 1.0))


def _ssp_scores(
    first: KnownMachine, others: Sequence[KnownMachine], asked: ScoreAsked
) -> tuple[Score, ...]:
    """SSP of every machine; the codes of the first are those that each must have."""
    rates = {machine.id: ssp_rates(machine) for machine in (first, *others)}
    wanted = [one.name for one in rates[first.id]]
    common = set(wanted).intersection(*({one.name for one in of} for of in rates.values()))
    lacking = tuple(name for name in wanted if name not in common)
    own = {name: {one.name for one in of} for name, of in rates.items()}
    lacks = next((name for name, codes in own.items() if not codes.issuperset(wanted)), "")
    found = []
    for machine in (first, *others):
        kept = tuple(one for one in rates[machine.id] if one.name in common)
        _refuse(Components(kept, lacking), asked, first.id, lacks)
        if not machine.parts.nodes:
            raise UsageError(
                f"SSP needs to know how many nodes {machine.id} has",
                "state it as [counts] in the machine's file",
            )
        adjusted = asked.adjusted and bool(lacking)
        score = ssp(kept, machine.parts.nodes, machine.id, missing=lacking, adjusted=adjusted)
        found.append(score)
    return tuple(found)


def _refuse(components: Components, asked: ScoreAsked, first: str, other: str) -> None:
    if not components.found:
        raise UsageError(
            f"there is nothing to make a {asked.kind.value} score of: the machines compared have "
            f"no {_MADE_OF[asked.kind]} in common",
            "`machmeter show machine NAME` shows what a machine has"
            + "; --score-over all takes every figure" * (asked.kind is ScoreKind.SPEC),
        )
    if components.missing and not asked.adjusted:
        raise UsageError(
            f"no base {asked.kind.value} score of {other}: it lacks "
            f"{', '.join(components.missing)}, which {first} has",
            "--adjusted makes an adjusted score over the codes that both have",
        )


def told_apart(machines: Iterable[KnownMachine], names: Sequence[str]) -> tuple[KnownMachine, ...]:
    """The machines, those from files of equal name by the paths they were given as."""
    every = tuple(machines)
    ids = Counter(machine.id for machine in every)
    return tuple(
        replace(machine, id=name)
        if ids[machine.id] > 1 and machine.origin is not Origin.MEASURED
        else machine
        for machine, name in zip(every, names, strict=True)
    )


def numbers_by_code(option: str, texts: Sequence[str]) -> dict[str, float]:
    """`CODE=NUMBER` options by code. Raises UsageError for what is no number above 0."""
    found = {}
    for text in texts:
        code, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not (code and 0 < value < float("inf")):
            raise UsageError(f"{option} {text!r} is not CODE=NUMBER above 0", f"{option} neuron=4")
        found[code] = value
    return found

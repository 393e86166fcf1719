"""What the page of one machine says of its decisions and of what the studies claim of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from machmeter.model.results.finding import Confidence
from machmeter.published.claims_of_machine import StudyClaims, references_of
from machmeter.published.verdicts import ClaimVerdict, JudgedClaim, computed_text, printed_range
from machmeter.report.pages.machine_page_rows import Piece, anchor_of, pieces_of, place_of
from machmeter.run.compare.machine_findings import MachineDecision
from machmeter.text.findings import changes_text, confidence_text, rank
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_OF_PARTS = ("parts.", "counts.")
_MOST_NAMED = 8
_PRINTED = ", as printed, without interval"
_ORDER = (ClaimVerdict.CONTRADICTED, ClaimVerdict.REPRODUCED, ClaimVerdict.UNDECIDABLE)
_IN_A_COUNT = {
    ClaimVerdict.REPRODUCED: "reproduced",
    ClaimVerdict.CONTRADICTED: "contradicted by its own arithmetic",
    ClaimVerdict.UNDECIDABLE: "not decidable from what was printed",
}


class DecisionView(Struct, frozen=True):
    """A question with its answer, case by case where it has cases; how sure it is, and why."""

    question: str
    answer: str
    cases: tuple[str, ...]
    evidence: tuple[str, ...]
    sources: tuple[Piece, ...]
    flags: tuple[str, ...]


class ClaimRow(Struct, frozen=True):
    """One claim: its verdict, what its formulas come to beside what is printed, and its figures."""

    id: str
    section: str
    text: str
    verdict: str
    contradicted: bool
    computed: str
    rests_on: tuple[Piece, ...]
    note: str


class StudyView(Struct, frozen=True):
    """A study with how its claims stand, those that rest on the machine's figures apart."""

    anchor: str
    title: str
    source: tuple[Piece, ...]
    counts: str
    own: tuple[ClaimRow, ...]
    others: tuple[ClaimRow, ...]
    others_counts: str


def decision_views(decisions: Iterable[MachineDecision], source: str) -> tuple[DecisionView, ...]:
    """Decisions, those worth most first, as the page of a run orders them.

    source: the machine's, which is not repeated.
    """
    in_order = sorted(decisions, key=lambda decision: rank(decision.finding))
    return tuple(_decision(one, source) for one in in_order)


def study_view(claims: StudyClaims, machine: str, shown: set[str]) -> StudyView:
    """One study as it stands to the machine with that id; shown: places that the page has."""
    every = (*claims.own, *claims.others)
    return StudyView(
        f"study-{claims.study.id}",
        plain(claims.study.title, 200),
        (Piece(plain(claims.study.source, 300), claims.study.address),),
        f"{count_text(len(every), 'claim', 'claims')}: {_counts(every)}.",
        tuple(_claim(one, machine, shown) for one in _in_order(claims.own)),
        tuple(_claim(one, machine, shown) for one in _in_order(claims.others)),
        _counts(claims.others),
    )


def _decision(decision: MachineDecision, source: str) -> DecisionView:
    finding = decision.finding
    printed = finding.confidence is Confidence.PRINTED
    cases = finding.parts if len(finding.parts) > 1 else ()
    repeats = finding.evidence == "; ".join(cases)
    told = ["" if repeats else _without_printed(finding.evidence)]
    if not printed:
        told += [f"Confidence: {c}" for g in finding.grounds[:1] if (c := confidence_text(g))]
        told.append(changes_text(finding))
    if finding.source:
        told.append(f"Asked by {finding.source}" if printed else f"Source: {finding.source}")
    return DecisionView(
        plain(finding.question, 300),
        _without_printed(finding.answer),
        tuple(_without_printed(case) for case in cases),
        tuple(plain(text, 600) for text in told if text),
        pieces_of([place_of(one, source) for one in decision.sources]),
        tuple(plain(flag, 600) for flag in decision.flags),
    )


def _without_printed(text: str) -> str:
    """Without what the page says once for all figures."""
    return plain(text.replace(_PRINTED, ""), 1000)


def _in_order(judged: Iterable[JudgedClaim]) -> list[JudgedClaim]:
    return sorted(judged, key=lambda one: _ORDER.index(one.verdict))


def _counts(judged: Sequence[JudgedClaim]) -> str:
    found = Counter(one.verdict for one in judged)
    return ", ".join(f"{found[v]} {said}" for v, said in _IN_A_COUNT.items() if found[v])


def _claim(judged: JudgedClaim, machine: str, shown: set[str]) -> ClaimRow:
    claim = judged.claim
    return ClaimRow(
        claim.id,
        plain(claim.section, 120),
        plain(claim.text, 1000),
        judged.verdict.value.capitalize(),
        judged.verdict is ClaimVerdict.CONTRADICTED,
        _computed(judged),
        _rests_on(judged, machine, shown),
        plain(claim.note, 1000),
    )


def _computed(judged: JudgedClaim) -> str:
    """`451.5, printed: 100 to 200 x`. Empty where nothing is computed."""
    said = computed_text(judged)
    return plain(f"{said}; printed: {printed_range(judged.claim)}", 300) if said else ""


def _rests_on(judged: JudgedClaim, machine: str, shown: set[str]) -> tuple[Piece, ...]:
    """The figures that a claim names: those of this machine lead to their rows."""
    names = references_of(judged.claim)
    pieces: list[Piece] = []
    for name in names[:_MOST_NAMED]:
        of, _, figure = name.partition("/")
        place = "parts" if figure.startswith(_OF_PARTS) else anchor_of(figure)
        mine = of == machine
        if pieces:
            pieces.append(Piece(", "))
        pieces.append(
            Piece(figure if mine else name, f"#{place}" if mine and place in shown else "")
        )
    left = len(names) - _MOST_NAMED
    return (*pieces, Piece(f" and {left} more")) if left > 0 else tuple(pieces)

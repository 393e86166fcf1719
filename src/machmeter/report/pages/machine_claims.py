"""What the page of one machine says of its decisions and of what the studies claim of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from machmeter.model.results.finding import Confidence
from machmeter.published.claims_of_machine import StudyClaims, references_of
from machmeter.published.verdicts import ClaimVerdict, JudgedClaim, computed_text, printed_range
from machmeter.report.views.machine import Piece, anchor_of, pieces_of, place_of
from machmeter.run.compare.machine_findings import MachineFinding
from machmeter.text.findings.order import (
    changes_text,
    confidence_text,
    detail_lines,
    evidence_text,
    rank,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_OF_PARTS = ("parts.", "counts.")
_MOST_NAMED = 8
_ORDER = (ClaimVerdict.CONTRADICTED, ClaimVerdict.REPRODUCED, ClaimVerdict.UNDECIDABLE)
_IN_A_COUNT = {
    ClaimVerdict.REPRODUCED: "reproduced",
    ClaimVerdict.CONTRADICTED: "contradicted by its own arithmetic",
    ClaimVerdict.UNDECIDABLE: "not decidable from what was printed",
}


class DecisionView(Struct, frozen=True):
    """A question with its answer."""

    question: str
    """As the study puts it."""
    answer: str
    """In a sentence."""
    cases: tuple[str, ...]
    """Answers case by case, where there are cases."""
    evidence: tuple[str, ...]
    """The results compared."""
    sources: tuple[Piece, ...]
    """Where these are printed."""
    flags: tuple[str, ...]
    """What contradicts them."""


class ClaimRow(Struct, frozen=True):
    """One claim with its verdict."""

    id: str
    """As in the file of claims."""
    section: str
    """Of the study."""
    text: str
    """The claim."""
    verdict: str
    """With what its formulas give and what is printed."""
    contradicted: bool
    """Whether its own numbers contradict it."""
    computed: str
    """Values of its formulas."""
    rests_on: tuple[Piece, ...]
    """The figures it names."""
    note: str
    """What to know about it."""


class StudyView(Struct, frozen=True):
    """A study with its claims."""

    anchor: str
    """On the page."""
    title: str
    """Of the study."""
    source: tuple[Piece, ...]
    """With its address."""
    counts: str
    """Claims by verdict."""
    own: tuple[ClaimRow, ...]
    """Claims based on figures of the machine."""
    others: tuple[ClaimRow, ...]
    """The other claims."""
    others_counts: str
    """Those by verdict."""


def decision_views(decisions: Iterable[MachineFinding], source: str) -> tuple[DecisionView, ...]:
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


def _decision(decision: MachineFinding, source: str) -> DecisionView:
    finding = decision.finding
    published = finding.confidence is Confidence.PUBLISHED
    lines = detail_lines(finding)
    cases = lines if len(lines) > 1 else ()
    evidence = evidence_text(finding)
    notes = ["" if evidence == "; ".join(cases) else evidence]
    if not published:
        notes += [f"Confidence: {c}" for one in finding.cases[:1] if (c := confidence_text(one))]
        notes.append(changes_text(finding))
    if finding.source:
        notes.append(f"Asked by {finding.source}" if published else f"Source: {finding.source}")
    return DecisionView(
        plain(finding.question, 300),
        plain(finding.answer, 1000),
        tuple(plain(case, 1000) for case in cases),
        tuple(plain(text, 600) for text in notes if text),
        pieces_of([place_of(one, source) for one in decision.sources]),
        tuple(plain(flag, 600) for flag in decision.flags),
    )


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

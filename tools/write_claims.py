"""The document of what the studies claim, made from the published files and their arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from machmeter.published.format import ClaimKind, Claims
from machmeter.published.load import claim_names, published_claims
from machmeter.published.verdicts import ClaimVerdict, JudgedClaim, computed_text, judge_claims

_HEAD = """\
# What the studies claim

<!-- Made from src/machmeter/published by tools/write_docs.py: change it, then `make docs`. -->

Every claim of the studies that machmeter repeats, and whether it follows from the figures that the
same study prints. A verdict is never written down but computed each time, as
[published.md](published.md) tells; `computed` is what the formulas of a claim come to, in its unit.
Most claims that are not decidable are words, or a figure that nothing else is printed beside.
"""
_VERDICTS = (ClaimVerdict.REPRODUCED, ClaimVerdict.CONTRADICTED, ClaimVerdict.UNDECIDABLE)
_SHORT = {
    ClaimVerdict.REPRODUCED: "reproduced",
    ClaimVerdict.CONTRADICTED: "**contradicted**",
    ClaimVerdict.UNDECIDABLE: "not decidable",
}


def document_of_claims() -> str:
    """The document, in Markdown. Raises MachmeterError where a formula has no value."""
    studies = [published_claims(name) for name in claim_names()]
    judged = {study.id: judge_claims(study) for study in studies}
    parts = [
        _HEAD,
        *_counts("All claims", judged),
        *_counts("Quantitative claims", {s: _quantitative(of) for s, of in judged.items()}),
        *_contradicted(one for of in judged.values() for one in of),
    ]
    for study in studies:
        parts += _study(study, judged[study.id])
    return "\n".join(parts)


def _quantitative(judged: Iterable[JudgedClaim]) -> tuple[JudgedClaim, ...]:
    return tuple(one for one in judged if one.claim.kind is ClaimKind.QUANTITATIVE)


def _counts(title: str, judged: dict[str, tuple[JudgedClaim, ...]]) -> Iterator[str]:
    every = tuple(one for of in judged.values() for one in of)
    rows = [(f"[{name}](#{name})", of) for name, of in judged.items()] + [("all", every)]
    yield f"## {title}\n"
    yield from _table(
        ("study", "claims", *(_SHORT[verdict].strip("*") for verdict in _VERDICTS)),
        ((name, str(len(of)), *map(str, _count(of))) for name, of in rows),
    )
    yield ""


def _count(judged: Iterable[JudgedClaim]) -> list[int]:
    found = Counter(one.verdict for one in judged)
    return [found[verdict] for verdict in _VERDICTS]


def _contradicted(judged: Iterable[JudgedClaim]) -> Iterator[str]:
    """Claims that do not survive arithmetic, with the figures that carry their flag."""
    yield "## Contradicted by its own arithmetic\n"
    yield from _table(
        ("claim", "what it says", "computed", "flagged wherever shown", "note"),
        (
            (
                one.claim.id,
                one.claim.text,
                _computed(one),
                ", ".join(f"`{name}`" for name in one.claim.contradicts),
                one.claim.note,
            )
            for one in judged
            if one.verdict is ClaimVerdict.CONTRADICTED
        ),
    )
    yield ""


def _study(study: Claims, judged: Sequence[JudgedClaim]) -> Iterator[str]:
    counts = zip(_VERDICTS, _count(judged), strict=True)
    said = ", ".join(f"{count} {_SHORT[verdict].strip('*')}" for verdict, count in counts)
    yield f"## {study.id}\n"
    yield f"**{study.title}.** {study.source}. Machines: {', '.join(study.machines)}.\n"
    yield f"{len(judged)} claims: {said}.\n"
    yield from _table(
        ("claim", "section", "kind", "what it says", "verdict", "computed", "note"),
        (
            (
                one.claim.id,
                one.claim.section,
                one.claim.kind.value,
                one.claim.text,
                _SHORT[one.verdict],
                _computed(one),
                one.claim.note,
            )
            for one in judged
        ),
    )
    yield ""


def _computed(judged: JudgedClaim) -> str:
    """The values of a claim's formulas with their unit. Empty where there are none."""
    said = computed_text(judged)
    return f"{said} {judged.claim.unit}".strip() if said else ""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for cells in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

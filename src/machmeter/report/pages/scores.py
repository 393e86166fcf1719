"""The scores of a page of machines: components first, then the number with both its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.scores.scores import Component, Score, ScoreKind, component_bounds
from machmeter.model.results.machine import MachineResults
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.scores import score_chart
from machmeter.report.views.tables import Table, TableRow
from machmeter.text.numbers import NO_INTERVAL
from machmeter.text.plain import plain
from machmeter.text.scores import (
    SCORE_MEANINGS,
    SCORE_TITLES,
    score_interval,
    score_name,
    score_number,
    score_sentence,
    workload_sentence,
)

_INTERVALS = (
    "Measurement: uncertainty of the components, from their launches; there is none where a "
    "component has no confidence interval. Choice of codes: how far other codes of the kind would "
    "move the score, from the spread of the codes. The two intervals are independent."
)


class ScoreResult(Struct, frozen=True):
    """The outcome of a requested score: one of each machine, or why there is none."""

    kind: ScoreKind
    """Which score."""
    scores: tuple[Score, ...] = ()
    """One of each machine."""
    why: str = ""
    """Why there is none; empty where there are scores."""
    remedy: str = ""
    """What to do then."""


class ScoreSection(Struct, frozen=True):
    """A score on the page, its fields in the order of the page."""

    title: str
    """As a heading."""
    meaning: str
    """What the score is, with its source."""
    why: str
    """Why there is none; empty where there is one."""
    remedy: str
    """What to do then."""
    components: tuple[Table, ...]
    """A table for each machine."""
    chart: Chart | None
    """Components and score."""
    doubts: tuple[str, ...]
    """Caveats."""
    sentences: tuple[str, ...]
    """The scores, a sentence each."""
    table: Table
    """The scores with their intervals."""


def score_section(result: ScoreResult, machines: Sequence[MachineResults]) -> ScoreSection:
    """The section of a score; `machines` are those of the page, by their titles there."""
    titles = {machine.id: plain(machine.title, 60) for machine in machines}
    doubts = dict.fromkeys(doubt for score in result.scores for doubt in score.doubts)
    return ScoreSection(
        title=SCORE_TITLES[result.kind],
        meaning=SCORE_MEANINGS[result.kind],
        why=_sentence_of(plain(result.why, 600)),
        remedy=plain(result.remedy, 300),
        components=tuple(_components(score, titles) for score in result.scores),
        chart=score_chart(result.scores, titles),
        doubts=tuple(plain(doubt, 300) for doubt in doubts),
        sentences=tuple(_sentence(score, titles) for score in result.scores),
        table=_scores(result.scores, titles),
    )


def _sentence_of(text: str) -> str:
    return text[:1].upper() + text[1:]


def who_text(score: Score, titles: Mapping[str, str]) -> str:
    """Whose score it is: `Comet against Gordon`, of SSP the machine alone."""
    machine, reference = (
        titles.get(one, plain(one, 60)) for one in (score.machine, score.reference)
    )
    return f"{machine} versus {reference}" if reference else machine


def _sentence(score: Score, titles: Mapping[str, str]) -> str:
    without = f", without {plain(', '.join(score.missing), 200)}" if score.adjusted else ""
    return (
        f"{who_text(score, titles)}: {score_sentence(score)}{without}; {workload_sentence(score)}."
    )


def _components(score: Score, titles: Mapping[str, str]) -> Table:
    rate = score.kind is ScoreKind.SSP
    weighted = any(one.weight != 1 for one in score.components)
    rows = [_component_row(one, score.kind, weighted=weighted) for one in score.components]
    nothing = ("–",) * (3 + weighted)
    rows += [(plain(name, 120), "missing", *nothing) for name in score.missing]
    return Table(
        f"Components of the {score_name(score)}: {who_text(score, titles)}",
        (
            "code",
            "rate of one node" if rate else "value against the reference",
            "95 % interval",
            *(["weight"] * weighted),
            "made of",
            "source",
        ),
        tuple(rows),
        (1, 2, 3) if weighted else (1, 2),
        "Missing codes are left out for all machines." if score.missing else "",
    )


def _component_row(one: Component, kind: ScoreKind, *, weighted: bool) -> TableRow:
    return (
        plain(one.name, 120),
        score_number(one.value, kind),
        score_interval(one.value, *component_bounds(one), kind) or NO_INTERVAL,
        *([f"{one.weight:g}"] * weighted),
        plain(one.parts, 200) or "–",
        plain("; ".join(one.sources), 400) or "–",
    )


def _scores(scores: Sequence[Score], titles: Mapping[str, str]) -> Table:
    return Table(
        "Score, with its components above",
        ("machine", "score", "codes", "value", "measurement (95 %)", "choice of codes (95 %)"),
        tuple(_score_row(score, titles) for score in scores),
        (2, 3, 4, 5),
        _INTERVALS if scores else "",
    )


def _score_row(score: Score, titles: Mapping[str, str]) -> TableRow:
    without = f" (without {', '.join(score.missing)})" if score.adjusted else ""
    return (
        who_text(score, titles),
        plain(f"{score_name(score)}{without}", 200),
        str(len(score.components)),
        score_number(score.value, score.kind),
        score_interval(score.value, score.low, score.high, score.kind) or NO_INTERVAL,
        score_interval(score.value, score.workload_low, score.workload_high, score.kind)
        or "unknown: one code",
    )

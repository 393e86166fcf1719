"""The scores of a page of machines: components first, then the number with both its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from machmeter.analysis.scores.scores import Score, ScoreKind
from machmeter.model.results.machine import MachineResults
from machmeter.report.benchmarks.groups.codes.compared import ComparedCodes, compared_codes
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.scores import score_chart
from machmeter.report.table import Table
from machmeter.report.views.scores import component_table, printed_scores, score_table, who_text
from machmeter.text.plain import plain
from machmeter.text.scores import (
    SCORE_MEANINGS,
    SCORE_TITLES,
    order_sentence,
    score_sentence,
    workload_sentence,
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
    codes: ComparedCodes | None
    """Of a set of codes, how the threads of each scale on the first machine and the next."""
    doubts: tuple[str, ...]
    """Caveats."""
    sentences: tuple[str, ...]
    """The scores, a sentence each."""
    table: Table
    """The scores with their intervals."""
    printed: tuple[str, ...]
    """Published scores of the same kind, over other codes."""


def score_section(result: ScoreResult, machines: Sequence[MachineResults]) -> ScoreSection:
    """The section of a score; `machines` are those of the page, by their titles there."""
    titles = {machine.id: plain(machine.title, 60) for machine in machines}
    doubts = dict.fromkeys(doubt for score in result.scores for doubt in score.doubts)
    return ScoreSection(
        title=SCORE_TITLES[result.kind],
        meaning=SCORE_MEANINGS[result.kind],
        why=_sentence_of(plain(result.why, 600)),
        remedy=plain(result.remedy, 300),
        components=tuple(component_table(score, titles) for score in result.scores),
        # Those of a fitting score are among those of the score of all.
        chart=score_chart([one for one in result.scores if not one.fitting], titles),
        codes=compared_codes(result.scores[0], machines, titles) if result.scores else None,
        doubts=tuple(plain(doubt, 300) for doubt in doubts),
        sentences=tuple(_sentence(score, titles) for score in result.scores),
        table=score_table(result.scores, titles),
        printed=printed_scores(result.scores),
    )


def _sentence_of(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(score: Score, titles: Mapping[str, str]) -> str:
    without = f", without {plain(', '.join(score.missing), 200)}" if score.adjusted else ""
    first = titles.get(score.order.first, "") if score.order else ""
    ordered = order_sentence(score, first)
    said = (f"{score_sentence(score)}{without}", workload_sentence(score), ordered)
    return f"{who_text(score, titles)}: {'; '.join(filter(None, said))}."

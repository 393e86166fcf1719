"""Scores prepared for people: tables of components and of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.analysis.scores.scores import Component, Score, ScoreKind, component_bounds
from machmeter.report.table import Table, TableRow
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.studies.codes import CODES_STUDY
from machmeter.text.findings.order import published_text
from machmeter.text.numbers import NO_INTERVAL, NOTHING
from machmeter.text.plain import plain
from machmeter.text.scores import order_texts, score_interval, score_name, score_number

_INTERVALS = (
    "Measurement: uncertainty of the components, from their launches; there is none where a "
    "component has no confidence interval. Choice of codes: how far other codes of the kind would "
    "move the score, from the spread of the codes. The two intervals are independent."
)


def printed_scores(scores: Sequence[Score]) -> tuple[str, ...]:
    """What published machines say of scores over such a set of codes; nothing of other scores."""
    if not any(score.code_set for score in scores):
        return ()
    return tuple(published_text(one, sourced=True) for one in answers_of_study(CODES_STUDY))


def who_text(score: Score, titles: Mapping[str, str]) -> str:
    """Whose score it is: `Comet against Gordon`, of SSP the machine alone."""
    machine, reference = (_title(one, titles) for one in (score.machine, score.reference))
    return f"{machine} versus {reference}" if reference else machine


def component_table(score: Score, titles: Mapping[str, str]) -> Table:
    """The components of a score; titles: of machines by ID."""
    rate = score.kind is ScoreKind.SSP
    weighted = any(one.weight != 1 for one in score.components)
    rows = [_component_row(one, score.kind, weighted=weighted) for one in score.components]
    nothing = ("–",) * (3 + weighted)
    rows += [(plain(name, 120), "missing", *nothing) for name in score.missing]
    rows += [
        (plain(name, 120), "left out", *nothing[:-1], plain(why, 200))
        for name, why in score.left_out.items()
    ]
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


def score_table(scores: Sequence[Score], titles: Mapping[str, str]) -> Table:
    """Scores with both their intervals, a row a machine, and where it can be said which is higher,
    each over that of the first machine; titles: as in `component_table`."""
    firsts = [_title(one.order.first, titles) for one in scores if one.order]
    order = (f"over {firsts[0]} (95 %)", "order") if firsts else ()
    return Table(
        "Score, with its components above",
        (
            *("machine", "score", "codes", "value", "measurement (95 %)", "choice of codes (95 %)"),
            *order,
        ),
        tuple((*_score_row(score, titles), *_order_cells(score)[: len(order)]) for score in scores),
        (2, 3, 4, 5, *([6] if order else [])),
        _INTERVALS if scores else "",
    )


def _order_cells(score: Score) -> tuple[str, ...]:
    return order_texts(score.order) if score.order else (NOTHING, "first")


def _title(machine: str, titles: Mapping[str, str]) -> str:
    return titles.get(machine, plain(machine, 60))


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

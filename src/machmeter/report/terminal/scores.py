"""A score in a terminal: its components first, then the number with both its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console

from machmeter.analysis.scores.scores import Component, Score, ScoreKind, component_bounds
from machmeter.report.views.scores import printed_scores
from machmeter.text.numbers import NO_INTERVAL
from machmeter.text.plain import plain
from machmeter.text.scores import (
    SCORE_TITLES,
    order_sentence,
    score_interval,
    score_number,
    score_sentence,
    workload_sentence,
)

MAX_COLUMNS = 100
_NAME, _VALUE = 26, 24
_INDENT = "    "


def print_scores(scores: Sequence[Score], console: Console) -> None:
    """Print scores, and published ones beside them; lines are at most 100 columns wide."""
    lines = [line for score in scores for line in score_lines(score)]
    if printed := printed_scores(scores):
        lines += ["", "As printed, of other codes and inputs", *(f"  {text}" for text in printed)]
    columns = min(console.width, MAX_COLUMNS)
    for line in lines:
        for part in _wrapped(line, columns):
            console.print(part, soft_wrap=True, highlight=False, markup=False)


def score_lines(score: Score) -> list[str]:
    """A score in lines: title, components, missing codes, the number, its intervals."""
    against = f" versus {score.reference}" if score.reference else ""
    lines = ["", f"{SCORE_TITLES[score.kind]}: {score.machine}{against}"]
    lines += [_component(one, score.kind) for one in score.components]
    lines += [f"  {name:<{_NAME}} missing" for name in score.missing]
    lines += [f"  {name:<{_NAME}} left out: {why}" for name, why in score.left_out.items()]
    lines += [f"  caveat: {doubt}" for doubt in score.doubts]
    said = (score_sentence(score), workload_sentence(score), order_sentence(score))
    return [*lines, *(f"  {sentence}" for sentence in said if sentence)]


def _wrapped(line: str, columns: int) -> list[str]:
    return wrap(plain(line), columns, subsequent_indent=_INDENT, break_on_hyphens=False) or [""]


def _component(one: Component, kind: ScoreKind) -> str:
    value = score_number(one.value, kind) + " a node" * (kind is ScoreKind.SSP)
    known = f"{value} {score_interval(one.value, *component_bounds(one), kind)}".strip()
    weight = f", weight {one.weight:g}" if one.weight != 1 else ""
    printed = f", {NO_INTERVAL}" if one.as_printed else ""
    return f"  {one.name:<{_NAME}} {known:>{_VALUE}}  {one.parts}{printed}{weight}"

"""A score in a terminal: its components first, then the number with both its intervals."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from machmeter.analysis.scores import Component, Score, ScoreKind
from machmeter.model.units import FLOPS, format_value, is_unbounded
from machmeter.report.compare_words import times_text
from machmeter.report.words import count_text, plain

_TITLES = {
    ScoreKind.SPEC: "SPEC-like score (geometric mean of ratios)",
    ScoreKind.SSP: "Sustained System Performance (nodes x geometric mean of rates)",
    ScoreKind.SSI: "Scalable System Improvement (capability x utilization x speed-up)",
    ScoreKind.THROUGHPUT: "Throughput (jobs that end when copies fill the machine)",
}


def print_score(score: Score, console: Console) -> None:
    """Print one score; lines are at most 100 columns wide."""
    for line in score_lines(score):
        text = Text(plain(line))
        text.truncate(min(console.width, 100), overflow="ellipsis")
        console.print(text, soft_wrap=True, highlight=False, markup=False)


def score_lines(score: Score) -> list[str]:
    """A score in lines: title, components, missing codes, the number, its intervals."""
    against = f" against {score.reference}" if score.reference else ""
    lines = ["", f"{_TITLES[score.kind]}: {score.machine}{against}"]
    lines += [_component(one, score.kind) for one in score.components]
    lines += [f"  {name:<32} missing" for name in score.missing]
    lines += [f"  mind: {doubt}" for doubt in score.doubts]
    name = "adjusted score" if score.adjusted else "base score" if score.reference else "score"
    codes = f"over {count_text(len(score.components), 'code', 'codes')}"
    value = _value(score.value, score.kind)
    known = "as printed, no interval of measurement"
    if not score.as_printed:
        known = f"measured within {_interval(score.low, score.high, score.kind)}"
    lines.append(f"  {name}, {codes}: {value}; {known}")
    if is_unbounded(score.workload_high):
        lines.append("  how far other codes would move it is not known: one code says nothing")
    else:
        bounds = _interval(score.workload_low, score.workload_high, score.kind)
        lines.append(f"  other codes of the kind would put it within {bounds} (95 %)")
    return lines


def _component(one: Component, kind: ScoreKind) -> str:
    value = _value(one.value, kind) + " a node" * (kind is ScoreKind.SSP)
    weight = f", weight {one.weight:g}" if one.weight != 1 else ""
    printed = ", as printed" if one.as_printed else ""
    return f"  {one.name[:32]:<32} {value:>18}  {one.parts}{printed}{weight}"


def _value(value: float, kind: ScoreKind) -> str:
    return format_value(value, FLOPS) if kind is ScoreKind.SSP else times_text(value)


def _interval(low: float, high: float, kind: ScoreKind) -> str:
    return f"[{_value(low, kind)}, {_value(high, kind)}]"

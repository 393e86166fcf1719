"""Scores in words, for terminals and pages: what each is, its numbers, both its intervals."""

from __future__ import annotations

from machmeter.analysis.scores.scores import Score, ScoreKind
from machmeter.model.units import FLOPS, format_value, is_unbounded
from machmeter.text.compare_words import times_text
from machmeter.text.numbers import count_text

AS_PRINTED = "as printed, no interval of measurement"
SCORE_TITLES = {
    ScoreKind.SPEC: "SPEC-like score (geometric mean of ratios)",
    ScoreKind.SSP: "Sustained System Performance (nodes x geometric mean of rates)",
    ScoreKind.SSI: "Scalable System Improvement (capability x utilization x speed-up)",
    ScoreKind.THROUGHPUT: "Throughput (jobs that end when copies fill the machine)",
}
SCORE_MEANINGS = {
    ScoreKind.SPEC: "Geometric mean of the ratios to the reference machine, one of each code "
    "(SPEC; Fleming and Wallace, CACM 29, 1986).",
    ScoreKind.SSP: "Nodes of the whole machine, times the geometric mean of the rates of one "
    "node: reference operations over time and nodes used (NERSC-8).",
    ScoreKind.SSI: "Weighted geometric mean of capability x utilization x speed-up against the "
    "reference machine (NERSC, APEX). Utilization: how many more such jobs the machine holds.",
    ScoreKind.THROUGHPUT: "Geometric mean of utilization x speed-up against the reference machine: "
    "jobs that end in a time when copies of one fill the machine (NERSC, APEX, without capability "
    "and weights).",
}


def score_number(value: float, kind: ScoreKind) -> str:
    """A score or component: a ratio, or of SSP flop/s."""
    return format_value(value, FLOPS) if kind is ScoreKind.SSP else times_text(value)


def bounds_text(low: float, high: float, kind: ScoreKind) -> str:
    """A 95 % interval in brackets; empty where there is none."""
    if is_unbounded(high):
        return ""
    return f"[{score_number(low, kind)}, {score_number(high, kind)}]"


def score_name(score: Score) -> str:
    """`base score`, `adjusted score`; SSP, which has no reference, is a `score`."""
    if score.adjusted:
        return "adjusted score"
    return "base score" if score.reference else "score"


def score_sentence(score: Score) -> str:
    """`base score, over 4 codes: 1.28x; as printed, no interval of measurement`."""
    within = bounds_text(score.low, score.high, score.kind)
    known = AS_PRINTED if score.as_printed else f"measured within {within}"
    codes = count_text(len(score.components), "code", "codes")
    number = score_number(score.value, score.kind)
    return f"{score_name(score)}, over {codes}: {number}; {known}"


def workload_sentence(score: Score) -> str:
    """How far another choice of codes would move the score."""
    within = bounds_text(score.workload_low, score.workload_high, score.kind)
    if not within:
        return "how far other codes would move it is not known: one code says nothing"
    return f"other codes of the kind would put it within {within} (95 %)"

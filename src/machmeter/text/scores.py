"""Scores as text, for terminals and pages: what each is, its numbers, both its intervals."""

from __future__ import annotations

from machmeter.analysis.scores.scores import Score, ScoreKind, ScoreOrder
from machmeter.model.units import FLOPS, format_value, is_unbounded
from machmeter.text.numbers import count_text, interval_text, ratio_number, ratio_text
from machmeter.text.plain import plain

AS_PRINTED = "no confidence interval of the measurement"
SCORE_TITLES = {
    ScoreKind.SPEC: "SPEC-like score (geometric mean of ratios)",
    ScoreKind.SSP: "Sustained System Performance (nodes x geometric mean of rates)",
    ScoreKind.SSI: "Scalable System Improvement (capability x utilization x speedup)",
    ScoreKind.THROUGHPUT: "Throughput (jobs that end when copies fill the machine)",
}
SCORE_MEANINGS = {
    ScoreKind.SPEC: "Geometric mean of the ratios to the reference machine, one of each code "
    "(SPEC; Fleming and Wallace, CACM 29, 1986).",
    ScoreKind.SSP: "Nodes of the whole machine, times the geometric mean of the rates of one "
    "node: reference operations over time and nodes used (NERSC-8).",
    ScoreKind.SSI: "Weighted geometric mean of capability x utilization x speedup against the "
    "reference machine (NERSC, APEX). Utilization: how many more such jobs the machine holds.",
    ScoreKind.THROUGHPUT: "Geometric mean of utilization x speedup against the reference machine: "
    "jobs that end in a time when copies of one fill the machine (NERSC, APEX, without capability "
    "and weights).",
}


def score_number(value: float, kind: ScoreKind) -> str:
    """A score or component: a ratio, or of SSP flop/s."""
    return format_value(value, FLOPS) if kind is ScoreKind.SSP else ratio_text(value)


def score_interval(value: float, low: float, high: float, kind: ScoreKind) -> str:
    """The 95 % interval of a score or component, on the scale of `value`; empty where none is."""
    if is_unbounded(high):
        return ""
    if kind is ScoreKind.SSP:
        return interval_text(low, high, value, FLOPS)
    return f"[{ratio_number(low)}, {ratio_number(high)}]"


def score_name(score: Score) -> str:
    """`base score`, `adjusted score`, of codes that fit both machines `fitting score`; SSP, which
    has no reference, is a `score`."""
    if score.fitting:
        return "fitting score"
    if score.adjusted:
        return "adjusted score"
    return "base score" if score.reference else "score"


def score_sentence(score: Score) -> str:
    """`base score of 4 codes: 1.28x; measurement [1.20, 1.36]`."""
    within = score_interval(score.value, score.low, score.high, score.kind)
    known = AS_PRINTED if score.as_printed else f"measurement {within}"
    codes = count_text(len(score.components), "code", "codes")
    number = score_number(score.value, score.kind)
    of_set = f" ({score.code_set})" if score.code_set else ""
    return f"{score_name(score)} of {codes}{of_set}: {number}; {known}"


def order_sentence(score: Score, first: str = "") -> str:
    """`1.47x [1.40, 1.55] of hopper's: higher`; empty where the score has no order. first: title of
    the machine that it is compared with."""
    if score.order is None:
        return ""
    ratio, verdict = order_texts(score.order)
    return f"{ratio} of {first or plain(score.order.first, 60)}'s: {verdict}"


def order_texts(order: ScoreOrder) -> tuple[str, str]:
    """`1.47x [1.40, 1.55]` and `higher`: a score over that of the first machine, and a verdict."""
    within = score_interval(order.ratio, order.low, order.high, ScoreKind.SPEC)
    ratio = f"{ratio_text(order.ratio)} {within}".strip()
    if not within:
        return ratio, "without intervals of both no order is called"
    if order.resolved:
        return ratio, "higher" if order.low > 1 else "lower"
    return ratio, "inconclusive"


def workload_sentence(score: Score) -> str:
    """How far another choice of codes would move the score."""
    within = score_interval(score.value, score.workload_low, score.workload_high, score.kind)
    if not within:
        return "choice of codes: unknown with one code"
    return f"choice of codes {within} (95 %)"

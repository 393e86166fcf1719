"""A run in one line: how much was decided, how much was measured, how precisely."""

from __future__ import annotations

from machmeter.model.plan.launch import Verdict
from machmeter.model.results.estimate import AnswerStatus
from machmeter.model.results.run import RunResult
from machmeter.text.words import count_text


def verdict_text(result: RunResult) -> str:
    """`9 of 12 questions are decided. 401 figures of 1,203 launches, 380 as precise as asked.`"""
    return " ".join(text for text in (_questions(result), _figures(result)) if text)


def _questions(result: RunResult) -> str:
    asked = len(result.findings)
    if not asked:
        return ""
    decided = sum(f.standing is AnswerStatus.DECIDED for f in result.findings)
    verb = "is" if decided == 1 else "are"
    return f"{decided} of {count_text(asked, 'question', 'questions')} {verb} decided."


def _figures(result: RunResult) -> str:
    if not result.estimates:
        return "There is no figure."
    of_baseline = {spec.name for spec in result.plan.specs if spec.variant.is_baseline}
    accepted = sum(
        o.verdict is Verdict.ACCEPTED and o.spec not in of_baseline for o in result.outcomes
    )
    figures = count_text(len(result.estimates), "figure", "figures")
    launches = count_text(accepted, "launch", "launches")
    reached = sum(e.reached for e in result.estimates)
    precision = 100 * result.plan.precision.half_width
    how = "all" if reached == len(result.estimates) else f"{reached:,}"
    return f"{figures} from {launches}, {how} within the ±{precision:g} % asked."

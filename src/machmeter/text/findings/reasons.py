"""Why a layout is better or worse, one line a part of the time."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.reasons.reasons import Reason
from machmeter.model.plan.question import Phase
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.text.numbers import share_text

_PARTS = {
    Phase.COMPUTE: "computing",
    Phase.HALO: "exchange with neighbors",
    Phase.COLLECTIVE: "communication of all ranks",
    Phase.REST: "the rest",
}


def reason_texts(reasons: Sequence[Reason], verdict: ComparisonVerdict) -> tuple[str, ...]:
    """One text a phase; those that speak against the verdict last, and called so."""
    against = {ComparisonVerdict.FASTER: -1, ComparisonVerdict.SLOWER: 1}.get(verdict, 0)
    opposed = [one for one in reasons if one.saved.value * against > 0]
    others = [one for one in reasons if one not in opposed]
    return (
        *map(reason_text, others),
        *(f"against it, {reason_text(one)}" for one in opposed),
    )


def reason_text(reason: Reason) -> str:
    """`exchange with neighbors saves 21.3 % [19.8, 22.9] of the time, consistent with fewer
    messages (96 to 24)`."""
    saved = reason.saved
    verb, low, high, of = "saves", saved.low, saved.high, "of"
    if saved.value < 0:
        verb, low, high, of = "adds", -saved.high, -saved.low, "to"
    amount = share_text(abs(saved.value), low, high)
    text = f"{_PARTS[reason.part]} {verb} {amount} {of} the time"
    if reason.cause is None:
        return text
    counted = reason.messages
    messages = f" ({counted[0]:,.0f} to {counted[1]:,.0f})" if counted else ""
    return f"{text}, consistent with {reason.cause.value}{messages}"

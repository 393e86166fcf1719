"""The two sides of a run in words."""

from __future__ import annotations

from collections import Counter

from machmeter.analysis.compare_machines import Standing, regressions, standing_of
from machmeter.model.compared import MachineComparison
from machmeter.report.words import count_text


def slower_text(comparison: MachineComparison) -> str:
    """In how many figures the new side is worse by what matters, and what is not known."""
    if not comparison.figures:
        return "No figure was measured on both sides."
    count = len(regressions(comparison))
    verb = "is" if count == 1 else "are"
    worse = f"{count_text(count, 'figure', 'figures')} {verb} worse by more than 2 % (2 points)."
    text = worse if count else "Nothing is known to be worse by more than 2 % (2 points)."
    open_ones = Counter(map(standing_of, comparison.figures))[Standing.UNRESOLVED]
    if not open_ones:
        return text
    verb = "is" if open_ones == 1 else "are"
    return (
        f"{text} {count_text(open_ones, 'figure', 'figures')} {verb} not resolved: more launches "
        "tell (--least, --budget)."
    )

"""Why a layout is better, as people read it."""

from __future__ import annotations

from machmeter.analysis.reasons.reasons import Cause, Reason
from machmeter.analysis.stats.comparison import Difference
from machmeter.model.plan.question import Phase
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.text.findings.reasons import reason_text, reason_texts


def difference(value: float, low: float, high: float) -> Difference:
    return Difference(value, low, high, True, 9, 0.001, ComparisonVerdict.FASTER)


def test_a_saving_has_its_interval_its_cause_and_the_messages_it_rests_on() -> None:
    saved = difference(0.213, 0.198, 0.229)
    text = reason_text(Reason(Phase.HALO, saved, Cause.FEWER_MESSAGES, (96.0, 24.0)))
    assert "21.3 % [19.8, 22.9]" in text
    assert text.endswith("consistent with fewer messages (96 to 24)")


def test_a_cost_is_written_above_zero_with_the_lower_end_first() -> None:
    text = reason_text(Reason(Phase.REST, difference(-0.1, -0.12, -0.08)))
    assert "adds 10.0 % [8.0, 12.0] to" in text
    assert "consistent" not in text


def test_what_speaks_against_the_verdict_comes_last_and_is_called_so() -> None:
    saves = Reason(Phase.HALO, difference(0.2, 0.1, 0.3))
    adds = Reason(Phase.COMPUTE, difference(-0.1, -0.12, -0.08))
    slower = reason_texts([saves, adds], ComparisonVerdict.SLOWER)
    assert slower == (reason_text(adds), f"against it, {reason_text(saves)}")
    same = reason_texts([saves, adds], ComparisonVerdict.SAME)
    assert same == (reason_text(saves), reason_text(adds))

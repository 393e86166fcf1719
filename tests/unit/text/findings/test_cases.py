"""The evidence of a case names what the compared results share."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.outcome import BetterOutcome, CaseResult
from machmeter.analysis.rules.trial import Trial
from machmeter.model.layout import Layout
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Confidence
from machmeter.text.findings.cases import words_of
from tests.support.made_up.estimates import made_up


def triad(stores: str, value: float) -> Estimate:
    point = {"kernel": "triad", "stores": stores, "size": 2**26}
    return made_up("memory.stream", point, Layout(), "stream_bandwidth", value)


@pytest.mark.parametrize(
    ("stores", "evidence"),
    [
        ("nontemporal", "triad, 64 MiB, nontemporal: 30.0 GB/s against 20.0 GB/s"),
        ("temporal", "triad, 64 MiB: 30.0 GB/s against 20.0 GB/s"),
    ],
)
def test_evidence_names_the_parameters_that_both_values_share(stores: str, evidence: str) -> None:
    ratio = Comparison(1.5, 1.4, 1.6, False, 8.0, 0.001, ComparisonVerdict.FASTER)
    trial = Trial(triad("nontemporal", 30e9), triad(stores, 20e9), ratio)
    words = words_of(CaseResult(BetterOutcome(trial), True, Confidence.SURE))
    assert words.evidence == evidence
    assert words.setting == evidence.partition(": ")[0]


def test_threads_that_both_have_are_part_of_the_setting() -> None:
    ratio = Comparison(1.5, 1.4, 1.6, False, 8.0, 0.001, ComparisonVerdict.FASTER)
    one, other = (
        replace(e, point=replace(e.point, layout=Layout(threads_per_rank=2)))
        for e in (triad("nontemporal", 30e9), triad("temporal", 20e9))
    )
    words = words_of(CaseResult(BetterOutcome(Trial(one, other, ratio)), True, Confidence.SURE))
    assert words.setting == "triad, 64 MiB, 2 threads"

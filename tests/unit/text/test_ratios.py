"""A ratio with its interval: written one way, and the same wherever a comparison is shown."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.rules.outcome import BetterOutcome, CaseResult
from machmeter.analysis.rules.trial import Trial
from machmeter.model.layout import Layout
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import Confidence
from machmeter.model.results.machine_comparison import Basis
from machmeter.report.drawing.panels import ratio_row
from machmeter.report.pages.comparison import ComparedMachine, comparison_charts, render_comparison
from machmeter.report.terminal.comparison import print_comparison
from machmeter.text.findings.cases import words_of
from machmeter.text.ratios import bounded_ratio_text, comparison_text
from tests.support.documents.chart_rows import rows_of
from tests.support.documents.page_outline import Outline
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine

FIRST = made_up("network.latency", {"size": 8}, Layout(ranks_per_node=2), "latency", 1e-6)


def made_up_comparison(ratio: float, low: float, high: float) -> Comparison:
    verdict = ComparisonVerdict.FASTER if low > 1 else ComparisonVerdict.SLOWER
    return Comparison(ratio, low, high, False, 8.0, 0.001, verdict)


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        (1.9234, 1.846, 2.004, "1.92x [1.85, 2.00]"),
        (9.53, 8.91, 10.26, "9.53x [8.91, 10.26]"),
        (0.04116, 0.0404, 0.04199, "0.0412x [0.0404, 0.042]"),
        (1234.4, 1198.2, 1270.9, "1,234x [1,198, 1,271]"),
    ],
)
def test_one_comparison_reads_the_same_everywhere(
    ratio: float, low: float, high: float, text: str
) -> None:
    comparison = made_up_comparison(ratio, low, high)
    assert bounded_ratio_text(comparison) == comparison_text(comparison) == text
    outcome = BetterOutcome(Trial(FIRST, FIRST, comparison))
    assert words_of(CaseResult(outcome, True, Confidence.SURE)).numbers == text
    assert str(ratio_row(1, "candidate", comparison)["label"]).startswith(text)
    machines = machine("first", FIRST), machine("second", FIRST)
    found = compare_machines(*machines)
    (result,) = found.results
    same = replace(found, results=(replace(result, by={Basis.AS_MEASURED: comparison}),))
    out = io.StringIO()
    print_comparison(machines, [same], Console(file=out, width=100, highlight=False))
    # A long interval is on the line below its ratio.
    assert all(part in out.getvalue() for part in text.split(" ", 1))
    compared = [ComparedMachine(one) for one in machines]
    assert text in Outline(render_comparison(compared, [same])).words
    (chart,) = comparison_charts(machines, [same])
    assert text in {row.get("numbers") for row in rows_of(chart)}

"""The one thing to try first by what a run saw: the headline of its results."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.finding import CaseEvidence, Confidence
from machmeter.model.results.run import RunResult
from machmeter.report.views.launch_lines import faster_layout
from machmeter.text.plain import plain
from machmeter.text.ratios import bounded_ratio_text
from machmeter.text.runs import caveat_text


class BestAdvice(Struct, frozen=True):
    """What to do first."""

    text: str
    """What it gains, and what to do."""
    caveat: Caveat | None = None
    """The caveat that it is, which need not be shown again; None where a finding says it."""


def best_advice(result: RunResult) -> BestAdvice | None:
    """Another MPI library that was faster in its few launches, by which every message would gain;
    else the layout of a program, or the setting that surely gains most over the defaults (ADR 48).
    None where nothing was."""
    library = next((c for c in result.caveats if c.kind is CaveatKind.FASTER_LIBRARY), None)
    if library is not None:
        return BestAdvice(caveat_text(library), library)
    if result.header.request.explores:
        layout = faster_layout(result)
        return BestAdvice(plain(f"Fastest: {layout.answer}")) if layout else None
    cases = (case for finding in result.findings for case in finding.cases)
    setting = max(filter(_gains, cases), key=_least, default=None)
    return BestAdvice(_setting_text(setting)) if setting else None


def further_caveats(advice: BestAdvice | None, result: RunResult) -> tuple[Caveat, ...]:
    """The caveats of a run but for the one that its best advice says."""
    said = advice.caveat if advice else None
    return tuple(caveat for caveat in result.caveats if caveat != said)


def _gains(case: CaseEvidence) -> bool:
    return bool(case.settings) and case.confidence is Confidence.SURE and _least(case) > 1


def _least(case: CaseEvidence) -> float:
    """The least that it gains, a ratio."""
    return case.comparison.low if case.comparison else 0.0


def _setting_text(case: CaseEvidence) -> str:
    """`13.3x [12.0, 14.6] better (parallel, 2 threads): set OMP_WAIT_POLICY=active`."""
    ratio = bounded_ratio_text(case.comparison) if case.comparison else ""
    where = ", ".join(filter(None, (case.label, case.setting)))
    return plain(f"{ratio} better{where and f' ({where})'}: {case.advice}")

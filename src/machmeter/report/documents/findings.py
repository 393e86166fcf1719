"""The findings of a run as a table: one row a case."""

from __future__ import annotations

from machmeter.model.results.finding import CaseEvidence, Finding
from machmeter.model.results.run import RunResult
from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.text.findings.order import (
    answered,
    by_importance,
    confidence_text,
    counted_text,
    one_machine_text,
)
from machmeter.text.numbers import NOTHING
from machmeter.text.plain import plain

_COLUMNS = ("question", "case", "answer", "advice", "confidence", "evidence", "launches")


def findings_document(result: RunResult, *, every: bool) -> Document:
    """Decisions first; every: also what cannot be decided here."""
    header = result.header
    title = f"{header.machine.name or header.machine.host}: {', '.join(header.request.names)}"
    shown = by_importance(result) if every else answered(result)
    rows = tuple(_row(finding, case) for finding in shown for case in finding.cases)
    tables = (Table("Findings", _COLUMNS, rows, (6,)),) if rows else ()
    line = counted_text(result) if result.findings else "This run has no questions."
    lines = (line, said) if (said := one_machine_text(result)) else (line,)
    return Document(plain(f"{title} (run {header.id})"), tables, lines)


def _row(finding: Finding, case: CaseEvidence) -> TableRow:
    return (
        finding.question,
        case.label or NOTHING,
        case.answer,
        case.advice or NOTHING,
        confidence_text(case) or NOTHING,
        case.evidence or NOTHING,
        str(case.launches) if case.launches else NOTHING,
    )

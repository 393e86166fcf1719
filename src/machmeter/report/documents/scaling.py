"""Scaling as tables: a row a series, and the counts and laws of each."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.scaling import Scaling, ScalingReport
from machmeter.report.documents.document import Document
from machmeter.report.table import Table
from machmeter.report.views.scaling import counts_table, laws_table, summary_table
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.scaling import headline, law_note


def scaling_document(report: ScalingReport) -> Document:
    """Every series in one table, then each by itself."""
    tables = [replace(summary_table(report.series), caption="All results")] if report.series else []
    for one in report.series:
        tables += _tables(one)
    count = count_text(len(report.series), "result", "results")
    required = f"A doubling scales where its speedup is {report.least_gain:g}x or more."
    return Document(
        f"{plain(report.title, 70)}: scaling of {count}", tuple(tables), (required, *report.notes)
    )


def _tables(one: Scaling) -> list[Table]:
    notes = " ".join((f"{headline(one)}.", *one.notes))
    counts = replace(counts_table(one), caption=one.name, note=notes)
    laws = replace(laws_table(one), caption=f"{one.name}: laws", note=law_note(one))
    return [counts, *([laws] if one.laws else [])]

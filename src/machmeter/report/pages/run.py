"""The page of a run: one HTML file that holds everything it needs and loads nothing.

Importing this module loads Altair: import it only where a page is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from machmeter.layout.assign import even_shares
from machmeter.model.display import Definition
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.finding import AnswerStatus
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.benchmarks.charts import charts_of
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.section import Section, sections_of
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.benchmarks.tables import tables_of
from machmeter.report.drawing.chart import Chart
from machmeter.report.pages.ab import ab_section
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, safe_json, write_whole
from machmeter.report.pages.ratio_rows import ratio_plot
from machmeter.report.views import tables
from machmeter.report.views.comparison import MachineLinks, comparison_sections, refusal_table
from machmeter.report.views.records import RecordSets, RecordsPlace
from machmeter.report.views.results import LinkedResults, linked_results
from machmeter.text.comparison import MachinePair, verdict_text
from machmeter.text.findings.order import (
    by_importance,
    changes_text,
    detail_lines,
    evidence_text,
)
from machmeter.text.numbers import count_text, duration_text, time_text
from machmeter.text.plain import plain
from machmeter.text.runs import (
    caveat_text,
    hardware_text,
    machine_properties,
    run_verdict_text,
    software_properties,
)

CHART_BYTES = 550_000
_TABLE_ROWS = (2000, 1000, 500, 100, 20)
_TEMPLATE = "report.html.j2"


class RunSection(Struct, frozen=True):
    """What the page shows of one benchmark."""

    anchor: str
    """On the page."""
    name: str
    """Of the benchmark."""
    title: str
    """Of the benchmark."""
    summary: str
    """What it measures."""
    charts: tuple[Chart, ...]
    """Those that the page has room for."""
    tables: tuple[tables.Table, ...]
    """Before the table of all results."""
    left_out: tuple[str, ...] = ()
    """Titles of charts that the page has no room for."""
    definitions: tuple[Definition, ...] = ()
    """Terms that the results need."""
    results: LinkedResults | None = None
    """All results; None until it is known how much room there is."""


def write_page(
    result: RunResult,
    path: Path,
    records: RecordsPlace | None = None,
    published: Sequence[MachinePair] = (),
) -> None:
    """Write the page of a run; a page that stood there is replaced at once or not at all.

    records, published: as `render_page` takes them. Raises OSError where the file cannot be
    written.
    """
    write_whole(render_page(result, records, published), path)


def render_page(
    result: RunResult, records: RecordsPlace | None = None, published: Sequence[MachinePair] = ()
) -> str:
    """The page of a run, below 2 MB (2 x 10^6 B): tables of all results are cut until it fits.

    records: where the records of the run are, seen from the page (None: there is nothing to link
    to); published: published machines, each with this run. What is left out says so, here and for
    the charts of which a page holds only so many bytes.
    """
    sections = without_the_largest([_section(one) for one in sections_of(result)])
    compared = [pair for pair in published if pair.comparison.results]
    plot = ratio_plot("published", compared, "this machine over each published one")
    page = ""
    for most_rows in _TABLE_ROWS:
        sets = RecordSets(records)
        shown = _with_results(result, sections, most_rows, sets)
        ab = ab_section(result, most_rows, sets)
        charts = tuple(c for s in shown for c in s.charts)
        links = {result.header.id: MachineLinks(sets.address_of_result, result.header.request)}
        context = {
            **_context(result, shown, sets),
            "ab": ab,
            "plot": plot,
            "published": compared,
            "verdicts": verdict_text,
            "comparison_sections": comparison_sections(compared, most_rows, links),
            "refusals": refusal_table(published),
        }
        page = render(_TEMPLATE, charts, context)
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def _section(section: Section) -> RunSection:
    """A section without the table of all results, which depends on the room that is left."""
    return RunSection(
        re.sub(r"[^a-z0-9]+", "-", section.name.lower()),
        section.name,
        section.title,
        section.declared.summary if section.declared else "",
        charts_of(section),
        tables_of(section),
        definitions=section.definitions,
    )


def without_the_largest(
    sections: Sequence[RunSection], most_bytes: int = CHART_BYTES
) -> list[RunSection]:
    """The sections without the largest charts, until all specifications take `most_bytes`."""
    sizes = {c.name: len(safe_json(c.spec)) for section in sections for c in section.charts}
    whole, left_out = sum(sizes.values()), set()
    for name in sorted(sizes, key=lambda n: -sizes[n]):
        if whole <= most_bytes:
            break
        whole -= sizes[name]
        left_out.add(name)
    fitting = []
    for section in sections:
        kept = tuple(chart for chart in section.charts if chart.name not in left_out)
        gone = [chart.title for chart in section.charts if chart.name in left_out]
        fitting.append(replace(section, charts=kept, left_out=tuple(gone)))
    return fitting


def _with_results(
    result: RunResult, sections: Sequence[RunSection], most_rows: int, sets: RecordSets
) -> list[RunSection]:
    """Each with a table of its results; what one does not need of its share goes to the others."""
    every = {section.name: estimates_of(result, section.name) for section in sections}
    rooms = [len(found) for found in every.values()]
    shares = dict(zip(every, even_shares(rooms, min(most_rows, sum(rooms))), strict=True))
    return [
        replace(
            section,
            results=linked_results(
                result, section.title, every[section.name], max(shares[section.name], 1), sets
            ),
        )
        for section in sections
    ]


def _context(result: RunResult, sections: Sequence[RunSection], sets: RecordSets) -> dict[str, Any]:
    accepted = sum(o.verdict is Verdict.ACCEPTED for o in result.outcomes)
    findings = by_importance(result)
    headlines = headline_results(result)
    return {
        "run": result,
        "title": _title(result.header.machine),
        "subtitle": _subtitle(result, accepted),
        "verdict": run_verdict_text(result),
        "unfinished": result.state is not RunState.FINISHED,
        "headlines": [(one, sets.address_of_result(one.estimate)) for one in headlines],
        "findings": [f for f in findings if f.status is not AnswerStatus.UNDECIDABLE],
        "detail_lines": detail_lines,
        "evidence_text": evidence_text,
        "changes_text": changes_text,
        "undecidable": [f for f in findings if f.status is AnswerStatus.UNDECIDABLE],
        "limits": limits(result),
        "caveat_text": caveat_text,
        "precision_note": _precision_note(result),
        "machine": machine_properties(result),
        "software": software_properties(result),
        "noise": tables.noise_table(result),
        "drift": tables.drift_table(result),
        "time": tables.time_table(result),
        "uncounted": [t for make in tables.RUN_TABLES if (t := make(result)).rows],
        "accepted": accepted,
        "launches": len(result.outcomes),
        "sections": sections,
        "records": sets.place,
    }


def _title(machine: Machine) -> str:
    return plain(f"{machine.name or machine.host}: {hardware_text(machine)}", 160)


def _subtitle(result: RunResult, accepted: int) -> str:
    header = result.header
    return plain(
        f"{time_text(header.started)} · "
        f"{', '.join(header.request.names)} · "
        f"{count_text(accepted, 'launch', 'launches')} in "
        f"{duration_text(result.time_use.wall)}",
        300,
    )


def _precision_note(result: RunResult) -> str:
    unresolved = sum(not e.resolved for e in result.estimates)
    parts = []
    if any(e.resolved and not e.reached for e in result.estimates):
        parts.append("Intervals are valid also where the target precision is not met.")
    if unresolved:
        overheads = count_text(unresolved, "overhead is", "overheads are")
        parts.append(f"{overheads} not significantly above zero: the upper bound is shown.")
    return " ".join(parts)

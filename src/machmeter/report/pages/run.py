"""The page of a run: one HTML file that holds everything it needs and loads nothing.

Importing this module loads Jinja and vl-convert: import it only where a page is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.result_order import in_order
from machmeter.analysis.normal.report import NormalReport
from machmeter.layout.assign import even_shares
from machmeter.model.display import Definition
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.benchmarks.charts import charts_of
from machmeter.report.benchmarks.groups.codes.section import codes_section
from machmeter.report.benchmarks.groups.modes.section import mode_section
from machmeter.report.benchmarks.headlines import HeadlineResult, headline_results
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.section import Section, sections_of
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.benchmarks.tables import tables_of
from machmeter.report.drawing.chart import Chart
from machmeter.report.normal.section import normal_section
from machmeter.report.pages.ab import ab_section
from machmeter.report.pages.first_screen import first_screen
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, safe_json, write_whole
from machmeter.report.pages.precision_rows import precision_plots, precision_sentence
from machmeter.report.pages.ratio_rows import ratio_plot
from machmeter.report.pages.result_rows import Address, limit_plots
from machmeter.report.table import Table
from machmeter.report.twins.section import twin_section
from machmeter.report.views import tables
from machmeter.report.views.comparison import MachineLinks, comparison_sections, refusal_table
from machmeter.report.views.gate import gate_of
from machmeter.report.views.records import RecordSets, RecordsPlace
from machmeter.report.views.results import LinkedResults, linked_results
from machmeter.simulation.loads import PatternLoad
from machmeter.simulation.sensitivity import TwinSensitivity
from machmeter.text.comparison import MachinePair, verdict_text
from machmeter.text.findings.order import (
    answered,
    changes_text,
    detail_lines,
    evidence_text,
)
from machmeter.text.plain import plain
from machmeter.text.results import value_with_interval
from machmeter.text.runs import (
    machine_properties,
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
    tables: tuple[Table, ...]
    """Before the table of all results."""
    left_out: tuple[str, ...] = ()
    """Titles of charts that the page has no room for."""
    definitions: tuple[Definition, ...] = ()
    """Terms that the results need."""
    conclusion: str = ""
    """Its key results with their values."""
    results: LinkedResults | None = None
    """All results; None until it is known how much room there is."""


def write_page(
    result: RunResult,
    path: Path,
    records: RecordsPlace | None = None,
    published: Sequence[MachinePair] = (),
    sensitivity: TwinSensitivity | None = None,
    loads: Sequence[PatternLoad] = (),
    normal: NormalReport | None = None,
) -> None:
    """Write the page of a run; a page that stood there is replaced at once or not at all.

    records, published, sensitivity, loads, normal: as `render_page` takes them. Raises OSError
    where the file cannot be written.
    """
    write_whole(render_page(result, records, published, sensitivity, loads, normal), path)


def render_page(
    result: RunResult,
    records: RecordsPlace | None = None,
    published: Sequence[MachinePair] = (),
    sensitivity: TwinSensitivity | None = None,
    loads: Sequence[PatternLoad] = (),
    normal: NormalReport | None = None,
) -> str:
    """The page of a run, below 2 MB (2 x 10^6 B): tables of all results are cut until it fits.

    records: where the records of the run are, seen from the page (None: there is nothing to link
    to); published: published machines, each with this run; sensitivity: of a simulated run to the
    parameters of its model; loads: of its links by patterns; normal: this run among machines of
    today. What is left out says so, here and for the charts of which a page holds only so many
    bytes.
    """
    twin = result.header.request.twin
    model = twin_section(twin, sensitivity, loads) if twin else None
    modes = mode_section(result)
    codes = codes_section(result)
    headlines = headline_results(result)
    sections = without_the_largest([_section(one, headlines) for one in sections_of(result)])
    compared = [pair for pair in published if pair.comparison.results]
    plot = ratio_plot("published", compared, "This machine over each published one")
    page = ""
    for most_rows in _TABLE_ROWS:
        sets = RecordSets(records)
        shown = _with_results(result, sections, headlines, most_rows, sets)
        ab = ab_section(result, most_rows, sets)
        whole = (*(modes.charts if modes else ()), *(codes.charts if codes else ()))
        charts = (*whole, *(c for s in shown for c in s.charts))
        links = {result.header.id: MachineLinks(sets.address_of_result, result.header.request)}
        known = _context(result, shown, headlines, sets)
        context = {
            **known,
            "nav": _nav(
                shown,
                {
                    "ab": ab,
                    "model": model,
                    "modes": modes,
                    "codes": codes,
                    "limits": known["limit_plots"] or known["limits"],
                    "normal": normal,
                    "published": compared,
                },
            ),
            "model": model,
            "modes": modes,
            "codes": codes,
            "ab": ab,
            "plot": plot,
            "published": compared,
            "normal": normal_section(normal) if normal else None,
            "disturbed": _disturbed(result, most_rows),
            "verdicts": verdict_text,
            "comparison_sections": comparison_sections(compared, most_rows, links),
            "refusals": refusal_table(published),
        }
        page = render(_TEMPLATE, charts, context)
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def _disturbed(result: RunResult, most_rows: int) -> list[Table]:
    """A table a benchmark of what others disturbed."""
    names = dict.fromkeys(one.point.benchmark for one in result.disturbed)
    return [
        tables.estimate_table(
            name, [one for one in result.disturbed if one.point.benchmark == name], most_rows
        )
        for name in names
    ]


def render_brief(result: RunResult) -> str:
    """The executive summary of a run: its first screen alone, which prints on one page."""
    context = {
        **_first(result, headline_results(result), answered(result), lambda _: "", alone=True),
        "brief": True,
        "gate": gate_of(result),
    }
    return render("brief.html.j2", (), context)


def write_brief(result: RunResult, path: Path) -> None:
    """Write the executive summary of a run. Raises OSError where the file cannot be written."""
    write_whole(render_brief(result), path)


def _section(section: Section, headlines: Sequence[HeadlineResult]) -> RunSection:
    """A section without the table of all results, which depends on the room that is left."""
    mine = [one for one in headlines if one.estimate.point.benchmark == section.name]
    return RunSection(
        re.sub(r"[^a-z0-9]+", "-", section.name.lower()),
        section.name,
        section.title,
        section.declared.summary if section.declared else "",
        charts_of(section),
        tables_of(section),
        definitions=section.definitions,
        conclusion=plain(_conclusion(mine)),
    )


def _conclusion(headlines: Sequence[HeadlineResult]) -> str:
    """`Memory bandwidth: triad 38.7 GB/s [36.8, 40.8]; one thread 31.1 GB/s [30.1, 32.2].`

    Of several with one title the first stands for all, with what it is of: `Wall time 2.45 s
    [2.44, 2.46] (2 ranks)`.
    """
    if not headlines:
        return ""
    common = {one.title.partition(", ")[0] for one in headlines}
    first = f"{common.pop()}, " if len(common) == 1 else ""
    first *= all(one.title.startswith(first) for one in headlines)
    by_title: dict[str, list[HeadlineResult]] = {}
    for one in headlines:
        by_title.setdefault(one.title, []).append(one)
    values = (
        f"{title.removeprefix(first)} {value_with_interval(one.estimate)}"
        + f" ({one.label})" * bool(others)
        for title, (one, *others) in by_title.items()
    )
    return f"{first.replace(', ', ': ')}{'; '.join(values)}."


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
    result: RunResult,
    sections: Sequence[RunSection],
    headlines: Sequence[HeadlineResult],
    most_rows: int,
    sets: RecordSets,
) -> list[RunSection]:
    """Each with a table of its results; what one does not need of its share goes to the others."""
    every = {section.name: in_order(estimates_of(result, section.name)) for section in sections}
    rooms = [len(found) for found in every.values()]
    leading = {one.estimate.point.benchmark: one.estimate for one in reversed(headlines)}
    shares = dict(zip(every, even_shares(rooms, min(most_rows, sum(rooms))), strict=True))
    return [
        replace(
            section,
            results=linked_results(
                result,
                section.title,
                every[section.name],
                max(shares[section.name], 1),
                sets,
                leading.get(section.name),
            ),
        )
        for section in sections
    ]


def _context(
    result: RunResult,
    sections: Sequence[RunSection],
    headlines: Sequence[HeadlineResult],
    sets: RecordSets,
) -> dict[str, Any]:
    findings = answered(result)
    reached = result.precision
    return {
        **_first(result, headlines, findings, sets.address_of_result),
        "brief": False,
        "findings": findings,
        "detail_lines": detail_lines,
        "evidence_text": evidence_text,
        "changes_text": changes_text,
        "undecidable": [f for f in result.findings if f.status is AnswerStatus.UNDECIDABLE],
        "limits": limits(result),
        "limit_plots": limit_plots(result, headlines, sets.address_of_result),
        "precision_plots": precision_plots(reached) if reached else (),
        "precision_sentence": precision_sentence(reached) if reached else "",
        "machine": machine_properties(result),
        "software": software_properties(result),
        "noise": tables.noise_table(result),
        "devices": tables.device_table(result),
        "drift": tables.drift_table(result),
        "time": tables.time_table(result),
        "uncounted": [t for make in tables.RUN_TABLES if (t := make(result)).rows],
        "accepted": sum(o.verdict is Verdict.ACCEPTED for o in result.outcomes),
        "launches": len(result.outcomes),
        "sections": sections,
        "records": sets.place,
    }


def _first(
    result: RunResult,
    headlines: Sequence[HeadlineResult],
    findings: Sequence[Finding],
    address: Address,
    *,
    alone: bool = False,
) -> dict[str, Any]:
    screen = first_screen(result, headlines, findings, address, alone=alone)
    return {
        "run": result,
        "title": screen.title,
        "unfinished": result.state is not RunState.FINISHED,
        "first_screen": screen,
    }


_PARTS = (
    ("ab", "A/B test"),
    ("findings", "Findings"),
    ("model", "Model"),
    ("modes", "Launch modes"),
    ("codes", "All codes"),
    ("limits", "Limits"),
    ("normal", "Is this normal?"),
    ("published", "Published machines"),
)
"""Anchors and names of what stands before the benchmarks, where it is there."""


def _nav(sections: Sequence[RunSection], parts: Mapping[str, object]) -> list[tuple[str, str]]:
    """Anchors and names; a section is named by what it is of, not by its benchmark."""
    return [
        *((anchor, name) for anchor, name in _PARTS if parts.get(anchor, True)),
        *((section.anchor, section.title) for section in sections),
        ("quality", "Data quality"),
        ("machine", "Machine"),
        ("method", "Method"),
        ("reproduce", "Reproduce"),
    ]

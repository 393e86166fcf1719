"""The page of one machine that was not measured here: a published one, or one of a file.

Importing this module loads Jinja and vl-convert: import it only where a page is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.layout.assign import even_shares
from machmeter.model.origin import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.published.claims_of_machine import StudyClaims
from machmeter.published.format import PublishedMachine
from machmeter.published.printed import printed_figures
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.machine import group_chart, line_of
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, safe_json, write_whole
from machmeter.report.pages.machine_claims import decision_views, study_view
from machmeter.report.views.machine import (
    MachineRow,
    Piece,
    caveats_of,
    loose_rows,
    part_rows,
    place_of,
    result_rows,
    shared_text,
    source_pieces,
)
from machmeter.run.compare.machine_findings import MachineFinding
from machmeter.text.machines import ResultGroup, result_groups
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

CHART_BYTES = 550_000
_ROOMS = ((2000, 60), (1000, 30), (300, 10), (100, 4), (20, 0))
_MOST_REMARKS = 100
_TEMPLATE = "machine.html.j2"


class PageMachine(Struct, frozen=True):
    """A machine with all that its page shows."""

    name: str
    """As on the command line."""
    results: MachineResults
    """Its results."""
    printed: PublishedMachine
    """Its file."""
    flags: Mapping[str, str]
    """What is wrong with its figures, links, counts and parts, by ID."""
    decisions: tuple[MachineFinding, ...] = ()
    """Questions that its figures answer."""
    questions: int = 0
    """How many were put to its figures."""
    claims: tuple[StudyClaims, ...] = ()
    """Of the studies that are about it."""
    commands: tuple[tuple[str, str], ...] = ()
    """Commands that compare it with a run, each with what it does."""
    remarks: tuple[str, ...] = ()
    """Of an importer, about its file."""


class GroupView(Struct, frozen=True):
    """Figures of one quantity from one place."""

    title: str
    """As a heading."""
    source: tuple[Piece, ...]
    """Where they are printed."""
    common: str
    """What all of them have in common."""
    notes: tuple[str, ...]
    """Of all of them."""
    chart: Chart | None
    """None where they make no curve."""
    rows: tuple[MachineRow, ...]
    """One each."""
    left: int
    """How many more there are."""

    @property
    def caption(self) -> str:
        """What the table is of."""
        count = len(self.rows) + self.left
        return f"{self.title}: {count_text(count, 'result', 'results')}"


class BenchmarkView(Struct, frozen=True):
    """The groups of one benchmark or workload."""

    anchor: str
    """On the page."""
    name: str
    """Of the benchmark."""
    title: str
    """As a heading."""
    summary: str
    """What is measured."""
    groups: tuple[GroupView, ...]
    """By quantity and place."""


def write_machine_page(machine: PageMachine, path: Path) -> None:
    """Write the page of a machine, whole or not at all. Raises OSError where it cannot."""
    write_whole(render_machine(machine), path)


def render_machine(machine: PageMachine) -> str:
    """The page, below 2 MB (2 x 10^6 B): rows and charts are cut until it fits, and it says so."""
    groups = result_groups(machine.results.estimates)
    charts = dict(islice(_charts(groups), _ROOMS[0][1]))
    page = ""
    for most_rows, most_charts in _ROOMS:
        shown = groups[:most_rows]
        drawn = _fitting({at: c for at, c in charts.items() if at < len(shown)}, most_charts)
        context = {
            **_context(machine, _benchmarks(machine, shown, drawn, most_rows), most_rows),
            "groups_left": len(groups) - len(shown),
            "charts_left": [chart.title for at, chart in charts.items() if at not in drawn],
            "charts_further": _beyond(groups, charts),
        }
        page = render(_TEMPLATE, tuple(drawn.values()), context)
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def machine_charts(machine: MachineResults) -> tuple[Chart, ...]:
    """Every chart of a machine, those too that its page has no room for."""
    return tuple(chart for _, chart in _charts(result_groups(machine.estimates)))


def _charts(groups: Sequence[ResultGroup]) -> Iterator[tuple[int, Chart]]:
    """Charts, each with the position of its group."""
    for position, group in enumerate(groups):
        chart = group_chart(f"{_slug(group.benchmark)}-{position + 1}", group)
        if chart is not None:
            yield position, chart


def _beyond(groups: Sequence[ResultGroup], charts: Mapping[int, Chart]) -> int:
    """How many more charts there would be behind the last of those that were made."""
    behind = groups[max(charts, default=len(groups)) + 1 :]
    return sum(line_of(group.results) is not None for group in behind)


def _fitting(charts: dict[int, Chart], most: int) -> dict[int, Chart]:
    """The smallest charts, at most `most`, whose specifications have room on the page."""
    sizes = {position: len(safe_json(chart.spec)) for position, chart in charts.items()}
    kept, whole = set(), 0
    for position in sorted(sizes, key=sizes.__getitem__)[:most]:
        whole += sizes[position]
        if whole > CHART_BYTES:
            break
        kept.add(position)
    return {position: chart for position, chart in charts.items() if position in kept}


def _benchmarks(
    machine: PageMachine,
    groups: Sequence[ResultGroup],
    charts: Mapping[int, Chart],
    most_rows: int,
) -> list[BenchmarkView]:
    rooms = [len(group.results) for group in groups]
    shares = even_shares(rooms, min(max(most_rows, len(rooms)), sum(rooms)))
    views: dict[str, list[GroupView]] = {}
    for position, group in enumerate(groups):
        rows = tuple(result_rows(group))[: max(shares[position], 1)]
        place = place_of(group.source, machine.results.source)
        view = GroupView(
            _title(group, groups, place),
            source_pieces(place),
            ", ".join(word for word in (*group.common_labels(), shared_text(group)) if word),
            tuple(plain(note, 600) for note in group.notes()),
            charts.get(position),
            rows,
            len(group.results) - len(rows),
        )
        views.setdefault(group.benchmark, []).append(view)
    return [
        _benchmark(number, name, singles_joined(found))
        for number, (name, found) in enumerate(views.items(), 1)
    ]


def singles_joined(views: Sequence[GroupView]) -> tuple[GroupView, ...]:
    """The groups, where several of one figure from one place follow each other as one table."""
    joined: list[list[GroupView]] = []
    for view in views:
        before = joined[-1][-1] if joined else None
        if before and _single(before) and _single(view) and before.source == view.source:
            joined[-1].append(view)
        else:
            joined.append([view])
    return tuple(_joined(run) if len(run) > 1 else run[0] for run in joined)


def _single(view: GroupView) -> bool:
    return len(view.rows) == 1 and not view.left and view.chart is None


def _joined(run: Sequence[GroupView]) -> GroupView:
    rows = []
    for view in run:
        (row,) = view.rows
        rows.append(replace(row, text=f"{view.title}: {row.text}" if row.text else view.title))
    notes: dict[str, list[str]] = {}
    for view in run:
        for note in view.notes:
            notes.setdefault(note, []).append(view.title)
    of_titles = (n if len(of) == len(run) else f"{', '.join(of)}: {n}" for n, of in notes.items())
    return replace(run[0], title="Single values", notes=tuple(of_titles), rows=tuple(rows))


def _title(group: ResultGroup, groups: Sequence[ResultGroup], place: str) -> str:
    """What the figures are of; where several groups are of it, with the place they stand in."""
    title = f"{group.title[:1].upper()}{group.title[1:]}"
    same_title = [g for g in groups if (g.benchmark, g.title) == (group.benchmark, group.title)]
    return plain(f"{title}, {place}" if len(same_title) > 1 and place else title, 200)


def _benchmark(number: int, name: str, groups: tuple[GroupView, ...]) -> BenchmarkView:
    # Names that differ in a dot alone have one slug.
    anchor = f"{_slug(name)}-{number}"
    for declared in BENCHMARKS:
        if declared.name == name:
            return BenchmarkView(anchor, name, declared.title, declared.summary, groups)
    return BenchmarkView(anchor, name, plain(name.partition(".")[2] or name, 80), "", groups)


def _context(
    machine: PageMachine, views: Sequence[BenchmarkView], most_rows: int
) -> dict[str, Any]:
    results, printed = machine.results, machine.printed
    loose = tuple(loose_rows(printed_figures(printed, machine.flags)))
    rows = [row for view in views for group in view.groups for row in group.rows]
    parts = tuple(part_rows(printed, machine.flags))
    shown = {row.anchor for row in (*rows, *loose[:most_rows]) if row.anchor}
    shown |= {part.anchor or "parts" for part in parts[:most_rows]}
    flagged = caveats_of(printed, machine.flags, shown)
    return {
        "title": plain(results.title, 120),
        "kind_of_machine": f"{results.origin.value} machine",
        "source": _source(machine),
        "year": results.year,
        "summary": plain(printed.summary, 600),
        "verdict": _verdict(results, len(loose)),
        "imported": results.origin is Origin.IMPORTED,
        "decisions": decision_views(machine.decisions, results.source),
        "questions": machine.questions,
        "studies": [study_view(one, results.id, shown) for one in machine.claims],
        "parts": parts[:most_rows],
        "sections": views,
        "loose": loose[:most_rows],
        "loose_left": max(len(loose) - most_rows, 0),
        "flagged": flagged[:_MOST_REMARKS],
        "flagged_figures": sum(len(one.carriers) + one.others for one in flagged),
        "remarks": [plain(remark, 600) for remark in machine.remarks[:_MOST_REMARKS]],
        "remarks_left": max(len(machine.remarks) - _MOST_REMARKS, 0),
        "commands": machine.commands,
    }


def _source(machine: PageMachine) -> tuple[Piece, ...]:
    """Where the machine is printed; the study leads to where it is found."""
    for claims in machine.claims:
        if claims.study.source == machine.results.source and claims.study.address:
            return (Piece(plain(machine.results.source, 300), claims.study.address),)
    return source_pieces(machine.results.source)


def _verdict(machine: MachineResults, loose: int) -> str:
    """How many results there are, and how many have an interval."""
    count = len(machine.estimates)
    more = f"{count_text(loose, 'figure', 'figures')} that cannot be compared" if loose else ""
    if not count:
        return f"No results to compare{f', {more}' if more else ''}."
    compared = f"{count_text(count, 'result', 'results')} to compare"
    return f"{compared}{f' and {more}' if more else ''}; {_intervals(machine)}."


def _intervals(machine: MachineResults) -> str:
    with_one = sum(one.launches > 1 for one in machine.estimates)
    if not with_one:
        imported = machine.origin is Origin.IMPORTED
        return "none has an interval" if imported else "none is published with an interval"
    return f"{with_one:,} of them {'has' if with_one == 1 else 'have'} an interval"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")

"""The page of a comparison: a baseline and other machines, in one file that loads nothing.

Importing this module loads Jinja and vl-convert: import it only where a page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import measurements
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import ComparedResult, MachineComparison
from machmeter.model.results.run import Request
from machmeter.report.benchmarks.groups.roofline.compared import ComparedRoofs, compared_roofs
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.forest import forest_chart
from machmeter.report.drawing.row_plot import RowPlot
from machmeter.report.pages.first_screen import Fact
from machmeter.report.pages.html import MAX_PAGE_BYTES, render, write_whole
from machmeter.report.pages.ratio_rows import group_plot, ratio_plot
from machmeter.report.pages.scores import ScoreResult, ScoreSection, score_section
from machmeter.report.views.comparison import (
    ComparisonSection,
    MachineLinks,
    comparison_sections,
    flip_table,
    refusal_table,
)
from machmeter.report.views.comparison_lead import ComparisonLead, lead_of
from machmeter.report.views.nothing_common import what_would_be
from machmeter.report.views.records import RecordSet, RecordSets, RecordsPlace
from machmeter.text.comparison import (
    MachinePair,
    counts_of,
    short_titles,
    verdict_text,
    with_distinct_titles,
)
from machmeter.text.machines import part_name, point_labels
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

MOST_PROPERTIES = 40
MOST_FLAGS = 60
_NAMES = {"watts": "Power"}
_FLAGS_PRINTED = "Printed values that their source contradicts"
_FLAGS_IMPORTED = "Values flagged when they were imported"
_TABLE_ROWS = (2000, 1000, 500, 100, 20)


class ComparedMachine(Struct, frozen=True):
    """A machine of the comparison; of one that one run measured also its request and records."""

    machine: MachineResults
    """With its results."""
    request: Request | None = None
    """Of that run."""
    records: RecordsPlace | None = None
    """Where the records of that run are, seen from the page."""


class PairLead(Struct, frozen=True):
    """What the page says first of a machine and the baseline."""

    lead: ComparisonLead
    """Verdict, caveats, what differs."""
    plot: RowPlot | None
    """A mean for each group; None where there is none."""
    names: tuple[str, str]
    """Of the baseline and of the other machine."""


class Card(Struct, frozen=True):
    """The description of a machine."""

    title: str
    """Its name."""
    origin: str
    """Measured, published or imported."""
    properties: tuple[tuple[str, str], ...]
    """Names and values."""
    flags: tuple[str, ...]
    """What contradicts its figures."""
    flags_heading: str
    """Above the flags."""


class SideRecords(Struct, frozen=True):
    """Where the records of the results of one machine are."""

    title: str
    """Of the machine."""
    place: RecordsPlace
    """The folder of its run."""
    sets: tuple[RecordSet, ...]
    """Launches that results share."""


def write_comparison(
    sides: Sequence[ComparedMachine],
    comparisons: Sequence[MachineComparison],
    path: Path,
    score: ScoreResult | None = None,
    benchmarks: Sequence[str] = (),
) -> None:
    """Write the page of a comparison as `render_comparison` makes it.

    Raises OSError where the file cannot be written.
    """
    write_whole(render_comparison(sides, comparisons, score, benchmarks), path)


def render_comparison(
    sides: Sequence[ComparedMachine],
    comparisons: Sequence[MachineComparison],
    score: ScoreResult | None = None,
    benchmarks: Sequence[str] = (),
) -> str:
    """The page of `sides[0]` compared with each of the others, below 2 MB (2 x 10^6 B).

    comparisons: one for each side but the first, in their order; tables are cut until the page
    fits, and say so; score: the one that was requested, if any; benchmarks: what the comparison is
    kept to, empty for all. Raises ValueError where there are not as many comparisons.
    """
    machines = with_distinct_titles([side.machine for side in sides])
    sides = [replace(side, machine=m) for side, m in zip(sides, machines, strict=True)]
    pairs = _pairs(machines, comparisons)
    scored = score_section(score, machines) if score else None
    roofs = _roofs(machines, comparisons)
    charts = _further_charts(scored, roofs)
    page = ""
    for most_rows in _TABLE_ROWS:
        sets = _sets(sides)
        links = {
            side.machine.id: MachineLinks(sets[side.machine.id].address_of, side.request)
            for side in sides
            if side.request
        }
        sections = comparison_sections(pairs, most_rows, links)
        context = _context(sides, pairs, sections, sets) | {
            "plot": ratio_plot("ratios", pairs, _who(machines)),
            "scored": scored,
            "roofs": roofs,
            "kept_to": [plain(name, 80) for name in benchmarks],
        }
        page = render("compare.html.j2", charts, context)
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def comparison_charts(
    machines: Sequence[MachineResults],
    comparisons: Sequence[MachineComparison],
    score: ScoreResult | None = None,
) -> tuple[Chart, ...]:
    """The charts of the page, for a paper: the forest plot, and that of a score."""
    named = with_distinct_titles(machines)
    plot = forest_chart("forest", _pairs(named, comparisons), _who(named))
    scored = score_section(score, named) if score else None
    return (*((plot,) if plot else ()), *_further_charts(scored, _roofs(named, comparisons)))


def _further_charts(scored: ScoreSection | None, roofs: ComparedRoofs | None) -> tuple[Chart, ...]:
    of_score = scored.chart if scored else None
    of_codes = scored.codes.chart if scored and scored.codes else None
    return tuple(one for one in (of_score, of_codes, roofs.chart if roofs else None) if one)


def _roofs(
    machines: Sequence[MachineResults], comparisons: Sequence[MachineComparison]
) -> ComparedRoofs | None:
    return compared_roofs(machines, [one.paired for one in comparisons])


def _who(machines: Sequence[MachineResults]) -> str:
    """What the ratios are: `B over A`."""
    first, *others = (plain(machine.title, 60) for machine in machines)
    return f"{others[0] if len(others) == 1 else 'each'} over {first}"


def _pairs(
    machines: Sequence[MachineResults], comparisons: Sequence[MachineComparison]
) -> list[MachinePair]:
    first, *others = machines
    return [MachinePair(first, o, c) for o, c in zip(others, comparisons, strict=True)]


def _sets(sides: Sequence[ComparedMachine]) -> dict[str, RecordSets]:
    return {
        side.machine.id: RecordSets(side.records, f"records-{number}")
        for number, side in enumerate(sides, 1)
    }


def _context(
    sides: Sequence[ComparedMachine],
    pairs: Sequence[MachinePair],
    sections: Sequence[ComparisonSection],
    sets: dict[str, RecordSets],
) -> dict[str, Any]:
    titles = [plain(side.machine.title, 80) for side in sides]
    leads = [_lead(pair, number) for number, pair in enumerate(pairs, 1)]
    return {
        "versus": _versus(titles),
        "title": leads[0].lead.verdict if len(leads) == 1 else _versus(titles),
        "leads": leads,
        "compared": any(pair.comparison.results for pair in pairs),
        "facts": _facts(sides, pairs) if len(pairs) == 1 and pairs[0].comparison.results else (),
        "verdicts": [verdict_text(pair) for pair in pairs],
        "alone": [_alone_text(pair) for pair in pairs],
        "cards": [_card(side) for side in sides],
        "sections": sections,
        "nothing": [
            text for pair in pairs if not pair.comparison.results for text in what_would_be(pair)
        ],
        "refusals": refusal_table(pairs),
        "flips": flip_table(pairs),
        "records": _records(sides, pairs, sets),
        "paired": [pair.comparison.paired for pair in pairs],
        "printed": any(one.as_printed for pair in pairs for one in pair.comparison.results),
    }


def _versus(titles: Sequence[str]) -> str:
    return f"{' and '.join(titles[1:])} versus {titles[0]}"


def _lead(pair: MachinePair, number: int) -> PairLead:
    a, b = short_titles(pair)
    return PairLead(lead_of(pair), group_plot(f"groups-{number}", pair, f"{b} over {a}"), (a, b))


def _facts(sides: Sequence[ComparedMachine], pairs: Sequence[MachinePair]) -> tuple[Fact, ...]:
    """Both machines, how many results are compared, and how many differ one by one."""
    compared = pairs[0].comparison.results
    own = measurements(compared)
    found = counts_of(own)
    return (
        _fact("A (baseline)", sides[0].machine),
        _fact("B", sides[1].machine),
        Fact("Compared", count_text(len(own), "result", "results"), _derived(compared, own)),
        Fact(
            "Different one by one",
            f"{found.better + found.worse} of {len(own)}",
            f"{found.without_interval} without interval"
            if found.without_interval
            else "Holm, 95 %",
        ),
    )


def _fact(name: str, machine: MachineResults) -> Fact:
    title, _, note = plain(machine.title, 80).partition(" (")
    return Fact(name, title, note.removesuffix(")"))


def _derived(every: Sequence[ComparedResult], own: Sequence[ComparedResult]) -> str:
    return f"+ {len(every) - len(own)} derived" if len(every) > len(own) else ""


def _records(
    sides: Sequence[ComparedMachine], pairs: Sequence[MachinePair], sets: dict[str, RecordSets]
) -> list[SideRecords]:
    found = []
    for side in sides:
        mine = sets[side.machine.id].listed(_figures_of(side.machine, pairs))
        if side.records and mine:
            found.append(SideRecords(plain(side.machine.title, 80), side.records, mine))
    return found


def _figures_of(machine: MachineResults, pairs: Sequence[MachinePair]) -> list[Estimate]:
    of_a = [f.a for p in pairs if p.a.id == machine.id for f in p.comparison.results]
    return of_a + [f.b for p in pairs if p.b.id == machine.id for f in p.comparison.results]


def _alone_text(pair: MachinePair) -> str:
    one, other = pair.comparison.only_a, pair.comparison.only_b
    if not (one or other):
        return ""
    return (
        f"Not in common: {count_text(one, 'result', 'results')} of {plain(pair.a.title, 60)} and "
        f"{other:,} of {plain(pair.b.title, 60)}."
    )


def _card(side: ComparedMachine) -> Card:
    machine, parts = side.machine, side.machine.parts
    properties = {
        "Source": machine.source,
        "Year": str(machine.year or ""),
        "Run": ", ".join(machine.runs),
        "Records": side.records.folder if side.records else "",
        "Command": machine.command,
        "Nodes": f"{parts.nodes:,}" if parts.nodes else "",
        "Cores": f"{parts.cores:,}" if parts.cores else "",
        "Power": f"{parts.watts:,.0f} W" if parts.watts else "",
        "Price": f"{parts.price:,.0f} {parts.currency}" if parts.price else "",
        "Results": f"{len(machine.estimates):,}",
    }
    own = {_heading(name): text for name, text in machine.properties.items()}
    # A property of both stands once, as the machine has it.
    every = [(name, text) for name, text in (properties | own).items() if text]
    flags = dict.fromkeys(f"{_named(e)}: {e.flag}" for e in machine.estimates if e.flag)
    return Card(
        plain(machine.title, 80),
        machine.origin.value,
        tuple((plain(name, 80), plain(text, 600)) for name, text in every[:MOST_PROPERTIES]),
        tuple(plain(flag, 400) for flag in list(flags)[:MOST_FLAGS]),
        _FLAGS_IMPORTED if machine.origin is Origin.IMPORTED else _FLAGS_PRINTED,
    )


def _named(one: Estimate) -> str:
    """A result with its point: `Overhead (construct for, 104 threads)`."""
    label = ", ".join(point_labels(one)) or (one.printed.text if one.printed else "")
    return f"{one.title} ({label})" if label else one.title


def _heading(name: str) -> str:
    """The name of a property as a heading: `NUMA domains`, `Processor`."""
    said = part_name(name)
    return _NAMES.get(name, said[:1].upper() + said[1:])

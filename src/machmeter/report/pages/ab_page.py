"""What the page of a run of two sides says first: how the candidate stands to the old."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from machmeter.model.results.run import RunResult
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.forest import forest_chart
from machmeter.report.pages.comparison_tables import BesideSection, SideLinks, beside_sections
from machmeter.report.views.records import RecordSet, RecordSets
from machmeter.run.ab.machines import sides_of
from machmeter.text.commands import ab_command_for
from machmeter.text.comparison import Compared, slower_text, verdict_text
from machmeter.text.plain import plain


class SidesSection(Struct, frozen=True):
    """verdict, slower: in a sentence each; run: the baseline's; records: the baseline's, which no
    table of figures lists."""

    verdict: str
    slower: str
    run: str
    plot: Chart | None
    sections: tuple[BesideSection, ...]
    records: tuple[RecordSet, ...]


def sides_section(result: RunResult, most_rows: int, sets: RecordSets) -> SidesSection | None:
    """The sides of a run beside one another; None where it has one side only.

    sets: those of the page, to which the candidate's records belong already.
    """
    against = result.header.baseline
    if against is None or result.baseline is None or result.baseline.comparison is None:
        return None
    old, new = sides_of(result)
    pair = Compared(old, new, result.baseline.comparison)
    links = {
        old.id: SideLinks(sets.address_of, against.request),
        new.id: SideLinks(
            sets.known_address_of, result.header.request, partial(ab_command_for, result=result)
        ),
    }
    sections = beside_sections((pair,), most_rows, links)
    return SidesSection(
        verdict=verdict_text(pair),
        slower=slower_text(pair.comparison),
        run=plain(against.run, 80),
        plot=forest_chart("sides", (pair,), f"{new.title} over {old.title}"),
        sections=sections,
        records=sets.listed(result.baseline.estimates),
    )

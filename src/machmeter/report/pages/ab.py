"""What the page of an A/B run says first: how the candidate compares with the baseline."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from machmeter.model.results.run import RunResult
from machmeter.report.drawing.row_plot import RowPlot
from machmeter.report.pages.ratio_rows import gate_plot, group_plot, ratio_plot
from machmeter.report.views.comparison import ComparisonSection, MachineLinks, comparison_sections
from machmeter.report.views.gate import Gate, gate_of
from machmeter.report.views.records import RecordSet, RecordSets
from machmeter.run.ab.machines import sides_of
from machmeter.text.commands import ab_command_for
from machmeter.text.comparison import MachinePair
from machmeter.text.plain import capitalized, plain


class AbSection(Struct, frozen=True):
    """The candidate of an A/B run versus its baseline."""

    gate: Gate
    """What to say first: whether it passes, by which result."""
    pairs: RowPlot | None
    """The pairs of launches of the result that decides; None where it has no ratio."""
    groups: RowPlot | None
    """A mean for each group of results; None where there is none."""
    run: str
    """The baseline's."""
    plot: RowPlot | None
    """The ratios; None where there is none."""
    sections: tuple[ComparisonSection, ...]
    """One a benchmark."""
    records: tuple[RecordSet, ...]
    """The baseline's, which no table of results lists."""


def ab_section(result: RunResult, most_rows: int, sets: RecordSets) -> AbSection | None:
    """Candidate versus baseline; None where a run has no baseline.

    sets: those of the page, to which the candidate's records belong already.
    """
    against = result.header.baseline
    gate = gate_of(result)
    if against is None or gate is None:
        return None
    if result.baseline is None or result.baseline.comparison is None:
        return None
    baseline, candidate = sides_of(result)
    pair = MachinePair(baseline, candidate, result.baseline.comparison)
    links = {
        baseline.id: MachineLinks(sets.address_of, against.request),
        candidate.id: MachineLinks(
            sets.address_of_result, result.header.request, partial(ab_command_for, result=result)
        ),
    }
    who = capitalized(f"{candidate.title} over {baseline.title}")
    sections = comparison_sections((pair,), most_rows, links)
    return AbSection(
        gate=gate,
        pairs=gate_plot("ab-pairs", gate),
        groups=group_plot("ab-groups", pair, who),
        run=plain(against.run, 80),
        plot=ratio_plot("ab", (pair,), who),
        sections=sections,
        records=sets.listed(result.baseline.estimates),
    )

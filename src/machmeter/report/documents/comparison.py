"""A comparison of machines as tables: every result that they have in common."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.scores.scores import Score
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import MachineComparison
from machmeter.report.documents.document import Document
from machmeter.report.views.comparison import (
    comparison_sections,
    flip_table,
    group_table,
    refusal_table,
)
from machmeter.report.views.comparison_lead import lead_of
from machmeter.report.views.scores import component_table, score_table
from machmeter.text.comparison import (
    MachinePair,
    machine_line,
    method_text,
    verdict_text,
    with_distinct_titles,
)
from machmeter.text.plain import plain

_EVERY_ROW = 10**9


def comparison_document(
    machines: Sequence[MachineResults],
    comparisons: Sequence[MachineComparison],
    scores: Sequence[Score] = (),
) -> Document:
    """Each further machine versus the first, with the scores that were requested."""
    machines = with_distinct_titles(machines)
    first, *others = machines
    pairs = [MachinePair(first, o, c) for o, c in zip(others, comparisons, strict=True)]
    titles = {machine.id: plain(machine.title, 60) for machine in machines}
    tables = [
        one.table for section in comparison_sections(pairs, _EVERY_ROW) for one in section.tables
    ]
    tables += [table for table in (flip_table(pairs), refusal_table(pairs)) if table.rows]
    tables += [component_table(one, titles) for one in scores]
    tables += [score_table(scores, titles)] if scores else []
    tables = [*(table for pair in pairs if (table := group_table(pair)).rows), *tables]
    lines = [line for pair in pairs for line in _lead_lines(pair)]
    lines += map(machine_line, machines)
    for pair in (one for one in pairs if one.comparison.results):
        lines += [verdict_text(pair), method_text(pair.comparison)]
    lines = [line for line in lines if line]
    names = [titles[machine.id] for machine in machines]
    title = f"{' and '.join(names[1:])} versus {names[0]}"
    return Document(title, tuple(tables), tuple(lines))


def _lead_lines(pair: MachinePair) -> list[str]:
    """The verdict, what it means, and the caveats."""
    lead = lead_of(pair)
    caveats = [f"Caveat: {one.title} {one.text}" for one in lead.caveats]
    return [text.replace("`", "") for text in (f"{lead.verdict}.", lead.consequence, *caveats)]

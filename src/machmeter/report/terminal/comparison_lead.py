"""The first lines of a comparison in a terminal: verdict, groups, caveats, what differs."""

from __future__ import annotations

from rich.text import Text

from machmeter.model.results.machine_comparison import MachineComparison, RelativeStanding
from machmeter.report.terminal.comparison_layout import left, right, wrapped
from machmeter.report.views.comparison_lead import (
    ComparisonLead,
    group_name,
    group_ratio,
    group_standing_text,
    lead_of,
    typical_text,
)
from machmeter.text.comparison import MachinePair, machine_line
from machmeter.text.plain import plain

_HEADING = "Geometric mean by group"
_RATIO, _INTERVAL = 8, 14
# Cells of a ratio, its interval and its verdict.
_NUMBERS = 1 + _RATIO + 2 + _INTERVAL + 1 + 14
_MOST_FACT = 60
_STYLES = {
    RelativeStanding.BETTER: "bold green",
    RelativeStanding.BETTER_AS_PRINTED: "green",
    RelativeStanding.WORSE: "bold red",
    RelativeStanding.WORSE_AS_PRINTED: "red",
    RelativeStanding.INCONCLUSIVE: "dim",
}


def lead_lines(
    pair: MachinePair, columns: int, *, several: bool = False, verdict_above: bool = False
) -> list[Text]:
    """The verdict, both machines, a mean for each group, caveats, and what differs.

    several: the pair is one of several, of which only the verdict and the means are said;
    verdict_above: an A/B run's verdict stands above.
    """
    lead = lead_of(pair)
    lines = [] if verdict_above else _wrapped(f"{lead.verdict}.", columns, "", "bold")
    lines += _wrapped(lead.consequence.replace("`", ""), columns, "") if lead.consequence else []
    if not (several or verdict_above):
        for name, machine in (("A, baseline", pair.a), ("B", pair.b)):
            lines += _wrapped(f"{name}: {machine_line(machine)}", columns, "  ", "dim")
    lines += _groups(pair.comparison, columns)
    return lines if several else [*lines, *_caveats(lead, columns), *_differing(lead, columns)]


def _groups(comparison: MachineComparison, columns: int) -> list[Text]:
    means = comparison.groups
    if not means:
        return []
    width = max(len(_HEADING), *(len(group_name(one)) for one in means))
    on_one_line = 2 + width + _NUMBERS <= columns
    ratio_of = "ratio" if comparison.paired else "B over A"
    head = f"{left(_HEADING, width + 2)} {right(ratio_of, _RATIO)}" if on_one_line else _HEADING
    lines = [Text(""), Text(f"{head}  95 % interval" if on_one_line else head, style="bold")]
    for one in means:
        ratio, interval = group_ratio(one)
        row = Text(f"{right(ratio, _RATIO)}  {left(interval, _INTERVAL)} ")
        row.append(group_standing_text(one), style=_STYLES.get(one.standing, ""))
        name = group_name(one)
        named = [] if on_one_line else _wrapped(name, columns, "  ")
        before = f"  {left(name, width)} " if on_one_line else " "
        lines += [*named, Text(before) + row, *_wrapped(typical_text(one), columns, "    ", "dim")]
    return lines


def _caveats(lead: ComparisonLead, columns: int) -> list[Text]:
    if not lead.caveats:
        return []
    texts = [f"! {one.title} {one.text.replace('`', '')}" for one in lead.caveats]
    heading = [Text(""), Text("Caveats", style="bold")]
    return heading + [line for text in texts for line in _wrapped(text, columns, "  ")]


def _differing(lead: ComparisonLead, columns: int) -> list[Text]:
    if not (lead.differing or lead.equal):
        return []
    lines = [Text(""), Text("What differs", style="bold")]
    for one in lead.differing:
        a, b = (plain(text, _MOST_FACT) for text in (one.a, one.b))
        lines += _wrapped(f"{one.name}: {a} → {b}", columns, "  ")
    if lead.equal:
        lines += _wrapped(f"Equal: {', '.join(lead.equal)}", columns, "  ", "dim")
    return lines


def _wrapped(text: str, columns: int, indent: str, style: str = "") -> list[Text]:
    return [Text(line, style=style) for line in wrapped(text, columns, indent)]

"""A comparison prepared for people: rows as text, notes stated once, tables by benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from machmeter.analysis.matching.compare_machines import standing_of
from machmeter.analysis.matching.result_order import compared_in_order
from machmeter.benchmarks.catalogue import title_of
from machmeter.layout.assign import even_shares
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    RelativeStanding,
)
from machmeter.model.results.run import Request
from machmeter.report.table import Table, TableRow
from machmeter.report.views.comparison_lead import (
    group_name,
    group_ratio,
    group_standing_text,
    typical_text,
)
from machmeter.text.commands import command_for
from machmeter.text.comparison import (
    NO_INTERVAL_MEANS,
    MachinePair,
    basis_text,
    counts_of,
    difference_text,
    machine_value_text,
    short_titles,
    standing_text,
)
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain
from machmeter.text.results import both_texts, scale_of_both

MOST_REFUSALS = 60
NOTES = "caveats"
"""Heading of the column of notes."""
_OTHER_BASES = tuple(basis for basis in Basis if basis is not Basis.AS_MEASURED)


class ComparedRow(Struct, frozen=True):
    """One result of two machines as text."""

    result: ComparedResult
    """What is compared."""
    values: tuple[str, str]
    """Both values, without intervals."""
    standing: RelativeStanding
    """What that comes to."""
    verdict: str
    """The same as text."""

    @property
    def key(self) -> tuple[str, ...]:
        """What rows of several machines have in common: the first one's result."""
        one = self.result.a
        return one.point.benchmark, one.point.key, one.metric


def compared_row(result: ComparedResult) -> ComparedRow:
    """The row of a result."""
    return ComparedRow(
        result,
        both_texts(result.a, result.b),
        standing_of(result),
        standing_text(result),
    )


def common_notes(results: Sequence[ComparedResult]) -> tuple[str, ...]:
    """Notes that all of several results have; of one result none, and no flag: those are shown with
    every result.
    """
    if len(results) < 2:
        return ()
    return tuple(
        note
        for note in results[0].notes
        if note not in results[0].flags and all(note in one.notes for one in results)
    )


class MachineLinks(Struct, frozen=True):
    """What the results of one measured machine lead to."""

    address: Callable[[Estimate], str]
    """Where the page lists a result's records."""
    request: Request
    """The request of its run."""
    command: Callable[[Point], str] | None = None
    """What measures a point again, where that is more than what measures it alone."""


Links = Mapping[str, MachineLinks]
NO_LINKS: Links = {}


class ComparisonTable(Struct, frozen=True):
    """The results of one benchmark that two machines have in common."""

    table: Table
    """A row a result."""
    addresses: tuple[tuple[str, str], ...]
    """Of each row where the records of both values are listed (empty: nowhere)."""
    commands: tuple[str, ...]
    """Of each row what measures it here again (empty: neither was measured here)."""


class ComparisonSection(Struct, frozen=True):
    """One benchmark, with a table for each pair of machines."""

    anchor: str
    """On the page."""
    benchmark: str
    """Its name."""
    title: str
    """Its title."""
    tables: tuple[ComparisonTable, ...]
    """One a pair."""
    verdicts: tuple[str, ...] = ()
    """One a pair: how many results are better and worse."""


def comparison_sections(
    pairs: Sequence[MachinePair], most_rows: int, links: Links = NO_LINKS
) -> tuple[ComparisonSection, ...]:
    """Every benchmark in which a pair has results in common.

    Of all results at most `most_rows` (one of each benchmark and pair at least); links: of those
    machines that were measured here, by id.
    """
    groups = {
        (name, number): found
        for name in _benchmarks(pairs)
        for number, pair in enumerate(pairs)
        if (found := _of(pair, name))
    }
    sizes = [len(found) for found in groups.values()]
    shares = dict(zip(groups, even_shares(sizes, min(most_rows, sum(sizes))), strict=True))
    sections = []
    for name in _benchmarks(pairs):
        mine = [key for key in groups if key[0] == name]
        tables = tuple(
            _table(pairs[key[1]], groups[key], max(shares[key], 1), links) for key in mine
        )
        verdicts = tuple(_counts_text(pairs[key[1]], groups[key]) for key in mine)
        anchor = "versus-" + re.sub(r"[^a-z0-9]+", "-", name.lower())
        title = plain(title_of(name), 80)
        sections.append(ComparisonSection(anchor, name, title, tables, verdicts))
    return tuple(sections)


def refusal_table(pairs: Sequence[MachinePair]) -> Table:
    """What has one name and is not comparable, with the definition in which it differs."""
    every = [
        (f"{plain(p.b.title, 60)}, {plain(p.a.title, 60)}", plain(r.what, 200), plain(r.reason))
        for p in pairs
        for r in p.comparison.refusals
    ]
    left = len(every) - MOST_REFUSALS
    return Table(
        "Not comparable, and why",
        ("machines", "result", "why not"),
        tuple(every[:MOST_REFUSALS]),
        note=f"{left} more are left out here." if left > 0 else "",
    )


def group_table(pair: MachinePair) -> Table:
    """A geometric mean for each group of results."""
    a, b = (plain(one.title, 60) for one in (pair.a, pair.b))
    rows = [
        (group_name(one), *group_ratio(one), group_standing_text(one), typical_text(one))
        for one in pair.comparison.groups
    ]
    return Table(
        f"Geometric mean by group: {b} over {a}",
        ("group", "ratio", "95 % interval", "verdict", "results"),
        tuple(rows),
        numeric=(1, 2),
    )


def flip_table(pairs: Sequence[MachinePair]) -> Table:
    """Results whose ranking depends on the basis."""
    titles = {m.id: plain(m.title, 60) for p in pairs for m in (p.a, p.b)}
    found: dict[TableRow, list[str]] = {}
    for flip in (one for p in pairs for one in p.comparison.flips):
        first, second = (
            titles.get(one, plain(one, 60)) for one in (flip.ahead_by_first, flip.ahead_by_second)
        )
        row = (plain(flip.name, 160), f"{first} {flip.first}", second)
        found.setdefault(row, []).append(flip.second)
    every = [
        (name, first, f"{second} {', '.join(bases)}")
        for (name, first, second), bases in found.items()
    ]
    left = len(every) - MOST_REFUSALS
    return Table(
        "The ranking depends on the basis",
        ("result", "better", "better on another basis"),
        tuple(every[:MOST_REFUSALS]),
        note=f"{left} more are left out here." if left > 0 else "",
    )


def _benchmarks(pairs: Sequence[MachinePair]) -> list[str]:
    return list(dict.fromkeys(f.a.point.benchmark for p in pairs for f in p.comparison.results))


def _of(pair: MachinePair, benchmark: str) -> tuple[ComparedResult, ...]:
    return tuple(f for f in pair.comparison.results if f.a.point.benchmark == benchmark)


def _counts_text(pair: MachinePair, results: Sequence[ComparedResult]) -> str:
    who = f"{plain(pair.b.title, 60)} versus {plain(pair.a.title, 60)}"
    return f"{who}: {counts_of(results).text}"


def _table(
    pair: MachinePair, results: Sequence[ComparedResult], most: int, links: Links
) -> ComparisonTable:
    shown = tuple(compared_in_order(results[:most], lambda one: one))
    bases = [basis for basis in _OTHER_BASES if any(basis in one.by for one in shown)]
    common = common_notes(shown)
    noted = any(set(one.notes) - set(common) for one in shown)
    a, b = short_titles(pair)
    columns = ("result", a, b, "second over first", *bases, "verdict", *([NOTES] * noted))
    below = []
    if len(shown) < len(results):
        cut = f"{len(shown)} of {len(results)} results are shown: the largest differences."
        below.append(cut)
    below += [f"Of every row: {plain('; '.join(common), 600)}."] if common else []
    below += [f"{NO_INTERVAL_MEANS}."] if any(one.as_printed for one in shown) else []
    table = Table(
        f"{plain(title_of(shown[0].a.point.benchmark), 80)}: {b} versus {a}, "
        f"{count_text(len(results), 'result', 'results')}",
        tuple(map(str, columns)),
        tuple(_cells(one, pair, bases, common, noted=noted) for one in shown),
        tuple(range(1, 4 + len(bases))),
        " ".join(below),
    )
    here, there = links.get(pair.a.id), links.get(pair.b.id)
    return ComparisonTable(
        table,
        tuple((_address(here, one.a), _address(there, one.b)) for one in shown),
        tuple(_command(one, here, there) for one in shown),
    )


def _address(links: MachineLinks | None, one: Estimate) -> str:
    return links.address(one) if links else ""


def _command(one: ComparedResult, a: MachineLinks | None, b: MachineLinks | None) -> str:
    """What measures the result of the second machine again, or that of the first."""
    if b:
        again = b.command or partial(command_for, request=b.request)
        return again(one.b.point)
    return command_for(one.a.point, a.request) if a else ""


def _cells(
    one: ComparedResult,
    pair: MachinePair,
    bases: Sequence[Basis],
    common: Sequence[str],
    *,
    noted: bool,
) -> TableRow:
    own = [note for note in one.notes if note not in common]
    notes = [plain("; ".join(own), 500) or NOTHING] if noted else []
    scale = scale_of_both(one.a, one.b)
    return (
        plain(one.name, 160),
        machine_value_text(one.a, pair.a, scale),
        machine_value_text(one.b, pair.b, scale),
        difference_text(one),
        *(basis_text(one, basis) for basis in bases),
        standing_text(one),
        *notes,
    )

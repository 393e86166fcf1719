"""Tables of machines beside one another: figures by benchmark, refusals, flips."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from machmeter.analysis.matching.compare_machines import is_flag
from machmeter.layout.assign import even_shares
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import Basis, ComparedResult
from machmeter.model.results.run import Request
from machmeter.report.views.tables import Table, TableRow
from machmeter.text.commands import command_for
from machmeter.text.comparison import (
    Compared,
    counted,
    difference_text,
    group_title,
    ratio_text,
    side_text,
    standing_text,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

MOST_REFUSALS = 60
_OTHER_BASES = tuple(basis for basis in Basis if basis is not Basis.AS_MEASURED)


class SideLinks(Struct, frozen=True):
    """What the figures of one measured machine lead to.

    address: where the page lists a figure's records; asked: what its run was asked for;
    command: what measures a point again, where that is more than what measures it alone.
    """

    address: Callable[[Estimate], str]
    asked: Request
    command: Callable[[Point], str] | None = None


Links = Mapping[str, SideLinks]
NO_LINKS: Links = {}


class BesideTable(Struct, frozen=True):
    """The figures of one benchmark that two machines have in common.

    addresses: of each row where the records of both values are listed (empty: nowhere); commands:
    what measures its figure here again (empty: neither was measured here).
    """

    table: Table
    addresses: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]


class BesideSection(Struct, frozen=True):
    """One benchmark, with a table for each pair of machines; `verdicts` are their counts."""

    anchor: str
    benchmark: str
    title: str
    tables: tuple[BesideTable, ...]
    verdicts: tuple[str, ...] = ()


def beside_sections(
    pairs: Sequence[Compared], most_rows: int, links: Links = NO_LINKS
) -> tuple[BesideSection, ...]:
    """Every benchmark in which a pair has figures in common.

    Of all figures at most `most_rows` (one of each benchmark and pair at least); links: of those
    machines that were measured here, by id.
    """
    groups = {
        (name, number): _of(pair, name)
        for name in _benchmarks(pairs)
        for number, pair in enumerate(pairs)
        if _of(pair, name)
    }
    rooms = [len(found) for found in groups.values()]
    shares = dict(zip(groups, even_shares(rooms, min(most_rows, sum(rooms))), strict=True))
    sections = []
    for name in _benchmarks(pairs):
        mine = [key for key in groups if key[0] == name]
        tables = tuple(
            _table(pairs[key[1]], groups[key], max(shares[key], 1), links) for key in mine
        )
        verdicts = tuple(_count_text(pairs[key[1]], groups[key]) for key in mine)
        anchor = "beside-" + re.sub(r"[^a-z0-9]+", "-", name.lower())
        sections.append(BesideSection(anchor, name, group_title(name), tables, verdicts))
    return tuple(sections)


def refusal_table(pairs: Sequence[Compared]) -> Table:
    """What looks alike and is not compared, with the definition in which it differs."""
    every = [
        (f"{plain(p.b.title, 60)}, {plain(p.a.title, 60)}", plain(r.what, 200), plain(r.reason))
        for p in pairs
        for r in p.comparison.refusals
    ]
    left = len(every) - MOST_REFUSALS
    return Table(
        "Alike in name, and not compared",
        ("machines", "what", "why not"),
        tuple(every[:MOST_REFUSALS]),
        note=f"{left} more are left out here." if left > 0 else "",
    )


def flip_table(pairs: Sequence[Compared]) -> Table:
    """Figures by which another machine is ahead when it is taken by something else."""
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
        "Where the ranking flips",
        ("figure", "ahead", "ahead, taken otherwise"),
        tuple(every[:MOST_REFUSALS]),
        note=f"{left} more are left out here." if left > 0 else "",
    )


def _benchmarks(pairs: Sequence[Compared]) -> list[str]:
    return list(dict.fromkeys(f.a.point.benchmark for p in pairs for f in p.comparison.figures))


def _of(pair: Compared, benchmark: str) -> tuple[ComparedResult, ...]:
    return tuple(f for f in pair.comparison.figures if f.a.point.benchmark == benchmark)


def _count_text(pair: Compared, figures: Sequence[ComparedResult]) -> str:
    found = counted(figures)
    return (
        f"{plain(pair.b.title, 60)} against {plain(pair.a.title, 60)}: better in {found.ahead}, "
        f"worse in {found.behind}, the same in {found.same}, not resolved in {found.unresolved}"
    )


def _table(
    pair: Compared, figures: Sequence[ComparedResult], most: int, links: Links
) -> BesideTable:
    shown = tuple(figures[:most])
    bases = [basis for basis in _OTHER_BASES if any(basis in f.by for f in shown)]
    common = _common_notes(shown)
    noted = any(set(f.notes) - set(common) for f in shown)
    a, b = short_titles(pair)
    columns = ("figure", a, b, "second over first", *bases, "verdict", *(["mind"] * noted))
    cut = f"{len(shown)} of {len(figures)} figures are shown, the largest differences first."
    below = [cut] if len(shown) < len(figures) else []
    below += [f"Of every row: {plain('; '.join(common), 600)}."] if common else []
    table = Table(
        f"{shown[0].a.point.benchmark}: {b} against {a}, "
        f"{count_text(len(figures), 'figure', 'figures')}",
        tuple(map(str, columns)),
        tuple(_row(f, pair, bases, common, noted=noted) for f in shown),
        tuple(range(1, 4 + len(bases))),
        " ".join(below),
    )
    here, there = links.get(pair.a.id), links.get(pair.b.id)
    return BesideTable(
        table,
        tuple((_address(here, f.a), _address(there, f.b)) for f in shown),
        tuple(_command(f, here, there) for f in shown),
    )


def _address(side: SideLinks | None, one: Estimate) -> str:
    return side.address(one) if side else ""


def _command(figure: ComparedResult, a: SideLinks | None, b: SideLinks | None) -> str:
    """What measures the figure of the second machine again, or that of the first."""
    if b:
        again = b.command or partial(command_for, asked=b.asked)
        return again(figure.b.point)
    return command_for(figure.a.point, a.asked) if a else ""


def short_titles(pair: Compared) -> tuple[str, str]:
    """The titles of two machines without what stands in brackets, where that tells them apart."""
    a, b = (plain(machine.title, 60) for machine in (pair.a, pair.b))
    short = tuple(title.partition(" (")[0] for title in (a, b))
    return (short[0], short[1]) if all(short) and short[0] != short[1] else (a, b)


def _common_notes(figures: Sequence[ComparedResult]) -> tuple[str, ...]:
    """Notes that all of several figures have; of one figure none, and no flag: those stand beside
    every figure.
    """
    if len(figures) < 2:
        return ()
    return tuple(
        note
        for note in figures[0].notes
        if not is_flag(note) and all(note in f.notes for f in figures)
    )


def _row(
    figure: ComparedResult,
    pair: Compared,
    bases: Sequence[Basis],
    common: Sequence[str],
    *,
    noted: bool,
) -> TableRow:
    own = [note for note in figure.notes if note not in common]
    notes = [plain("; ".join(own), 500) or "–"] if noted else []
    return (
        plain(figure.name, 160),
        side_text(figure.a, pair.a),
        side_text(figure.b, pair.b),
        difference_text(figure),
        *(ratio_text(figure.by.get(basis)) for basis in bases),
        standing_text(figure),
        *notes,
    )

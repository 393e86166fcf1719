"""What the page of one machine shows: its parts, its figures as printed, and what to distrust."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import known_text, printed_text
from machmeter.published.format import Part, PublishedMachine
from machmeter.published.machine import link_text
from machmeter.published.printed import PrintedNumber, printed_figures
from machmeter.text.machines import ResultGroup, circumstances, known_by, part_name
from machmeter.text.plain import plain
from machmeter.text.results import value_text

_ADDRESS = re.compile(
    r"(?:https?://)?(?:[a-z0-9-]{1,60}\.){1,6}(?:com|de|edu|eu|fi|gov|net|org)/[^\s()<>\"'`;,]*"
)
MOST_CARRIERS = 24
_COUNTS = {"nodes": "", "cores": "", "watts": "W", "price": ""}


class Piece(Struct, frozen=True):
    """Words of a source; with the page that they lead to, where they are its address."""

    text: str
    address: str = ""


class PartRow(Struct, frozen=True):
    """What is known of one part: where it is printed (empty: not said), and what is wrong."""

    name: str
    text: str
    page: str = ""
    flag: str = ""
    anchor: str = ""


class PageRow(Struct, frozen=True):
    """One figure: what it is, at which point, its value, how it is known, and what is wrong."""

    anchor: str
    text: str
    point: str
    value: str
    known: str
    page: str = ""
    flag: str = ""


class Flagged(Struct, frozen=True):
    """What is wrong, and what carries it: names with their places on the page (empty: none).

    others: how many more carry it.
    """

    flag: str
    carriers: tuple[Piece, ...]
    others: int = 0


def source_pieces(text: str) -> tuple[Piece, ...]:
    """The words of a source; an address in it leads there, by https where it says nothing else."""
    said, pieces, start = plain(text, 600), [], 0
    for found in _ADDRESS.finditer(said):
        address = found.group()
        pieces.append(Piece(said[start : found.start()]))
        pieces.append(Piece(address, address if "://" in address else f"https://{address}"))
        start = found.end()
    return tuple(piece for piece in (*pieces, Piece(said[start:])) if piece.text)


def place_of(source: str, own: str) -> str:
    """Where in its source a figure stands, without the machine's `own` source, told once."""
    return source.replace(f"{own}, ", "") if own else source


def part_rows(machine: PublishedMachine, flags: Mapping[str, str]) -> Iterator[PartRow]:
    """Parts, counts and links, each with its unit and what is wrong with it."""
    for name, part in machine.parts.items():
        fact = part if isinstance(part, Part) else Part(part)
        value = fact.value if isinstance(fact.value, str) else f"{fact.value:.15g}"
        note = f" ({fact.note})" if fact.note else ""
        text = f"{value} {fact.unit}".rstrip() + note
        yield _part(name.replace("_", " "), text, fact.page, flags.get(f"parts.{name}", ""))
    for name, unit in _COUNTS.items():
        value = getattr(machine.counts, name)
        if value and machine.parts.get(name) != value:
            said = f"{value:,.15g} {unit or machine.counts.currency * (name == 'price')}".rstrip()
            yield _part(name, said, "", flags.get(f"counts.{name}", ""))
    for link in machine.links:
        name = f"link {link.text or link.id}"
        row = _part(name, link_text(link), link.page, flags.get(link.id, ""))
        yield replace(row, anchor=anchor_of(link.id))


def figure_rows(group: ResultGroup) -> Iterator[PageRow]:
    """The figures of a group; what all of them have in common is not repeated in each."""
    shared, common = shared_text(group), group.common()
    for one in group.figures:
        words = [word for word in circumstances(one) if word not in common]
        yield PageRow(
            anchor_of(one.printed.id if one.printed else ""),
            "" if shared or not one.printed else plain(one.printed.text, 300),
            plain(", ".join(words), 300),
            value_text(one),
            _known(one),
            flag=plain(one.flag, 600),
        )


def shared_text(group: ResultGroup) -> str:
    """What the source says of each of several figures in the same words; empty otherwise."""
    texts = {one.printed.text if one.printed else "" for one in group.figures}
    return plain(texts.pop(), 300) if len(group.figures) > 1 and len(texts) == 1 else ""


def loose_rows(numbers: Mapping[str, PrintedNumber]) -> Iterator[PageRow]:
    """Numbers that no benchmark and no workload is named for."""
    for number in numbers.values():
        table, printed = number.table, number.printed
        if table.benchmark or table.workload:
            continue
        page = f"{table.source}, {table.page}" if table.source else table.page
        said = printed.text or printed.id
        yield PageRow(
            anchor_of(printed.id),
            plain(f"{said} ({table.note})" if table.note else said, 600),
            "",
            plain(printed_text(printed), 120),
            plain(known_text(printed), 300),
            plain(page, 300),
            plain(printed.flag, 600),
        )


def flagged_of(
    machine: PublishedMachine, flags: Mapping[str, str], shown: set[str]
) -> tuple[Flagged, ...]:
    """Everything that is wrong, each once, with all that carries it.

    shown: the places that the page has; what has none of them is named without one.
    """
    carried: dict[str, list[Piece]] = {}
    for row in part_rows(machine, flags):
        if row.flag:
            place = row.anchor if row.anchor in shown else "parts"
            carried.setdefault(row.flag, []).append(Piece(row.name, f"#{place}"))
    for name, number in printed_figures(machine, flags).items():
        flag = plain(number.printed.flag, 600)
        if flag:
            # Another tool's words on a figure do not tell it from others; its id does.
            imported = machine.origin == "imported"
            text = plain((not imported and number.printed.text) or name, 120)
            place = anchor_of(name)
            carried.setdefault(flag, []).append(Piece(text, f"#{place}" * (place in shown)))
    return tuple(
        Flagged(flag, tuple(pieces[:MOST_CARRIERS]), max(len(pieces) - MOST_CARRIERS, 0))
        for flag, pieces in carried.items()
    )


def anchor_of(figure: str) -> str:
    """The place of a figure on the page, by its id."""
    return f"figure-{figure}" if figure else ""


def _part(name: str, text: str, page: str, flag: str) -> PartRow:
    return PartRow(plain(part_name(name), 80), plain(text, 600), plain(page, 200), plain(flag, 600))


def _known(one: Estimate) -> str:
    shown = known_text(one.printed) if one.printed and one.as_printed else known_by(one)
    return plain(shown, 300)


def pieces_of(words: Sequence[str]) -> tuple[Piece, ...]:
    """Several sources in a row, each with its addresses, semicolons between."""
    joined: list[Piece] = []
    for word in words:
        joined += [Piece("; ")] if joined else []
        joined += source_pieces(word)
    return tuple(joined)

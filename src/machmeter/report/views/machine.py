"""A machine prepared for people: its parts, its results as printed, and their caveats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.origin import Origin
from machmeter.model.results.printed_text import origin_briefly, origin_details, printed_text
from machmeter.published.format import Part, PublishedMachine
from machmeter.published.machine import link_text
from machmeter.published.printed import PrintedNumber, printed_figures
from machmeter.text.machines import ResultGroup, interval_or_origin, part_name, point_labels
from machmeter.text.plain import plain
from machmeter.text.results import value_text

_ADDRESS = re.compile(
    r"(?:https?://)?(?:[a-z0-9-]{1,60}\.){1,6}(?:com|de|edu|eu|fi|gov|net|org)/[^\s()<>\"'`;,]*"
)
MOST_CARRIERS = 24
_COUNTS = {"nodes": "", "cores": "", "watts": "W", "price": ""}


class Piece(Struct, frozen=True):
    """Words of a source."""

    text: str
    """As they are shown."""
    address: str = ""
    """The page that they link to, where they are its address."""


class PartRow(Struct, frozen=True):
    """What is known of one part."""

    name: str
    """Of the part."""
    text: str
    """Its value with its unit."""
    page: str = ""
    """Where it is printed (empty: not stated)."""
    flag: str = ""
    """What contradicts it."""
    anchor: str = ""
    """On the page."""


class MachineRow(Struct, frozen=True):
    """One result of a machine."""

    anchor: str
    """On the page."""
    text: str
    """What its source says of it."""
    point: str
    """Parameters and layout, without those that its group has in common."""
    value: str
    """With its unit, as printed."""
    brief_origin: str
    """Its interval, or that it is printed, derived or read off."""
    further: str = ""
    """From what it is derived, and what else its source says of it."""
    page: str = ""
    """Where it is printed."""
    flag: str = ""
    """What contradicts it."""

    @property
    def origin(self) -> str:
        """How it is known, in full."""
        return f"{self.brief_origin}: {self.further}" if self.further else self.brief_origin


class Contradiction(Struct, frozen=True):
    """A contradiction, and what it concerns."""

    flag: str
    """What is wrong."""
    carriers: tuple[Piece, ...]
    """Names of what it concerns, with their places on the page (empty: none)."""
    others: int = 0
    """How many more it concerns."""


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
    """Where in its source a figure stands, without the machine's `own` source."""
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


def result_rows(group: ResultGroup) -> Iterator[MachineRow]:
    """The results of a group; what all of them have in common is not repeated in each."""
    shared, common = shared_text(group), group.common_labels()
    for one in group.results:
        labels = [label for label in point_labels(one) if label not in common]
        printed = one.printed
        yield MachineRow(
            anchor_of(printed.id if printed else ""),
            "" if shared or not printed else plain(printed.text, 300),
            plain(", ".join(labels), 300),
            value_text(one),
            plain(interval_or_origin(one), 300),
            plain(origin_details(printed), 300) if printed and one.as_printed else "",
            flag=plain(one.flag, 600),
        )


def shared_text(group: ResultGroup) -> str:
    """What the source says of each of several results in the same words; empty otherwise."""
    texts = {one.printed.text if one.printed else "" for one in group.results}
    return plain(texts.pop(), 300) if len(group.results) > 1 and len(texts) == 1 else ""


def loose_rows(numbers: Mapping[str, PrintedNumber]) -> Iterator[MachineRow]:
    """Numbers that no benchmark and no workload is named for."""
    for number in numbers.values():
        table, printed = number.table, number.printed
        if table.benchmark or table.workload:
            continue
        page = f"{table.source}, {table.page}" if table.source else table.page
        said = printed.text or printed.id
        yield MachineRow(
            anchor_of(printed.id),
            plain(f"{said} ({table.note})" if table.note else said, 600),
            "",
            plain(printed_text(printed), 120),
            origin_briefly(printed),
            plain(origin_details(printed), 300),
            plain(page, 300),
            plain(printed.flag, 600),
        )


def caveats_of(
    machine: PublishedMachine, flags: Mapping[str, str], shown: set[str]
) -> tuple[Contradiction, ...]:
    """Every contradiction, each once, with all that it concerns.

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
            imported = machine.origin is Origin.IMPORTED
            text = plain((not imported and number.printed.text) or name, 120)
            place = anchor_of(name)
            carried.setdefault(flag, []).append(Piece(text, f"#{place}" * (place in shown)))
    return tuple(
        Contradiction(flag, tuple(pieces[:MOST_CARRIERS]), max(len(pieces) - MOST_CARRIERS, 0))
        for flag, pieces in carried.items()
    )


def anchor_of(figure: str) -> str:
    """The place of a figure on the page, by its id."""
    return f"figure-{figure}" if figure else ""


def _part(name: str, text: str, page: str, flag: str) -> PartRow:
    return PartRow(plain(part_name(name), 80), plain(text, 600), plain(page, 200), plain(flag, 600))


def pieces_of(words: Sequence[str]) -> tuple[Piece, ...]:
    """Several sources in a row, each with its addresses, semicolons between."""
    joined: list[Piece] = []
    for word in words:
        joined += [Piece("; ")] if joined else []
        joined += source_pieces(word)
    return tuple(joined)

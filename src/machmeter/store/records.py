"""Launch records: JSON Lines as the native programs write them, read without trust."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.model.errors import MachmeterError
from machmeter.model.layout import ThreadPlace
from machmeter.model.plan.description import OutputReadings
from machmeter.model.plan.launch import RECORD_FORMAT, Begun, Closing, Header, PointRecord, Record
from machmeter.model.plan.observation import ObservedRank
from machmeter.model.plan.packed import Packed
from machmeter.store.files import read_bounded
from machmeter.store.json_text import decode_json

LARGEST_RECORD = 256 * 2**20
_KNOWN_FORMATS = (2, 3, RECORD_FORMAT)

_Line = Header | Begun | PointRecord | ObservedRank | OutputReadings | Closing
_decoder = msgspec.json.Decoder(_Line)


def read_record(path: Path) -> Record:
    """The record at `path`, or what is left of it under its `.partial` name.

    Never raises for what the file holds: a record that is cut off, or is no record, comes back
    incomplete with its `problem` and the lines before it kept.
    """
    partial = path.with_name(path.name + ".partial")
    found = path if path.exists() else partial
    if not found.exists():
        return Record(None, (), None, "the program wrote no record")
    try:
        content = read_bounded(found, LARGEST_RECORD)
    except MachmeterError as error:
        return Record(None, (), None, error.message)
    return parse_record(content)


def parse_record(content: bytes) -> Record:
    """The record in `content`; see `read_record`.

    Where it is incomplete, its `begun` is the last point begun that has no line of its own:
    several may be measured at once.
    """
    header: Header | None = None
    points: list[PointRecord] = []
    unfinished: list[Begun] = []
    observed: list[ObservedRank] = []
    output: OutputReadings | None = None
    packed: Packed | None = None
    problem = "the record has no closing line"
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            item = decode_json(line, _decoder)
            if isinstance(item, Header | Closing) and item.packed:
                before = header.places if header and _same_places(item.packed, packed) else None
                packed = item.packed
                item = _unpacked(item, packed, before)
        except (ValueError, RecursionError) as error:
            problem = f"line {number} is cut off or damaged: {error}"
            break
        if isinstance(item, PointRecord) and header is not None:
            points.append(item)
            unfinished = [begun for begun in unfinished if begun.parameters != item.parameters]
        elif isinstance(item, Begun) and header is not None:
            unfinished.append(item)
        elif isinstance(item, ObservedRank) and header is not None:
            observed.append(item)
        elif isinstance(item, OutputReadings) and header is not None:
            output = item
        elif isinstance(item, Closing) and header is not None:
            if item.points == len(points):
                return Record(header, tuple(points), item, observed=tuple(observed), output=output)
            problem = f"the closing line counts {item.points} points, {len(points)} are there"
            break
        elif isinstance(item, Header) and header is None:
            if item.format not in _KNOWN_FORMATS:
                problem = f"record format {item.format} is none of {_KNOWN_FORMATS}, known here"
                break
            header = _as_of_today(item)
        else:
            problem = f"line {number} is out of place"
            break
    begun = unfinished[-1] if unfinished else None
    return Record(header, tuple(points), None, problem, tuple(observed), output, begun)


def _unpacked(
    line: Header | Closing, packed: Packed, places: tuple[ThreadPlace, ...] | None
) -> Header | Closing:
    """With the places, where they are not known yet, and noise of every rank. Raises ValueError
    where they cannot be."""
    if len(packed.quanta) != len(line.noise):
        raise ValueError(f"noise of {len(line.noise)} hosts, quanta of {len(packed.quanta)}")
    noise = tuple(
        replace(one, packed=quanta) for one, quanta in zip(line.noise, packed.quanta, strict=True)
    )
    known = packed.places() if places is None else places
    return replace(line, places=known, noise=noise, packed=UNSET)


def _same_places(one: Packed, other: Packed | None) -> bool:
    return other is not None and replace(one, quanta=()) == replace(other, quanta=())


def _as_of_today(header: Header) -> Header:
    """Format 2 had an empty toolchain, and a clock, for a program that says nothing of them."""
    if header.toolchain is None or header.toolchain.compiler:
        return header
    return replace(header, toolchain=None, clock=None)

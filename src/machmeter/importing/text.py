"""The text of another tool's output: read within bounds, and named by file and line."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import time
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.importing.lines.clean import decoded, tagged_lines, without_tags
from machmeter.importing.lines.ranks import ranks_of
from machmeter.importing.readings import is_plausible
from machmeter.model.errors import MachmeterError
from machmeter.model.written.text import readable
from machmeter.store.files import read_regular

LARGEST_FILE = 16 * 2**20
LONGEST_LINE = 2000
STANDARD_INPUT = Path("-")
_WRITER_SECONDS, _PAUSE_SECONDS = 2.0, 0.02
_OF_PIPES = (Path("/dev/fd"), Path("/proc/self/fd"))
_MOST_DOCUMENTS = 200
_MOST_FAILED = 20
_OPENS_DOCUMENT = re.compile(r"\s*\{\s*([\"}]|$)")
_OPENS_JSON = re.compile(r"\s*[{\[]\s*([{\[\"]|$)")
_NUMBER = re.compile(r"[-+]?\d{1,25}(\.\d{1,25})?([eE][-+]?\d{1,3})?")
_LONGEST_COUNT = 18
_INFINITY = re.compile(r"[-+]?(nan(\(\w{0,20}\))?|inf(inity)?)", re.IGNORECASE)
_HALF_OF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


class ForeignText(Struct, frozen=True):
    """A file of another tool: its name as shown, and its lines without their ends."""

    name: str
    """Of the file."""
    lines: tuple[str, ...]
    """Its lines."""
    ranks: dict[int, int] = field(default_factory=dict)
    """The rank that printed a line, by its number from 1, where a tag before it said so."""

    @property
    def whole(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether any line holds the pattern."""
        return any(pattern.search(line) for line in self.lines)

    def may_be_cut(self, line: int) -> bool:
        """Whether line `line` (from 1) is the last one and has no end."""
        return line == len(self.lines)

    def refused(self, line: int, expected: str) -> MachmeterError:
        """The error that line `line` (from 1) is not what was expected."""
        found = self.lines[line - 1].strip()[:80] if 0 < line <= len(self.lines) else ""
        return MachmeterError(
            f"{self.name}, line {line}: expected {expected}, found {found!r}",
            "give the tool's output as it printed it, or take that line out",
        )

    def number(self, word: str, line: int, expected: str) -> tuple[float, int]:
        """A decimal number and its digits after the point.

        Raises MachmeterError for what is none, and where it is not `results.is_plausible`.
        """
        value = float(word) if _NUMBER.fullmatch(word) else math.nan
        if not is_plausible(value):
            raise self.refused(line, expected)
        return value, decimals_of(word)

    def count(self, word: str, line: int, expected: str) -> int:
        """A whole number from 0 to 2^63 - 1. Raises MachmeterError."""
        if not re.fullmatch(r"\d{1,19}", word) or int(word) >= 2**63:
            raise self.refused(line, expected)
        return int(word)


def has_no_number(words: Iterable[str]) -> bool:
    """Whether one of the words is no number, as nan, inf, -, N/A or **** in its place."""
    return not all(map(_NUMBER.fullmatch, words))


def has_infinity(words: Iterable[str]) -> bool:
    """Whether one of the words is what a program prints for nan or infinity."""
    return any(_INFINITY.fullmatch(word) for word in words)


def is_nothing(word: str) -> bool:
    """Whether a word is a number that is zero or less."""
    return bool(_NUMBER.fullmatch(word)) and float(word) <= 0


def is_cut_number(word: str, others: Iterable[str]) -> bool:
    """Whether a last number has fewer digits after its point than the others of its column."""
    return any(decimals_of(word) < decimals_of(other) for other in others)


def decimals_of(word: str) -> int:
    """Digits after the point of a number as printed, its exponent taken in; within -12 to 12."""
    mantissa, _, exponent = word.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - (int(exponent) if exponent else 0)
    return max(min(digits, 12), -12)


def decimals_shown(value: float) -> int:
    """Digits after the point that show six digits of a number that is printed in full."""
    return max(min(5 - math.floor(math.log10(abs(value))), 12), 0) if value else 0


def decimals_of_rate(rate: float, steps: float) -> int:
    """Digits after the point that a rate has whose time is printed in that many steps."""
    return max(min(math.floor(math.log10(steps / rate)), 12), -12)


def shown_name(path: Path) -> str:
    """What a file is called; `-` is standard input, and a number as in /dev/fd/63 a pipe."""
    if path in (STANDARD_INPUT, Path("/dev/stdin")):
        return "standard input"
    return "pipe" if path.parent in _OF_PIPES else readable(path.name)


def read_text(path: Path) -> ForeignText:
    """A file, a pipe or standard input (`-`) as text; what is no UTF-8 becomes question marks.

    Raises MachmeterError where it cannot be read, is larger than 16 MiB or holds binary data.
    """
    name = shown_name(path)
    try:
        content = _content(path)
    except OSError as error:
        raise MachmeterError(
            f"cannot read {path}: {error.strerror}", "check its name and rights"
        ) from error
    if len(content) > LARGEST_FILE:
        raise MachmeterError(
            f"{path} is larger than {LARGEST_FILE // 2**20} MiB", "give the part with the results"
        )
    text = decoded(content)
    if text is None:
        raise MachmeterError(f"{path} is no text", "give the output that the tool printed")
    return text_of(name, text)


def _content(path: Path) -> bytes:
    """At most one byte more than may be read; of a pipe until its writer ends."""
    if path == STANDARD_INPUT:
        with open(0, "rb", closefd=False) as file:
            return file.read(LARGEST_FILE + 1)
    if path.is_fifo():
        return _content_of_pipe(path)
    return read_regular(path, LARGEST_FILE + 1)


def _content_of_pipe(path: Path) -> bytes:
    """Raises OSError where nothing writes into it: it would be waited for without end."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", 0) as pipe:
        first, end = b"", time.monotonic() + _WRITER_SECONDS
        while first == b"" and time.monotonic() < end:
            # Nothing (None) where there is a writer that has written nothing yet.
            first = pipe.read(1)
            if first == b"":
                time.sleep(_PAUSE_SECONDS)
        if first == b"":
            raise OSError(errno.EINVAL, "it is no regular file, and nothing is written into it")
        os.set_blocking(pipe.fileno(), True)
        with open(pipe.fileno(), "rb", closefd=False) as rest:
            return (first or b"") + rest.read(LARGEST_FILE + 1 - len(first or b""))


def text_of(name: str, content: str) -> ForeignText:
    """`content` under the name it is reported by; only what is left of 2,000 characters a line.

    What launchers and logs put before its lines is taken off.
    """
    tagged = tagged_lines(content)
    lines, ranks = without_tags(tagged), ranks_of(tagged)
    if any(_OPENS_DOCUMENT.match(line) for line in lines):
        return ForeignText(name, tuple(lines), ranks)
    return ForeignText(name, tuple(line[:LONGEST_LINE] for line in lines), ranks)


def parts_of(text: ForeignText) -> tuple[ForeignText, ...]:
    """Every JSON document of a text, and its other lines in their places."""
    lines = list(text.lines)
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    documents: list[ForeignText] = []
    whole = text.whole
    number = failed = 0
    while number < len(lines):
        end = 0
        may_open = failed < _MOST_FAILED and len(documents) < _MOST_DOCUMENTS
        if may_open and _OPENS_DOCUMENT.match(lines[number]):
            end = bisect_right(begins, _end_of_document(whole, begins[number]))
            failed += not end
        if end:
            documents.append(ForeignText(text.name, tuple(lines[number:end])))
            lines[number:end] = [""] * (end - number)
        number = max(number + 1, end)
    others = ForeignText(text.name, tuple(line[:LONGEST_LINE] for line in lines), text.ranks)
    return (*documents, others)


def _end_of_document(whole: str, begin: int) -> int:
    """Where the JSON document in the lines from `begin` on ends; -1 where there is none."""
    try:
        _, end = _DECODER.raw_decode(whole, whole.index("{", begin))
    except (ValueError, RecursionError):
        return -1
    newline = whole.find("\n", end)
    return -1 if whole[end : newline if newline >= 0 else None].strip() else end


def json_of(text: ForeignText) -> Any:
    """The JSON document of a text, None where it is none. NaN and Infinity are read as numbers."""
    if text.whole.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return _decoded(text.whole)
    except (ValueError, RecursionError):
        return None


def why_no_json(text: ForeignText) -> str:
    """Why what begins like a JSON document is none, empty where it is one or nothing does."""
    first = next((n for n, line in enumerate(text.lines) if _OPENS_JSON.match(line)), None)
    if first is None:
        return ""
    try:
        _decoded("\n".join(text.lines[first:]))
    except json.JSONDecodeError as error:
        return f"line {first + error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        return "it holds what is no text, or is too deep"
    return ""


def _decoded(content: str) -> Any:
    """A JSON document; NaN and Infinity, which JSON lacks and programs print, are such numbers."""
    found = json.loads(content, parse_int=_whole)
    if _HALF_OF_CHARACTER.search(content):
        # The half of a character that is escaped alone is no text: it can be written nowhere.
        msgspec.json.encode(found)
    return found


def _whole(word: str) -> int | float:
    """An integer of at most 64 bits; what is larger as a floating-point number, maybe infinity."""
    return int(word) if len(word) <= _LONGEST_COUNT else float(word)


_DECODER = json.JSONDecoder(parse_int=_whole)

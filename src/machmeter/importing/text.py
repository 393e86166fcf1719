"""The text of another tool's output: read within bounds, and named by file and line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from machmeter.importing.readings import is_plausible
from machmeter.model.errors import MachmeterError
from machmeter.model.text import readable
from machmeter.store.files import read_regular

LARGEST_FILE = 16 * 2**20
LONGEST_LINE = 2000
_NUMBER = re.compile(r"[-+]?\d{1,25}(\.\d{1,25})?([eE][-+]?\d{1,3})?")
_LONGEST_COUNT = 18
_HALF_OF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
_NO_NUMBER = re.compile(r"[-+]?(nan(\(\w{0,20}\))?|inf(inity)?)", re.IGNORECASE)


class ForeignText(Struct, frozen=True):
    """A file of another tool: its name as shown, and its lines without their ends."""

    name: str
    """Of the file."""
    lines: tuple[str, ...]
    """Its lines."""

    @property
    def whole(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether any line holds the pattern."""
        return any(pattern.search(line) for line in self.lines)

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
    """Whether one of the words is what a program prints for nan or infinity."""
    return any(_NO_NUMBER.fullmatch(word) for word in words)


def is_nothing(word: str) -> bool:
    """Whether a word is a number that is zero or less."""
    return bool(_NUMBER.fullmatch(word)) and float(word) <= 0


def decimals_of(word: str) -> int:
    """Digits after the point of a number as printed, its exponent taken in; within -12 to 12."""
    mantissa, _, exponent = word.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - (int(exponent) if exponent else 0)
    return max(min(digits, 12), -12)


def decimals_shown(value: float) -> int:
    """Digits after the point that show six digits of a number that is printed in full."""
    return max(min(5 - math.floor(math.log10(abs(value))), 12), 0) if value else 0


def read_text(path: Path) -> ForeignText:
    """A file as text; bytes that are no UTF-8 become question marks.

    Raises MachmeterError where it cannot be read, is larger than 16 MiB or holds binary data.
    """
    name = readable(path.name)
    try:
        content = read_regular(path, LARGEST_FILE + 1)
    except OSError as error:
        raise MachmeterError(
            f"cannot read {path}: {error.strerror}", "check its name and rights"
        ) from error
    if len(content) > LARGEST_FILE:
        raise MachmeterError(
            f"{path} is larger than {LARGEST_FILE // 2**20} MiB", "give the part with the results"
        )
    if b"\0" in content:
        raise MachmeterError(f"{path} is no text", "give the output that the tool printed")
    return text_of(name, content.decode("utf-8", errors="replace"))


def text_of(name: str, content: str) -> ForeignText:
    """`content` under the name it is reported by; only what is left of 2,000 characters a line."""
    lines = content.replace("\r\n", "\n").split("\n")
    if content.lstrip()[:1] in ("{", "["):
        return ForeignText(name, tuple(lines))
    return ForeignText(name, tuple(line[:LONGEST_LINE] for line in lines))


def json_of(text: ForeignText) -> Any:
    """The JSON document of a text, None where it is none. NaN and Infinity are read as numbers."""
    if text.whole.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return _decoded(text.whole)
    except (ValueError, RecursionError):
        return None


def why_no_json(text: ForeignText) -> str:
    """Why what begins like a JSON document is none, empty where it is one or begins otherwise."""
    if text.whole.lstrip()[:1] not in ("{", "["):
        return ""
    try:
        _decoded(text.whole)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
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

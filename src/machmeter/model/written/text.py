"""Text that can be written as UTF-8, whatever the system's own names hold."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Sequence

from machmeter.model.errors import UsageError

CONTROLS = frozenset({"Cc", "Cf", "Cs"})
"""Categories of Unicode that steer: control characters, those that change direction or have no
width, and halves of pairs."""
_SEPARATORS = "\u2028\u2029"


def readable(text: str) -> str:
    """`text` with every byte that is no UTF-8 written as an escape.

    Names of files and arguments may be any bytes; Python carries those that are no text as lone
    surrogates (PEP 383), which neither JSON nor a terminal takes.
    """
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def escaped(text: str) -> str:
    """`text` with every control character written as shells and Python do: `\\x1b`, `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if _is_control(c) else c for c in readable(text))


def json_escaped(line: str) -> str:
    """A line of JSON with what steers a terminal as escapes: such characters stand in strings."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(json.dumps(c)[1:-1] if _is_control(c) else c for c in line)


def shell_text(words: Sequence[str]) -> str:
    """Words as a shell takes them, on one line: those with control characters as `$'\\x1b'`."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if not any(map(_is_control, word)):
        return shlex.quote(word)
    inner = escaped(word.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{inner}'"


def _is_control(c: str) -> bool:
    return unicodedata.category(c) in CONTROLS or c in _SEPARATORS


def _escape(c: str) -> str:
    number = ord(c)
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def check_text(text: str) -> str:
    """The text as it is. Raises UsageError for one that no file of a run can hold."""
    if readable(text) != text:
        raise UsageError(
            f"{text!a} is not UTF-8 text", "write it in UTF-8; where it is, set PYTHONUTF8=1"
        )
    return text

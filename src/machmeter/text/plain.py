"""Text of others on one line: it must steer neither a terminal nor a page."""

from __future__ import annotations

import unicodedata

from machmeter.model.text import readable

MAX_TEXT = 2000
# Control characters, those that change direction or have no width, and halves of pairs.
_CONTROLS = frozenset({"Cc", "Cf", "Cs"})


def plain(text: str, limit: int = MAX_TEXT) -> str:
    """`text` on one line, without control or direction-changing characters, cut at `limit`.

    Host names and program output are not ours: they must not steer a terminal.
    """
    spaced = "".join(" " if c in "\n\r\t\u2028\u2029" else c for c in readable(text[: limit + 1]))
    kept = "".join(c for c in spaced if unicodedata.category(c) not in _CONTROLS)
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def plain_lines(text: str) -> str:
    """`text` with its line breaks, each line made `plain`."""
    return "\n".join(plain(line) for line in text.split("\n"))


def capitalized(text: str) -> str:
    """With its first letter as a capital, the rest as it is: `MPI` stays `MPI`."""
    return f"{text[:1].upper()}{text[1:]}"


def without_controls(text: str) -> str:
    """`text` with its line breaks and without any other control character."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c for c in text if c == "\n" or unicodedata.category(c) not in _CONTROLS)


def escaped(text: str) -> str:
    """`text` with every control character written as Python and shells do: `\\x1b`, `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if _is_control(c) else c for c in readable(text))


def _is_control(c: str) -> bool:
    return unicodedata.category(c) in _CONTROLS or c in "\u2028\u2029"


def _escape(c: str) -> str:
    number = ord(c)
    return (
        f"\\x{number:02x}"
        if number < 256
        else f"\\u{number:04x}"
        if number < 65536
        else f"\\U{number:08x}"
    )

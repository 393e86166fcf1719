"""Text of others on one line: it must steer neither a terminal nor a page."""

from __future__ import annotations

import unicodedata

from machmeter.model.written.text import CONTROLS, readable

MAX_TEXT = 2000


def plain(text: str, limit: int = MAX_TEXT) -> str:
    """`text` on one line, without control or direction-changing characters, cut at `limit`.

    Host names and program output are not ours: they must not steer a terminal.
    """
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text
    spaced = "".join(" " if c in "\n\r\t\u2028\u2029" else c for c in readable(text[: limit + 1]))
    kept = "".join(c for c in spaced if unicodedata.category(c) not in CONTROLS)
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
    steering = (c for c in set(text) if c != "\n" and unicodedata.category(c) in CONTROLS)
    return text.translate(dict.fromkeys(map(ord, steering)))

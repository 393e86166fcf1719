"""The streams of this process, whatever it was started with."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from contextlib import suppress
from typing import TextIO

_HANDLER = "machmeter.plain"
# What people read in place of a character that their terminal does not have.
_PLAIN = {
    "\u2013": "-",
    "\u2014": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2026": "...",
    "\u2190": "<-",
    "\u2192": "->",
    "\u2212": "-",
    "\u2248": "~",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u00b1": "+-",
    "\u00b5": "u",
    "\u03bc": "u",
    "\u00b7": ".",
    "\u00d7": "x",
    "\u2022": "*",
}


def make_streams_sound() -> None:
    """Open what is closed, where a file would take its number, and let no character be refused.

    A locale of one byte, as is usual on clusters, lacks dashes and arrows: they are written as
    others that it has.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        _open_closed(number)
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    codecs.register_error(_HANDLER, _in_plain_characters)
    for stream in (sys.stdout, sys.stderr):
        _let_all_pass(stream)


def _open_closed(number: int) -> None:
    with suppress(OSError):
        os.fstat(number)
        return
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)


def _let_all_pass(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure and codecs.lookup(stream.encoding or "utf-8").name != "utf-8":
        reconfigure(errors=_HANDLER)


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Implements an error handler of codecs; what is left are question marks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_plain, text)), error.end


def _plain(character: str) -> str:
    found = _PLAIN.get(character) or unicodedata.normalize("NFKD", character)
    return "".join(filter(str.isascii, found)) or "?"

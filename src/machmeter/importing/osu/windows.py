"""The window of messages that OSU does not print, as the launch line above a table states it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from machmeter.importing.names import reported_name
from machmeter.importing.placement import PlaceLabel, launch_before

WINDOW = "window"
DEFAULT_WINDOW = 64
_GIVEN = re.compile(r"-c?W(\S*)|--wind[ow-]{0,3}(?:s|si|siz|size)?(?:=(\S*))?")


def window_before(labels: Sequence[PlaceLabel], line: int, title: str) -> str:
    """What `-W` gave the test of the table whose head is line `line`; empty where nothing says it.

    Only the launch of that test counts, and of several the last one, as in getopt.
    """
    launch = launch_before(labels, line)
    if launch is None or not _is_of(launch.program, title):
        return ""
    said = ""
    words = launch.arguments
    for at, word in enumerate(words):
        found = _GIVEN.fullmatch(word)
        if found:
            said = found.group(1) or found.group(2) or "".join(words[at + 1 : at + 2])
    return reported_name(said)


def window_of(said: str) -> int | None:
    """The window, of 64 unless something is said; None of what is no number, as a variable is."""
    if not said:
        return DEFAULT_WINDOW
    return int(said) if re.fullmatch(r"[1-9]\d{0,8}", said) else None


def _is_of(program: str, title: str) -> bool:
    """Whether a program is the test of bandwidth with that title."""
    name, words = program.rsplit("/", 1)[-1].lower(), title.lower()
    if not re.match(r"osu_(?!mbw)\w*bw", name) or "bandwidth" not in words:
        return False
    pairs = (("put", "put"), ("get", "get"), ("bibw", "bi-"), ("persistent", "persistent"))
    return all((own in name) == (of in words) for own, of in pairs) and "multiple" not in words

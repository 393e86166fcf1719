"""The window of messages that OSU does not print, as the launch line above a table states it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from machmeter.importing.lines.labels import PlaceLabel
from machmeter.importing.lines.program_names import benchmark_of
from machmeter.importing.lines.programs_started import may_print
from machmeter.importing.names import reported_name
from machmeter.importing.placement import start_before

WINDOW = "window"
DEFAULT_WINDOW = 64
_GIVEN = re.compile(r"-c?W(\S*)|--wind[ow-]{0,3}(?:s|si|siz|size)?(?:=(\S*))?")
# Variables and what a shell runs: any options may be in them, unless they are the value of one.
_OPEN = re.compile(r"\$[\w{(@*]")
_VALUED = re.compile(
    r"-[imxWbTDPGkwsMrdtpl]|--(?:iterations|warmup|message-size|window-size|buffer-num|type|ddt"
    r"|papi|graph|validation-warmup|win-options?|sync-option|mem-limit|cuda-target|accelerator)"
)


def window_before(labels: Sequence[PlaceLabel], line: int, title: str) -> str:
    """What `-W` gave the test of the table whose head is line `line`; empty where nothing says it.

    Only the start of that test counts, and of several `-W` the last one, as in getopt. A
    variable that may hold it is given as it is written.
    """
    start = start_before(labels, line)
    if start is None:
        return ""
    given = {_window_of_start(one, title): None for one in start.among or (start,)}
    if not any(given):
        return ""
    return reported_name(" or ".join(said or str(DEFAULT_WINDOW) for said in given))


def _window_of_start(start: PlaceLabel, title: str) -> str:
    words = start.arguments
    if not _is_of(start.program, title):
        # What a script does with its options is not known.
        is_script = may_print(start.program, title) and not benchmark_of(start.program)
        return " ".join((start.program, *words)) if is_script and _given(words) else ""
    return _given(words)


def _given(words: Sequence[str]) -> str:
    said = ""
    for at, word in enumerate(words):
        found = _GIVEN.fullmatch(word)
        if found:
            said = found.group(1) or found.group(2) or "".join(words[at + 1 : at + 2])
        elif _OPEN.match(word) and not (at and _VALUED.fullmatch(words[at - 1])):
            said = word
    return said


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

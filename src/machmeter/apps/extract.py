"""Numbers in the output of a program, by regular expressions of its description.

RE2 needs time and memory in proportion to the text, whatever the pattern. Only one match is looked
for in a line, since all matches of a text may take time in proportion to its square.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import re2
from msgspec import Struct

from machmeter.model.plan.description import (
    Description,
    Echo,
    Extraction,
    Figure,
    OutputReadings,
    Take,
)
from machmeter.model.written.text import escaped

_VALUE = b"value"
# Lets `^` and `$` match at lines.
_LINES = "(?m)"
# With less memory RE2 takes its slow way, which needs time for each instruction of a pattern.
_MOST_MEMORY = 2**23
_MOST_INSTRUCTIONS = 1500
_MOST_LINES = 20
_LONGEST_NUMBER = 60
_LONGEST_WORDS = 100
# They match at the ends of the text that is searched, which is a line.
_OF_TEXT = ("\\A", "\\z", "(?-m", "(?s", "\\C")
# Fortran writes exponents with D; a comma between digits means different things to people.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)\b.*", re.IGNORECASE)
_CHOICES: dict[Take, Callable[[Iterator[float]], float]] = {
    Take.LEAST: min,
    Take.LARGEST: max,
    Take.SUM: sum,
}


class Extracted(Struct, frozen=True):
    """What a pattern found."""

    value: float | None
    """A finite number; None where there is none."""
    problem: str = ""
    """Why there is none; empty where there is one."""
    matched: bool = True
    """Whether something matched, a number or not."""


class PatternError(ValueError):
    """A regular expression that cannot be used; the message says why."""


class _NoNumberError(ValueError):
    pass


def check_pattern(pattern: str) -> None:
    """Raises PatternError where `pattern` is no regular expression of RE2, is too large, or does
    not say by a group which part is the number."""
    compiled = _compiled(pattern)
    if compiled.programsize > _MOST_INSTRUCTIONS:
        raise PatternError("it is too large: repeat less than some hundred times")
    if compiled.groups != 1 and _VALUE not in compiled.groupindex:
        raise PatternError(
            f"it has {compiled.groups} groups: put the number, and nothing else, into (...), or "
            f"name its group: (?P<{_VALUE.decode()}>...)"
        )


def reading(text: str, pattern: str, take: Take) -> Extracted:
    """The number that `pattern` finds in `text`. Raises PatternError as `check_pattern` does."""
    check_pattern(pattern)
    found = _matches(text, pattern, backwards=take is Take.LAST)
    try:
        first = next(found, None)
        if first is None:
            return Extracted(None, "no line of the output matches", matched=False)
        if take not in _CHOICES:
            return Extracted(_number(first))
        # Each has to be a number: one that is not finite may be the one that is looked for.
        value = _CHOICES[take](_number(one) for one in (first, *found))
        return Extracted(value) if math.isfinite(value) else Extracted(None, "it is not finite")
    except _NoNumberError as error:
        return Extracted(None, str(error))


def read_output(
    description: Description, texts: Mapping[str, str], threads: int = 1
) -> OutputReadings:
    """All numbers of `description` in what a launch of so many threads over all ranks wrote.

    texts: the content by file as the description names it, the output by the empty name; a file
    that is missing there was not written.
    """
    values, problems = {}, {}
    for name, one in description.extractions.items():
        found = _extracted(one, texts)
        if found.value is not None:
            values[name] = found.value
        elif found.matched or not (isinstance(one, Figure) and one.optional):
            problems[name] = found.problem
    if description.grows:
        for figure in description.figures:
            if figure.of_problem and figure.name in values:
                values[figure.name] *= threads if figure.better == "higher" else 1 / threads
    version, simd = (_words(one, texts) for one in (description.version, description.simd))
    return OutputReadings(values, problems, version, simd)


def _words(one: Extraction | None, texts: Mapping[str, str]) -> str:
    if one is None or one.file not in texts:
        return ""
    found = _matches(texts[one.file], one.pattern, backwards=one.take is Take.LAST)
    return escaped(next(found, "")[:_LONGEST_WORDS])


def _extracted(one: Extraction, texts: Mapping[str, str]) -> Extracted:
    if one.file not in texts:
        return Extracted(None, f"the program wrote no file {escaped(one.file)}")
    found = reading(texts[one.file], one.pattern, one.take)
    if found.value is not None and isinstance(one, Echo):
        return Extracted(found.value + one.offset)
    if found.value is None or not isinstance(one, Figure):
        return found
    value = found.value * one.factor
    if math.isfinite(value) and value > 0:
        return Extracted(value)
    problem = f"it is {value:g}, and a figure of merit is above 0 and finite"
    # A share of 0 of what only some layouts report is none of it.
    return Extracted(None, problem, matched=not (one.optional and value == 0))


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    try:
        return re2.compile(f"{_LINES}{pattern}".encode(), options)
    except re2.error as error:
        message = error.args[0].decode(errors="replace").replace(_LINES, "")
        raise PatternError(message) from error
    except UnicodeEncodeError as error:
        raise PatternError("it has characters that are no UTF-8") from error


def _matches(text: str, pattern: str, *, backwards: bool) -> Iterator[str]:
    """What the group of the number matched in each line with a match, in order of the lines."""
    compiled = _compiled(pattern)
    group = compiled.groupindex.get(_VALUE, 1)
    more = min(pattern.count("\\n") + pattern.count("\n"), _MOST_LINES)
    lines = text.encode(errors="replace").splitlines()
    # One search is a hundred times as fast as one for each line.
    of_lines = not any(one in pattern for one in _OF_TEXT)
    if of_lines and not compiled.search(b"\n".join(lines)):
        return
    numbers = range(len(lines))
    for i in reversed(numbers) if backwards else numbers:
        match = compiled.search(b"\n".join(lines[i : i + 1 + more]))
        if match:
            yield (match.group(group) or b"").decode(errors="replace").strip()


def _number(written: str) -> float:
    shown = escaped(written[:_LONGEST_NUMBER])
    if len(written) <= _LONGEST_NUMBER and _NUMBER.fullmatch(written):
        value = float(written.replace("D", "e").replace("d", "e"))
        if math.isfinite(value):
            return value
    elif not _NOT_FINITE.fullmatch(written):
        raise _NoNumberError(f"'{shown}' is no number")
    raise _NoNumberError(f"'{shown}' is not finite")

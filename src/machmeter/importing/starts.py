"""What a program was started with, as lines above its output say: other options are other runs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import dropwhile

import msgspec

from machmeter.importing.launch_lines import END_OF_COMMAND, QUOTES, launch_in
from machmeter.importing.lines.labels import PlaceLabel
from machmeter.importing.lines.plain_starts import PlainStart, plain_start_in
from machmeter.importing.lines.programs_started import is_benchmark
from machmeter.importing.lines.shell import commands_of, unglued, words_of
from machmeter.importing.placement import labels_in
from machmeter.importing.readings import ForeignResult
from machmeter.importing.text import ForeignText

_HINT = re.compile(r"[A-Z]_\w+[= ]|unset")
_VARIABLE = (
    r"(?:OMP|KMP|GOMP|UCX|OMPI|PMIX|I_MPI|MV2|MVP|MPICH|FI|PSM2?|HFI|NCCL|MPIR_CVAR)_\w{1,60}"
)
_ASSIGNS = frozenset(("export", "declare", "typeset", "set", "env", "-x", "-gx", "-g"))
_INLINE = re.compile(rf"{_VARIABLE}=\S{{1,200}}")
_NAME = re.compile(_VARIABLE)
_ANY_NAME = re.compile(r"[A-Za-z_]\w*")
_PROMPT = re.compile(r"[\s+$#%>]+|.*[$#%>]")
_OTHER = re.compile(rf"(?!{_VARIABLE}=)[A-Za-z_]\w*=.*")
_UNSET = re.compile(r"[\s+$#%>]*unset(?:env)?((?:\s+[\w-]{1,80}){1,50})[\s;]*")
# Options that say on which of like hosts it ran, or where its output went.
_OF_HOSTS = frozenset(
    (
        *("w", "nodelist", "x", "exclude", "host", "H", "hosts", "hostlist", "hostfile", "f"),
        *("machinefile", "o", "e", "output", "error", "J", "job-name", "jobid", "A", "p"),
        *("account", "partition", "t", "time", "output-filename", "outfile-pattern", "L"),
    )
)
_LONGEST = 400
_LAUNCH, _VARIABLES = "launch", "variables"


def with_start(text: ForeignText, results: Iterable[ForeignResult]) -> tuple[ForeignResult, ...]:
    """The results, each with the launch line above it and the variables that were set by then."""
    results = tuple(results)
    said = list(_said(text.lines))
    numbers = [number for number, _ in said]
    first = {_VARIABLES: ""} if any(_VARIABLES in one for _, one in said) else {}
    if _parts(results, [number for number, one in said if _LAUNCH in one]):
        first[_LAUNCH] = ""
    return tuple(
        msgspec.structs.replace(
            result,
            started_with={
                **first,
                **(said[known - 1][1] if (known := bisect_right(numbers, result.line)) else {}),
                **result.started_with,
            },
        )
        if result.line
        else result
        for result in results
    )


def _parts(results: Sequence[ForeignResult], launches: Sequence[int]) -> bool:
    """Whether a launch stands between the results: those above it are of another start."""
    lines = [result.line for result in results if result.line]
    return bool(lines and launches) and min(lines) < launches[0] < max(lines)


def _said(lines: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """What is known from a line on: the last launch and the variables that are set."""
    variables: dict[str, str] = {}
    known: dict[str, str] = {}
    starts = {label.line: label for label in labels_in(lines) if label.is_launch}
    shown_of = cache(launch_of)
    for number, line in enumerate(lines, start=1):
        launched = _shown(starts[number], shown_of) if number in starts else ""
        changed = bool(_HINT.search(line)) and _changed(variables, line)
        if changed:
            shown = " ".join(f"{name}={value}" for name, value in sorted(variables.items()))
            known = {**known, _VARIABLES: shown[:_LONGEST]}
        if launched:
            known = {**known, _LAUNCH: launched[:_LONGEST]}
        if changed or launched:
            yield number, known


def _shown(start: PlaceLabel, shown_of: Callable[[str], str]) -> str:
    """A start as results are compared by it; where it is one of several, with its table."""
    shown = list(dict.fromkeys(shown_of(one.command) for one in start.among or (start,)))
    if len(shown) == 1:
        return shown[0]
    return f"(table {start.table} of one of) {' | '.join(shown)}"


def _changed(variables: dict[str, str], line: str) -> bool:
    """Whether a line sets or unsets some of the variables, which it then does."""
    changes = [_change(variables, command) for command in commands_of(line)]
    return any(changes)


def _change(variables: dict[str, str], command: str) -> bool:
    unset = _UNSET.fullmatch(command)
    gone = [word for word in unset.group(1).split() if _NAME.fullmatch(word)] if unset else []
    for name in gone:
        variables.pop(name, None)
    assigned = _assigned(words_of(command))
    variables.update(assigned)
    return bool(assigned or gone)


def _assigned(words: Sequence[str]) -> dict[str, str]:
    """What a command that only sets variables sets."""
    words = [*dropwhile(_PROMPT.fullmatch, words)]
    if words[:1] == ["setenv"]:
        words = ["=".join(words[1:3])]
    found: dict[str, str] = {}
    for word in dropwhile(_ASSIGNS.__contains__, words):
        name, given, value = word.strip(QUOTES).partition("=")
        if not (given and _ANY_NAME.fullmatch(name)):
            if given or words[0] not in _ASSIGNS:
                return {}
        elif _NAME.fullmatch(name):
            found[name] = unglued(value.strip(QUOTES))
    return found


def launch_of(line: str) -> str:
    """A start without prompt, hosts and redirections; empty where it starts no benchmark."""
    shown = next(filter(None, map(_launch_of, commands_of(line))), "")
    return unglued(shown.replace('="', "=").replace("='", "="))


def _launch_of(line: str) -> str:
    launch = launch_in(line)
    if launch is None:
        return _plain(start) if (start := plain_start_in(line)) else ""
    if not is_benchmark(launch.program):
        return ""
    words = [word.strip("\"'`") for word in line.split()]
    ends = (at for at, word in enumerate(words) if at and END_OF_COMMAND.fullmatch(word))
    words = words[: next(ends, len(words))]
    program = words.index(launch.program) if launch.program in words else len(words)
    inline = [word for word in words[:program] if _INLINE.fullmatch(word)]
    options = _options(words[:program])
    after = [word.rsplit("/", 1)[-1] if not at else word for at, word in enumerate(words[program:])]
    return " ".join((*inline, *options, *after))


def _plain(start: PlainStart) -> str:
    """A start without a launcher, with those of its variables that change what runs."""
    before = (word for word in start.before if not _OTHER.fullmatch(word))
    return " ".join((*before, start.program.rsplit("/", 1)[-1], *start.arguments))


def _options(words: list[str]) -> Iterator[str]:
    """The options of a launcher that change what runs."""
    at = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
    if at:
        yield words[at - 1].rsplit("/", 1)[-1]
    while at < len(words):
        name, given, _ = words[at].lstrip("-").partition("=")
        if words[at].startswith("-") and name in _OF_HOSTS and _is_dropped(name, words[at + 1 :]):
            at += 1 if given else 2
        else:
            if not _INLINE.fullmatch(words[at]):
                yield words[at]
            at += 1


def _is_dropped(name: str, following: list[str]) -> bool:
    """Whether it is no variable that `-x` exports."""
    return not (name == "x" and following and _INLINE.fullmatch(following[0]))

"""What a program was started with, as lines above its output say: other options are other runs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec

from machmeter.importing.launch_lines import launch_in
from machmeter.importing.placement import is_benchmark
from machmeter.importing.readings import ForeignResult
from machmeter.importing.text import ForeignText

_HINT = re.compile(r"run|exec|poe|[A-Z]_\w+[= ]")
_VARIABLE = (
    r"(?:OMP|KMP|GOMP|UCX|OMPI|PMIX|I_MPI|MV2|MVP|MPICH|FI|PSM2?|HFI|NCCL|MPIR_CVAR)_\w{1,60}"
)
_ASSIGNED = re.compile(
    rf"[\s+$#%>]*(?:(?:export|declare -x)\s+({_VARIABLE})=(\S{{1,200}})"
    rf"|setenv\s+({_VARIABLE})\s+(\S{{1,200}})|({_VARIABLE})=(\S{{1,200}}))\s*"
)
_INLINE = re.compile(rf"{_VARIABLE}=\S{{1,200}}")
_END = re.compile(r"[0-9&]?[>|<;#].*|\|\||&&|&|\\")
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
    said = list(_said(text.lines))
    numbers = [number for number, _ in said]
    first = {_VARIABLES: ""} if any(_VARIABLES in one for _, one in said) else {}
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


def _said(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """What is known from a line on: the last launch and the variables that are set."""
    variables: dict[str, str] = {}
    known: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not _HINT.search(line):
            continue
        assigned = _ASSIGNED.fullmatch(line)
        launched = "" if assigned else launch_of(line)
        if assigned:
            name, value = (word for word in assigned.groups() if word)
            variables[name] = value.strip("\"'")
            shown = " ".join(f"{name}={value}" for name, value in sorted(variables.items()))
            known = {**known, _VARIABLES: shown[:_LONGEST]}
        if launched:
            known = {**known, _LAUNCH: launched[:_LONGEST]}
        if assigned or launched:
            yield number, known


def launch_of(line: str) -> str:
    """A launch line without prompt, hosts and redirections; empty where it starts no benchmark."""
    launch = launch_in(line)
    if launch is None or not is_benchmark(launch.program):
        return ""
    words = [word.strip("\"'`") for word in line.split()]
    ends = (at for at, word in enumerate(words) if at and _END.fullmatch(word))
    words = words[: next(ends, len(words))]
    program = words.index(launch.program) if launch.program in words else len(words)
    inline = [word for word in words[:program] if _INLINE.fullmatch(word)]
    options = _options(words[:program])
    after = [word.rsplit("/", 1)[-1] if not at else word for at, word in enumerate(words[program:])]
    return " ".join((*inline, *options, *after))


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

"""Lines that start a benchmark without a launcher: alone, or behind numactl and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from machmeter.importing.launch_lines import END_OF_COMMAND, MOST_WORDS, QUOTES, stands_before
from machmeter.importing.lines.program_names import is_program

_HINT = re.compile(r"stream|bench|osu_|IMB-|hpcc|xhp")
_WRAPPERS = frozenset(
    (
        *("numactl", "taskset", "likwid-pin", "hwloc-bind", "perf", "nice", "chrt", "stdbuf"),
        *("env", "time", "timeout", "sudo", "setarch", "singularity", "apptainer", "valgrind"),
        *("likwid-perfctr", "likwid-setFrequencies", "dplace", "gdb", "strace"),
    )
)
_PROMPT = re.compile(r".*[$%>+]")
_TYPED = re.compile(r".*[$%>]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*")
_OPTION = re.compile(r"--?[A-Za-z]\S*")
_ARGUMENT = re.compile(r"\d[\w.:,]*|[\w.-]*[/=]\S*|[A-Z]\w*")
_NEXT = ("&&", "||", ";", "&")


class PlainStart(Struct, frozen=True):
    """What a line starts without a launcher."""

    program: str
    """As written."""
    before: tuple[str, ...]
    """Words before the program: variables, and a wrapper with its options."""
    arguments: tuple[str, ...]
    """Options of the program; what follows them in a sentence is left out."""
    is_typed: bool
    """Whether it stands after a prompt: no script that a launcher started has shown it."""


def plain_start_in(line: str) -> PlainStart | None:
    """The start in a line of a shell; None of sentences, and of what a launcher starts.

    A name without a folder is a program only after a prompt, a variable or a wrapper, or before an
    option.
    """
    if not _HINT.search(line) or line.lstrip().startswith("#"):
        return None
    words = [word.strip(QUOTES) for word in line.split(maxsplit=MOST_WORDS)[:MOST_WORDS]]
    starts = (_start(command, is_typed=is_typed(line)) for command in _commands(words))
    return next(filter(None, starts), None)


def is_typed(line: str) -> bool:
    """Whether a line begins with a prompt."""
    return any(_TYPED.fullmatch(word.strip(QUOTES)) for word in line.split(maxsplit=2)[:2])


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    """The commands of a line, each without its redirections."""
    command: list[str] = []
    for word in (*words, ";"):
        if word in _NEXT or word.endswith(";"):
            yield _without_end([*command, word[:-1]] if word not in _NEXT else command)
            command = []
        else:
            command.append(word)


def _without_end(command: list[str]) -> list[str]:
    ends = (at for at, word in enumerate(command) if at and END_OF_COMMAND.fullmatch(word))
    # A prompt may be `>`.
    first = next((at for at in ends if any(map(is_program, command[:at]))), len(command))
    return command[:first]


def _start(command: list[str], *, is_typed: bool) -> PlainStart | None:
    at = next((n for n, word in enumerate(command) if not stands_before(word)), len(command))
    # Options of `env` and the like.
    at -= bool(at and at < len(command) and command[at].startswith("-"))
    if at == len(command):
        return None
    program = at
    if command[at].rsplit("/", 1)[-1] in _WRAPPERS:
        program = next((n for n in range(at + 1, len(command)) if is_program(command[n])), at)
    elif not _is_started(command, at):
        return None
    if not is_program(command[program]):
        return None
    variables = (word for word in command[:at] if _VARIABLE.fullmatch(word))
    arguments = tuple(_arguments(command[program + 1 :]))
    before = (*variables, *command[at:program])
    return PlainStart(command[program], before, arguments, is_typed)


def _is_started(command: Sequence[str], at: int) -> bool:
    """Whether something beside its name shows that a word is a program that is started."""
    before, after = command[:at], command[at + 1 : at + 2]
    shown = any(_PROMPT.fullmatch(word) or _VARIABLE.fullmatch(word) for word in before)
    return "/" in command[at] or shown or any(map(_OPTION.fullmatch, after))


def _arguments(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        is_option = bool(_OPTION.fullmatch(word))
        if not (is_option or is_value or _ARGUMENT.fullmatch(word)):
            return
        yield word
        is_value = is_option

"""Labels: the lines that start programs, and those that say on how many nodes something ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from machmeter.importing.launch_lines import launch_in, stands_before
from machmeter.importing.lines.clean import begins_output
from machmeter.importing.lines.headings import heading_in, job_in
from machmeter.importing.lines.plain_starts import is_typed, plain_start_in
from machmeter.importing.lines.program_names import benchmark_of
from machmeter.importing.lines.programs_started import is_benchmark
from machmeter.importing.lines.shell import commands_of, unglued
from machmeter.importing.readings import Place

_HINT = re.compile(
    r"node|rank|proc|task|np|run|exec|poe|select=|stream|bench|osu_|imb-|hpcc|xhp", re.IGNORECASE
)
_TITLE = re.compile(r"[\s#]{0,20}(.{0,100})")
_SUITES = {"Intel": "IMB", "Begin": "HPCC"}
_SHOWN = re.compile(r".*[$%>:+~\]]|running|executing|launching|.{1,99}#", re.IGNORECASE)
_BEGIN = 4


class PlaceLabel(Struct, frozen=True):
    """What a line says of nodes and ranks of the tables below it."""

    line: int
    """Its number, from 1."""
    place: Place
    """What it says."""
    is_launch: bool = False
    """Whether it starts a program: what was said above it is of another one."""
    program: str = ""
    """What it starts."""
    arguments: tuple[str, ...] = ()
    """What the program is given."""
    is_plain: bool = False
    """Whether it starts it without a launcher."""
    is_traced: bool = False
    """Whether a script that the launch above started has shown it: it is no start of its own."""
    is_shown: bool = False
    """Whether it stands behind a prompt or the like: a shell has run it, no script was printed."""
    command: str = ""
    """The command that starts it, as `commands_of` has it."""
    table: int = 0
    """Which of the tables of that start the one in this line is; 0 where the line has none."""
    among: tuple[PlaceLabel, ...] = ()
    """The starts that may have printed it, where it is not known which did."""
    begins_table: bool = False
    """Whether it is no label: output begins there, of which the labels above it are."""
    title: str = ""
    """Of that output."""


def labels_of(lines: Sequence[str]) -> list[PlaceLabel]:
    """Every label among the lines; a launch is one even where it says nothing of nodes."""
    labels: list[PlaceLabel] = []
    launch: PlaceLabel | None = None
    was_continued = False
    for number, line in enumerate(lines, start=1):
        is_first = not was_continued
        was_continued = line.rstrip().endswith("\\") and (was_continued or bool(_HINT.search(line)))
        if begins_output(line):
            launch = None
            labels.append(PlaceLabel(number, Place(), begins_table=True, title=_title(line)))
        elif is_first and _HINT.search(line):
            found = list(_labels(lines, number, launch))
            launch = next((label for label in reversed(found) if label.is_launch), launch)
            labels += found
    return labels


def _title(line: str) -> str:
    found = _TITLE.match(line)
    title = found.group(1) if found else ""
    return next((suite for word, suite in _SUITES.items() if title.startswith(word)), title)


def _labels(lines: Sequence[str], number: int, launch: PlaceLabel | None) -> Iterator[PlaceLabel]:
    """The starts of a line, or what it says of nodes.

    launch: the last one without a table below it: what a script shows that it started is no other.
    """
    line = continued(lines, number)
    commands = [line] if line.lstrip().startswith("#") else commands_of(line)
    launched = {at: found for at, one in enumerate(commands) if (found := _launch(number, one))}
    heading = None if launched else (job_in(line) or heading_in(line))
    if heading:
        yield PlaceLabel(number, msgspec.structs.replace(heading, label=_quoted(line)))
        return
    is_shown = _is_shown(line)
    may_be_plain = number == 1 or not lines[number - 2].rstrip().endswith("\\")
    for at, command in enumerate(commands):
        label = launched.get(at)
        if not label and may_be_plain:
            label = _plain(number, command, launch, typed=is_typed(line))
        if label:
            launch = label if label.is_launch else launch
            yield msgspec.structs.replace(label, command=command, is_shown=is_shown)


def _launch(number: int, command: str) -> PlaceLabel | None:
    launch = launch_in(command)
    if not launch:
        return None
    unknown = "its launch line puts more ranks on some nodes" if launch.uneven else ""
    place = Place(launch.nodes, launch.ranks, _quoted(command), unknown, launch.each)
    says = launch.nodes or launch.ranks or launch.each
    return PlaceLabel(
        number,
        place if says else Place(),
        is_launch=True,
        program=launch.program,
        arguments=launch.arguments,
    )


def _plain(
    number: int, command: str, launch: PlaceLabel | None, *, typed: bool
) -> PlaceLabel | None:
    """A start without a launcher."""
    start = plain_start_in(command)
    if start is None:
        return None
    is_traced = not typed and launch is not None and _may_start(launch, start.program)
    return PlaceLabel(
        number,
        Place(),
        is_launch=not is_traced,
        program=start.program,
        arguments=start.arguments,
        is_plain=True,
        is_traced=is_traced,
    )


def _may_start(launch: PlaceLabel, program: str) -> bool:
    """Whether a launch over MPI may be what starts a program: the same one, or a script."""
    suite = benchmark_of(launch.program)
    same = suite == benchmark_of(program) or not suite
    return not launch.is_plain and is_benchmark(launch.program) and same


def _is_shown(line: str) -> bool:
    """Whether words before a start show that a shell runs it."""
    for word in line.split(maxsplit=_BEGIN)[:_BEGIN]:
        if _SHOWN.fullmatch(word):
            return True
        if not stands_before(word):
            break
    return False


def _quoted(line: str) -> str:
    return " ".join(unglued(line).split())[:80]


def continued(lines: Sequence[str], number: int) -> str:
    """The line, with those that its last backslash appends."""
    line = lines[number - 1]
    if not line.rstrip().endswith("\\"):
        return line
    for following in lines[number : number + 10]:
        if not line.rstrip().endswith("\\"):
            break
        line = f"{line.rstrip()[:-1]} {following}"
    return line

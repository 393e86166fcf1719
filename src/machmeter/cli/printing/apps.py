"""What is known of a described program, in lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from machmeter.api.programs.checking import CheckedApp, CheckedLaunch
from machmeter.api.programs.known import KnownApp
from machmeter.model.plan.description import Description
from machmeter.model.units import SECONDS, format_value
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.programs.descriptions import description_rows, not_judged_text

_LAST_LINES = 5


def description_table(known: KnownApp, named: str) -> Group:
    """What an application is, and whether it is installed; named: as the person did."""
    described = known.description
    table = RichTable(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    linked = ", ".join(f"{kind} {file}" for kind, file in known.libraries.items())
    rows = (
        ("program", known.program or "not installed here"),
        *([("linked with", linked)] if linked else []),
        *description_rows(described),
        ("measure", f"machmeter explore {named}"),
    )
    for name, text in rows:
        table.add_row(name, Text(plain(text)))
    heading = Text.assemble((described.name, "bold"), f"  {plain(described.title)}")
    return Group(heading, Padding(table, (0, 0, 0, 2), expand=False))


def app_lines(checked: CheckedApp) -> Iterator[str]:
    """The program, its input files, and what a launch came to."""
    described = checked.description
    yield f"{plain(checked.path)}: valid: {plain(described.title)} (app.{described.name})"
    yield f"  program: {plain(checked.program)}, {_started_by(checked)}"
    for path, checksum in checked.inputs.items():
        yield f"  input: {plain(path)}, SHA-256 {checksum}"
    if described.not_judged:
        yield f"  {not_judged_text(described)}"
    if checked.launch is None:
        numbers = count_text(len(described.extractions), "number", "numbers")
        yield f"  {numbers} read from its output; --run launches it once and shows them"
        return
    yield from _launch_lines(described, checked.launch)


def _started_by(checked: CheckedApp) -> str:
    if checked.mpi:
        return f"started by {checked.mpi}"
    return "started by any MPI" if checked.description.ranks else "linked with no MPI"


def _launch_lines(described: Description, launch: CheckedLaunch) -> Iterator[str]:
    ranks = count_text(launch.ranks, "rank", "ranks")
    seconds = format_value(launch.seconds, SECONDS)
    yield f"  one launch, {ranks}, nothing set: {launch.verdict.value} after {seconds}"
    if launch.read.version:
        yield f"    version: {plain(launch.read.version)}"
    if launch.read.simd:
        yield f"    SIMD: {plain(launch.read.simd)}"
    units = {one.name: one.unit for one in described.figures}
    for name in described.extractions:
        if name in launch.read.values:
            yield f"    {name}: {launch.read.values[name]:.10g} {units.get(name, '')}".rstrip()
        else:
            yield f"    {name}: {plain(launch.read.problems.get(name, 'not read'))}"
    for reason in launch.reasons:
        yield f"  ! {plain(reason)}"
    if launch.reasons:
        for line in launch.output.splitlines()[-_LAST_LINES:]:
            yield f"    | {plain(line, 90)}"

"""The page of one machine that was not measured here: found by its name, and written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.cli.actions.named_machines import is_file, is_published, known_machine
from machmeter.cli.output import warn
from machmeter.importing.machine import import_files, known_by_file
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.results.machine import MachineResults
from machmeter.published.claims_of_machine import claims_about
from machmeter.published.flags import flags_of
from machmeter.published.format import PublishedMachine
from machmeter.published.load import published_machine, read_machine
from machmeter.run.compare.machine_findings import machine_decisions
from machmeter.studies.select import STUDIES

if TYPE_CHECKING:
    from machmeter.report.drawing.chart import Chart
    from machmeter.report.pages.machine_page import PageMachine

_GENERATOR = b'<meta name="generator" content="machmeter'
_HEAD_OF_PAGE = 4096


class _Named(Struct, frozen=True):
    """A machine that a name means, with its file; flags: by id; remarks: of an importer."""

    known: MachineResults
    printed: PublishedMachine
    published: bool = False
    flags: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()


def has_page_of_its_own(name: str) -> bool:
    """Whether `name` means a machine that was not measured here: a published one, or a file."""
    return is_file(Path(name)) or is_published(name)


def page_path(name: str, output: Path | None) -> Path:
    """Where the page of a machine is written: `NAME.html` here unless said otherwise.

    Raises UsageError where that is the machine's own file, or, not asked for, another program's
    page.
    """
    source = Path(name)
    path = output or Path(f"{source.stem if is_file(source) else name}.html")
    try:
        if is_file(source) and path.exists() and path.samefile(source):
            raise UsageError(f"{path} is the machine's own file", "name another file with -o")
        if not output and path.is_file() and not _is_ours(path):
            raise UsageError(f"{path} is there, and no page of machmeter", "name a file with -o")
    except OSError as error:
        raise storage_error(error, path) from error
    return path


def _is_ours(page: Path) -> bool:
    with page.open("rb") as file:
        return _GENERATOR in file.read(_HEAD_OF_PAGE)


def write_page_of_machine(name: str, path: Path, *, charts_too: bool = False) -> tuple[Chart, ...]:
    """Write the page of the machine that `name` means; every chart of it where `charts_too`.

    Raises MachmeterError where the machine cannot be read or its page cannot be written.
    """
    from machmeter.report.pages.machine_page import machine_charts, write_machine_page

    machine = page_machine(name)
    try:
        write_machine_page(machine, path)
    except OSError as error:
        raise storage_error(error, path) from error
    return machine_charts(machine.known) if charts_too else ()


def page_machine(name: str) -> PageMachine:
    """The machine that `name` means, with what its page tells.

    Raises UsageError where nothing has that name, MachmeterError where it cannot be read.
    """
    from machmeter.report.pages.machine_page import PageMachine

    named = _named(name)
    questions = tuple({q.text: q for study in STUDIES for q in study.questions}.values())
    return PageMachine(
        name=name,
        known=named.known,
        printed=named.printed,
        flags=named.flags,
        decisions=machine_decisions(
            questions, named.known, named.printed.kind_ranks, published=named.published
        ),
        questions=len(questions),
        claims=claims_about(named.known.id) if named.published else (),
        commands=tuple(_commands(name, named)),
        remarks=named.remarks,
    )


def _named(name: str) -> _Named:
    path = Path(name)
    if not is_file(path):
        known, printed = known_machine(name), published_machine(name)
        return _Named(known, printed, published=True, flags=flags_of(name))
    if path.suffix.lower() == ".toml":
        return _Named(known_machine(name), read_machine(path))
    printed, remarks = import_files([path])
    for remark in remarks:
        warn(MachmeterError(remark))
    return _Named(known_by_file(printed, path), printed, remarks=remarks)


def _commands(name: str, named: _Named) -> Iterator[tuple[str, str]]:
    """What sets the machine beside a run, each with what that does."""
    if not named.known.estimates:
        return
    said = shlex.quote(name)
    own = {one.point.benchmark for one in named.known.estimates}
    benchmarks = [benchmark.name for benchmark in BENCHMARKS if benchmark.name in own]
    study = _study_of(named.known.id) if named.published else ""
    if study:
        yield f"machmeter run {study}", "measures here what that study asked"
    elif benchmarks:
        yield f"machmeter run {' '.join(benchmarks)}", "measures here what its figures are of"
    yield f"machmeter compare {said} last", "sets the last run beside it"
    yield f"machmeter report {said} last", "the same as a page, with a plot"


def _study_of(machine: str) -> str:
    """The study that sets most of its questions beside that published machine; empty for none."""
    asked = {
        study.name: sum(s.machine == machine for q in study.questions for s in q.published)
        for study in STUDIES
    }
    most = max(asked, key=asked.__getitem__)
    return most if asked[most] else ""

"""Published machines and machines in files: listed, shown, checked, and made from other output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.loading import Run, load
from machmeter.api.machines import MachineName, is_file, is_published, machine
from machmeter.importing.machine import import_files
from machmeter.importing.readings import Place
from machmeter.importing.write import machine_toml
from machmeter.machine.hardware.processors import known_generations
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.results.machine import MachineResults
from machmeter.model.written.text import readable
from machmeter.published.contributed import Missing, beyond_limits, missing_parts
from machmeter.published.estimates import published_estimates
from machmeter.published.flags import flags_of
from machmeter.published.format import Counts, Link, LinkDirection, PublishedMachine
from machmeter.published.load import (
    LARGEST_FILE,
    machine_in,
    published_machine,
    read_machine,
)
from machmeter.published.machine import link_text
from machmeter.published.printed import printed_figures
from machmeter.report.exports.machine_document import MachineDocument
from machmeter.report.exports.machine_document import machine_document as document_with
from machmeter.report.terminal.machine import ShownMachine
from machmeter.run.compare.machine_file import machine_of_run
from machmeter.store.files import write_durably

_LINK = re.compile(
    r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*([kMG]?bit/s|[kMG]?B/s)(?:\s*,?\s*(one way|both ways))?\s*"
)


_BEYOND = (
    "correct the figure or [hardware]; of arrays within caches, and of messages within a node, say "
    "so: size, nodes = 1"
)

MAX_COUNT = 10**12
"""Nodes, cores or ranks of a machine."""


class CheckedFile(Struct, frozen=True):
    """The file of one machine, and whether it is valid."""

    path: str
    """As it was given."""
    valid: bool
    """Whether it can be read and compared."""
    id: str = ""
    """Names the machine."""
    name: str = ""
    """What the machine is called."""
    figures: int = 0
    """Printed figures in the file."""
    comparable: int = 0
    """Figures that can be compared with those of other machines."""
    missing: tuple[Missing, ...] = ()
    """What it lacks to come with machmeter."""
    problem: str = ""
    """What is wrong, and where; empty in a valid file."""
    remedy: str = ""
    """What to do about it."""


class CheckedFiles(Struct, frozen=True):
    """What `machine check --json` prints."""

    files: tuple[CheckedFile, ...]
    """In the order given."""


class WrittenMachine(Struct, frozen=True):
    """The file that was written: what `machine import` and `machine from-run` print as JSON."""

    path: str
    """The machine's file."""
    id: str
    """Names the machine."""
    name: str
    """What the machine is called."""
    figures: int
    """Figures in the file."""
    comparable: int
    """Figures that can be compared with those of other machines."""
    flagged: int
    """Figures that their own output contradicts."""
    remarks: tuple[str, ...]
    """What was left out or is doubtful."""


def check_machine_files(paths: Sequence[Path]) -> CheckedFiles:
    """Whether each file has the form of docs/published.md and no figure that its own hardware rules
    out, and what is wrong where it has not."""
    return CheckedFiles(tuple(_check(path) for path in paths))


def _check(path: Path) -> CheckedFile:
    try:
        file = read_machine(path)
    except MachmeterError as error:
        return CheckedFile(str(path), False, problem=error.message, remedy=error.remedy)
    if beyond := beyond_limits(file):
        problem = f"{path}: {'; '.join(beyond)}"
        return CheckedFile(str(path), False, file.id, file.name, problem=problem, remedy=_BEYOND)
    comparable = len(published_estimates(file))
    missing = missing_parts(file, known_generations())
    return CheckedFile(str(path), True, file.id, file.name, file.figure_count, comparable, missing)


def import_machine(  # noqa: PLR0913 - what output leaves out, a person may say
    paths: Sequence[Path],
    output: Path,
    *,
    machine_id: str = "",
    name: str = "",
    nodes: int = 0,
    cores: int = 0,
    link: str = "",
    used_nodes: int = 0,
    used_ranks: int = 0,
) -> WrittenMachine:
    """Write the machine whose results other tools printed.

    Args:
        paths: Output of OSU, IMB, STREAM, and others (docs/importing.md).
        output: The machine's file to write.
        machine_id: Empty is made from the first file's name.
        name: What the machine is called; empty is the first file's name.
        nodes: Nodes of the machine; 0 is not known.
        cores: Cores of all nodes; 0 is not known.
        link: Rate of a node's link: `100 Gbit/s`, `25 GB/s both ways`.
        used_nodes: Nodes the tools ran on, where their output does not say.
        used_ranks: Ranks the tools ran with, where their output does not say.

    Raises:
        UsageError: `output` exists, or a value has no meaning.
        MachmeterError: A file cannot be used.
    """
    if output.exists():
        raise UsageError(f"{output} exists", "name another file with -o")
    for what, count in (("nodes", nodes), ("cores", cores), ("used nodes", used_nodes)):
        _check_count(what, count)
    _check_count("used ranks", used_ranks)
    imported, remarks = import_files(
        paths,
        machine_id=_checked_id(machine_id),
        name=name,
        counts=Counts(nodes=nodes, cores=cores),
        link=link_of(link) if link else None,
        place=Place(used_nodes, used_ranks),
    )
    return _written(imported, output, remarks)


def _written(made: PublishedMachine, output: Path, remarks: tuple[str, ...]) -> WrittenMachine:
    content = _content(made)
    estimates = published_estimates(machine_in(content, str(output)))
    try:
        write_durably(output, content)
    except OSError as error:
        raise storage_error(error, output) from error
    return WrittenMachine(
        str(output),
        made.id,
        made.name,
        made.figure_count,
        len(estimates),
        sum(bool(one.flag) for one in estimates),
        remarks,
    )


def write_run(
    run: str | Path | Run,
    output: Path,
    *,
    machine_id: str = "",
    context: Context | None = None,
) -> WrittenMachine:
    """Write the machine that a run measured, with its launches.

    Args:
        run: As in `load`.
        output: The machine's file to write.
        machine_id: Empty is made from the name of the machine.
        context: Folders and listeners.

    Raises:
        UsageError: `output` exists, the run was simulated or has no result that can be written, or
            the id has no meaning.
        MachmeterError: The run cannot be read.
    """
    if output.exists():
        raise UsageError(f"{output} exists", "name another file with -o")
    result = load(run, context=context).result
    if result.header.request.origin.is_quoted:
        raise UsageError(
            f"run {result.header.id} was simulated: a model is no machine",
            "name a run that was measured",
        )
    made, left = machine_of_run(result, _checked_id(machine_id))
    if not made.tables:
        raise UsageError(
            f"run {result.header.id} has no result with an interval",
            "measure with more launches, at least two of a layout",
        )
    remarks = (f"{left} results without an interval, or of other units, are left out",) * bool(left)
    return _written(made, output, remarks)


def _check_count(what: str, count: int) -> None:
    if not 0 <= count <= MAX_COUNT:
        raise UsageError(f"{what}: {count} is out of range", f"use 0 to {MAX_COUNT}")


def _content(imported: PublishedMachine) -> bytes:
    """What is written to the machine's file; no more of it than can be read again."""
    try:
        content = machine_toml(imported).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the name {readable(imported.name)!r} is not UTF-8 text", "write it in UTF-8"
        ) from error
    if len(content) > LARGEST_FILE:
        raise MachmeterError(
            f"the machine file would have {len(content)} bytes; the limit is {LARGEST_FILE}",
            "import fewer files at once",
        )
    return content


def _checked_id(machine_id: str) -> str:
    if machine_id and not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,79}", machine_id):
        raise UsageError(
            f"invalid machine ID {machine_id!r}",
            "use lower-case letters, digits, dots and dashes, 80 at most",
        )
    return machine_id


def link_of(text: str) -> Link:
    """A link's rate as a person writes it: `100 Gbit/s`, `12.5 GB/s both ways`.

    Without a direction it is one way, as interfaces are sold. Raises UsageError for anything else.
    """
    found = _LINK.fullmatch(text)
    if not found or not float(found.group(1)):
        raise UsageError(
            f"{text!r} is not the rate of a link",
            "write it as '100 Gbit/s', '12.5 GB/s' or '25 GB/s both ways'",
        )
    number, unit, direction = found.groups()
    fields = {
        "id": "link",
        "text": "of a node",
        "value": float(number),
        "unit": unit,
        "page": "as given when it was imported",
        "direction": LinkDirection(direction or "one way"),
        "decimals": len(number.partition(".")[2]),
    }
    return msgspec.convert(fields, type=Link)


def machine_document(name: MachineName, *, context: Context | None = None) -> MachineDocument:
    """Everything about the machine of that name: parts, links, results, and loose figures.

    Args:
        name: As in `machine`.
        context: Folders and listeners.

    Raises:
        MachmeterError: As in `machine`.
    """
    return document_of(shown_machine(name, context or Context()))


def shown_machine(name: MachineName, context: Context) -> ShownMachine:
    """The machine of that name with all that its file prints; raises as `machine` does."""
    results = machine(name, context=context)
    if isinstance(name, Run):
        return ShownMachine(results, {})
    path = Path(name)
    if is_file(path) and path.suffix.lower() == ".toml":
        return _with_file(results, read_machine(path), {})
    if is_published(str(name)):
        return _with_file(results, published_machine(str(name)), flags_of(str(name)))
    return ShownMachine(results, {})


def document_of(shown: ShownMachine) -> MachineDocument:
    """The machine as a document for programs."""
    return document_with(shown.machine, shown.links, shown.loose)


def _with_file(
    results: MachineResults, file: PublishedMachine, flags: Mapping[str, str]
) -> ShownMachine:
    loose = tuple(
        number
        for number in printed_figures(file, flags).values()
        if not (number.table.benchmark or number.table.workload)
    )
    links = {f"link {link.text or link.id}": _link(link, flags) for link in file.links}
    return ShownMachine(results, links, loose)


def _link(link: Link, flags: Mapping[str, str]) -> str:
    flag = flags.get(link.id, "")
    return f"{link_text(link)}{f' [{flag}]' if flag else ''}"

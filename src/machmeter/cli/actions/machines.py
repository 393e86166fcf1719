"""What `machmeter machine`, `show machine` and `list machines` do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.cli.actions.named_machines import is_file, is_published, known_machine
from machmeter.cli.output import warn
from machmeter.importing.machine import import_files
from machmeter.importing.readings import Place
from machmeter.importing.write import machine_toml
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.results.estimate import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.model.text import readable
from machmeter.published.estimates import published_estimates
from machmeter.published.flags import flags_of
from machmeter.published.format import Counts, Link, LinkDirection, PublishedMachine
from machmeter.published.load import (
    LARGEST_FILE,
    machine_in,
    machine_names,
    published_machine,
    read_machine,
)
from machmeter.published.machine import link_text
from machmeter.published.printed import printed_figures
from machmeter.report.exports.machine_document import (
    MachineDocument,
    machine_document,
)
from machmeter.report.terminal.machine_terminal import ShownMachine
from machmeter.store.files import write_durably

_LINK = re.compile(
    r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*([kMG]?bit/s|[kMG]?B/s)(?:\s*,?\s*(one way|both ways))?\s*"
)


class CheckedFile(Struct, frozen=True):
    """One machine's file: how many figures it has, how many can be compared; or what is wrong."""

    path: str
    valid: bool
    id: str = ""
    name: str = ""
    figures: int = 0
    comparable: int = 0
    problem: str = ""
    remedy: str = ""


class CheckedFiles(Struct, frozen=True):
    """What `machine check --json` prints."""

    files: tuple[CheckedFile, ...]


class ImportedMachine(Struct, frozen=True):
    """What `machine import --json` prints: the file written, and what a person should know."""

    path: str
    id: str
    name: str
    figures: int
    comparable: int
    flagged: int
    remarks: tuple[str, ...]


class ListedMachine(Struct, frozen=True):
    """A published machine in a list."""

    id: str
    name: str
    year: int
    figures: int
    source: str
    origin: Origin = Origin.PUBLISHED


def check_files(paths: Sequence[Path]) -> CheckedFiles:
    """Every file with what is wrong with it, if anything."""
    return CheckedFiles(tuple(_check(path) for path in paths))


def _check(path: Path) -> CheckedFile:
    try:
        machine = read_machine(path)
    except MachmeterError as error:
        return CheckedFile(str(path), False, problem=error.message, remedy=error.remedy)
    return CheckedFile(
        str(path),
        True,
        machine.id,
        machine.name,
        _count(machine),
        len(published_estimates(machine)),
    )


def import_to(
    paths: Sequence[Path],
    output: Path,
    *,
    machine_id: str,
    name: str,
    counts: Counts,
    link: str,
    place: Place,
) -> ImportedMachine:
    """Write the machine whose results the files hold; what is written can be read again.

    Raises UsageError where the output is there already or an option means nothing, MachmeterError
    where a file cannot be used.
    """
    if output.exists():
        raise UsageError(f"{output} is there already", "name another file with -o")
    machine, remarks = import_files(
        paths,
        machine_id=_checked_id(machine_id),
        name=name,
        counts=counts,
        link=link_of(link) if link else None,
        place=place,
    )
    content = _content(machine)
    estimates = published_estimates(machine_in(content, str(output)))
    try:
        write_durably(output, content)
    except OSError as error:
        raise storage_error(error, output) from error
    return ImportedMachine(
        str(output),
        machine.id,
        machine.name,
        _count(machine),
        len(estimates),
        sum(bool(one.flag) for one in estimates),
        remarks,
    )


def _content(machine: PublishedMachine) -> bytes:
    """What is written to the machine's file; no more of it than can be read again."""
    try:
        content = machine_toml(machine).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"--name {readable(machine.name)!r} is no text", "write it in UTF-8"
        ) from error
    if len(content) > LARGEST_FILE:
        raise MachmeterError(
            f"the machine's file would have {len(content)} bytes; {LARGEST_FILE} can be read",
            "import fewer files at once",
        )
    return content


def _checked_id(machine_id: str) -> str:
    if machine_id and not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,79}", machine_id):
        raise UsageError(
            f"{machine_id!r} is no id", "use small letters, digits, dots and dashes, 80 at most"
        )
    return machine_id


def link_of(text: str) -> Link:
    """A link's rate as a person writes it: `100 Gbit/s`, `12.5 GB/s both ways`.

    Without a direction it is one way, as interfaces are sold. Raises UsageError for anything else.
    """
    found = _LINK.fullmatch(text)
    if not found or not float(found.group(1)):
        raise UsageError(
            f"{text!r} is no rate of a link",
            "write it with its unit: '100 Gbit/s', '12.5 GB/s', '25 GB/s both ways'",
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


def listed_machines() -> tuple[ListedMachine, ...]:
    """Every published machine."""
    machines = (published_machine(name) for name in machine_names())
    return tuple(
        ListedMachine(one.id, one.name, one.year, _count(one), one.source) for one in machines
    )


def shown_machine(name: str) -> ShownMachine:
    """The machine that `name` means, with all that its file prints.

    Raises UsageError where nothing has that name, MachmeterError where it cannot be read.
    """
    known = known_machine(name, warn)
    path = Path(name)
    if is_file(path) and path.suffix.lower() == ".toml":
        return _with_file(known, read_machine(path), {})
    if is_published(name):
        return _with_file(known, published_machine(name), flags_of(name))
    return ShownMachine(known, {})


def document_of(shown: ShownMachine) -> MachineDocument:
    """What `show machine --json` prints."""
    return machine_document(shown.machine, shown.links, shown.loose)


def _with_file(
    known: MachineResults, machine: PublishedMachine, flags: Mapping[str, str]
) -> ShownMachine:
    loose = tuple(
        number
        for number in printed_figures(machine, flags).values()
        if not (number.table.benchmark or number.table.workload)
    )
    links = {f"link {link.text or link.id}": _link(link, flags) for link in machine.links}
    return ShownMachine(known, links, loose)


def _link(link: Link, flags: Mapping[str, str]) -> str:
    flag = flags.get(link.id, "")
    return f"{link_text(link)}{f' [{flag}]' if flag else ''}"


def _count(machine: PublishedMachine) -> int:
    return sum(len(table.figures) for table in machine.tables)

"""Output of other tools as a machine that can be compared, or written to a file of one's own."""

from __future__ import annotations

import datetime
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from machmeter.analysis.matching.unstated import AMOUNTS, amounts_text, open_parts
from machmeter.benchmarks.catalogue import known
from machmeter.importing.assemble import About, has_value, machine_of, remarks_on_spread
from machmeter.importing.contradictions import ImportedMachine, proved
from machmeter.importing.programs import of_one_program_each
from machmeter.importing.readings import Place, Reading, joined
from machmeter.importing.recognize import read_foreign
from machmeter.importing.text import STANDARD_INPUT, read_text, shown_name
from machmeter.importing.unmatched import grouped_by_reason
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.machine import MachineResults
from machmeter.model.written.text import readable
from machmeter.published.format import Counts, Link, PublishedMachine
from machmeter.published.machine import machine_results
from machmeter.text.numbers import count_text

MOST_FILES = 1000
_UNNAMED = "imported"


def imported_machine(path: Path) -> tuple[MachineResults, tuple[str, ...]]:
    """The machine in one file of another tool's output, and what a user should know of it.

    Raises MachmeterError where the file cannot be read, is of no supported tool, or is not of
    that tool's form.
    """
    machine, remarks = import_files([path])
    return machine_of_file(machine, path), remarks


def machine_of_file(machine: PublishedMachine, path: Path) -> MachineResults:
    """What was imported from one file, as it is compared: named by that file."""
    return msgspec.structs.replace(machine_results(machine), id=readable(path.name))


def import_files(
    paths: Sequence[Path],
    *,
    machine_id: str = "",
    name: str = "",
    counts: Counts = Counts(),  # noqa: B008 - frozen
    link: Link | None = None,
    place: Place = Place(),  # noqa: B008 - frozen
) -> tuple[PublishedMachine, tuple[str, ...]]:
    """The machine whose results the files hold, and remarks: what was left out or contradicted.

    machine_id, name: of the machine (from the first file's name unless given); counts, link: what
    it has; place: nodes and ranks the tools ran with, where their output does not state it. Files
    of the same program and point are launches of it. Raises MachmeterError as `imported_machine`
    does, and UsageError for no file or over 1,000.
    """
    if not 0 < len(paths) <= MOST_FILES:
        raise UsageError(f"{len(paths)} files; between 1 and {MOST_FILES} can be imported")
    of_machine = ImportedMachine(counts.nodes, counts.cores, link)
    reading = of_one_program_each(proved(_read_all(paths, place), of_machine))
    names = ", ".join(shown_name(path) for path in paths[:5])
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    about = About(
        id=machine_id or id_of(paths[0]),
        name=name or shown_name(paths[0]),
        source=f"{names}{more} ({', '.join(reading.tools)})",
        year=max(_year(path) for path in paths),
        counts=counts,
        links=(link,) if link else (),
    )
    machine = machine_of(reading, about)
    nothing = sum(not has_value(result) for result in reading.results)
    said = (f"{nothing} results are printed as zero or less, and left out",) if nothing else ()
    spread = remarks_on_spread(reading)
    kept = grouped_by_reason(reading.kept)
    return machine, (*reading.remarks, *spread, *kept, *said, *_not_stated(machine))


def _not_stated(machine: PublishedMachine) -> Iterator[str]:
    """What results of machmeter's benchmarks do not state of how much of the machine they are of:
    one remark for all that lack the same."""
    found = machine_results(machine)
    lacking = Counter(
        open_parts(one, found.parts.nodes) & frozenset(AMOUNTS)
        for one in found.estimates
        if known(one.point.benchmark)
    )
    for names, count in lacking.items():
        if names:
            how = "; `machmeter machine import --used-nodes N --used-ranks N` adds them"
            said = f"not stated: {amounts_text(names)} ({count_text(count, 'result', 'results')})"
            yield said + how * (names != {"threads_per_rank"})


def id_of(path: Path) -> str:
    """A machine's id from a file's name: small letters, digits, dots and dashes.

    Standard input and pipes have no name.
    """
    if shown_name(path) != readable(path.name):
        return _UNNAMED
    made = re.sub(r"[^a-z0-9.]+", "-", readable(path.stem).lower()).strip("-.")
    return made[:60] or _UNNAMED


def _read_all(paths: Sequence[Path], place: Place) -> Reading:
    return joined([read_foreign(read_text(path), place) for path in paths])


def _year(path: Path) -> int:
    """The year a file was written: output seldom states when it was."""
    try:
        written = time.time() if path == STANDARD_INPUT else path.stat().st_mtime
    except OSError as error:
        raise MachmeterError(
            f"cannot read {path}: {error.strerror}", "check its name and rights"
        ) from error
    return min(max(datetime.datetime.fromtimestamp(written, tz=datetime.UTC).year, 1940), 2100)

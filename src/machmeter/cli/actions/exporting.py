"""What `machmeter export` does."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from machmeter.cli.actions.machines import document_of, shown_machine
from machmeter.cli.actions.named_machines import is_file, is_published
from machmeter.cli.context import cache_folder
from machmeter.cli.output import error_console, warn
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError, storage_error
from machmeter.model.plan.variant import Role
from machmeter.report.exports.bencher import bencher_metrics
from machmeter.report.exports.machine_document import machine_rows
from machmeter.report.exports.tables import (
    WRITERS,
    ExportError,
    ExportTable,
    export_rows,
    sample_rows,
)
from machmeter.report.records_links import RecordsPlace
from machmeter.run.history.indexing import result_of
from machmeter.run.measuring.judge import as_it_stands
from machmeter.store.files import write_durably
from machmeter.store.run_folder import RunFolder
from machmeter.text.numbers import count_text

if TYPE_CHECKING:
    from machmeter.report.exports.ro_crate import Author, CrateFile

_PAGE = "report.html"
_FIGURES = "figures.csv"


def export_run(folder: RunFolder, name: str, *, samples: bool, output: Path | None) -> None:
    """Write a run's estimates or samples in format `name` to a file or standard output.

    Raises UsageError for a binary format on a terminal, MachineLacksError where the file cannot be
    written or a library lacks.
    """
    _refuse_on_terminal(name, output)
    table = _samples(folder) if samples else export_rows(result_of(folder, cache_folder()))
    _write(table, name, output)


def is_machine(name: str) -> bool:
    """Whether `name` means a published machine, or a file of a machine or another tool."""
    return is_file(Path(name)) or is_published(name)


def export_machine(machine: str, name: str, output: Path | None) -> None:
    """Write the figures of a machine that was not measured here, as printed too, in format `name`.

    Raises UsageError for a format that has no place for them, MachmeterError where the machine
    cannot be read, MachineLacksError as `export_run` does.
    """
    if name not in WRITERS:
        raise UsageError(
            f"--format {name} is of runs, and {machine} was not measured here",
            f"choose one of: {', '.join(WRITERS)}",
        )
    _refuse_on_terminal(name, output)
    if output and is_file(output) and is_file(Path(machine)) and output.samefile(machine):
        raise UsageError(f"{output} is the machine's own file", "name another file with -o")
    _write(machine_rows(document_of(shown_machine(machine))), name, output)


def _refuse_on_terminal(name: str, output: Path | None) -> None:
    if name == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is no text: it cannot be shown here", "add -o FILE")


def _write(table: ExportTable, name: str, output: Path | None) -> None:
    try:
        WRITERS[name](table, output or sys.stdout.buffer)
    except ExportError as error:
        raise MachineLacksError(
            f"{name} cannot be written: {error.message}", error.remedy
        ) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise storage_error(error, output or Path("/dev/stdout")) from error


def export_bencher(folder: RunFolder, output: Path | None) -> None:
    """Write a run's figures in Bencher Metric Format; what it cannot say is told of and left out.

    Raises MachineLacksError where the file cannot be written.
    """
    estimates = result_of(folder, cache_folder()).estimates
    unresolved = sum(not one.resolved for one in estimates)
    text = msgspec.json.format(msgspec.json.encode(bencher_metrics(estimates)), indent=2) + b"\n"
    if unresolved:
        warn(
            MachmeterError(
                f"{count_text(unresolved, 'overhead is', 'overheads are')} left out: not resolved "
                "from zero, and the format has no upper bounds",
                "`--format csv` has every figure",
            )
        )
    if output is None:
        sys.stdout.buffer.write(text)
        return
    try:
        write_durably(output, text)
    except OSError as error:
        raise storage_error(error, output) from error


def export_crate(folder: RunFolder, target: Path, author: Author, license_address: str) -> None:
    """Write a run with its figures and page as a Process Run Crate, a folder or `.zip`.

    Raises UsageError where there is something already, MachineLacksError where it cannot be
    written.
    """
    from machmeter.cli.actions.finishing import beside_of, save_page
    from machmeter.report.exports.ro_crate import CrateFile, describe_crate, records_in, write_crate

    if target.resolve().is_relative_to(folder.path.resolve()):
        raise UsageError(
            f"--output {target} is in the folder of the run itself", "name a place outside of it"
        )
    result = result_of(folder, cache_folder())
    with tempfile.TemporaryDirectory(prefix="machmeter-") as place:
        made = tuple(CrateFile(Path(place) / name, name) for name in (_FIGURES, _PAGE))
        WRITERS["csv"](export_rows(result), made[0].source)
        place_of_records = RecordsPlace(result.header.id, "")
        save_page(result, made[1].source, place_of_records, beside_of(result))
        measured = tuple(records_in(folder.path))
        files = (*measured, *made)
        crate = describe_crate(result, measured, made, author, license_address)
        try:
            with _copying(files) as tell:
                write_crate(crate, files, target, tell)
        except FileExistsError as error:
            raise UsageError(f"{target} is there already", "name another place") from error
        except OSError as error:
            raise storage_error(error, target) from error


@contextmanager
def _copying(files: Sequence[CrateFile]) -> Iterator[Callable[[CrateFile], None]]:
    """Progress of copying on a terminal; silence elsewhere."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("copying"), BarColumn(), DownloadColumn(binary_units=True))
    console = error_console()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=sum(file.source.stat().st_size for file in files))
        yield lambda file: bar.advance(task, file.source.stat().st_size)


def _samples(folder: RunFolder) -> ExportTable:
    pairs = ((outcome, folder.record(outcome.launch)) for outcome in folder.outcomes())
    kept = ((as_it_stands(outcome, record), record) for outcome, record in pairs)
    return sample_rows(kept, _sides(folder))


def _sides(folder: RunFolder) -> dict[str, str]:
    """Of a run of two sides, the side that each spec belongs to, by name; of another one none."""
    plan = folder.plan()
    if plan is None or folder.header().baseline is None:
        return {}
    sides = {spec.name: spec.variant.role.value for spec in plan.specs}
    candidate = Role.CANDIDATE.value
    return dict.fromkeys((outcome.spec for outcome in folder.outcomes()), candidate) | sides

"""Results and raw samples for other programs: rows, files, archives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from machmeter.api.context import Context
from machmeter.api.loading import Run, RunName, find_run, load
from machmeter.api.machine_files import machine_document
from machmeter.api.machines import MachineName, is_file, is_published
from machmeter.api.reports import save_page
from machmeter.model.errors import (
    FULL,
    MachineLacksError,
    MachmeterError,
    UsageError,
    full_output_error,
    storage_error,
)
from machmeter.model.variant import Role
from machmeter.report.exports.bencher import bencher_metrics
from machmeter.report.exports.machine_document import machine_rows
from machmeter.report.exports.tables import (
    WRITERS,
    ExportError,
    ExportTable,
    Row,
    export_rows,
    sample_rows,
)
from machmeter.report.views.records import RecordsPlace
from machmeter.run.measuring.judge import as_it_stands, cpu_numbers
from machmeter.store.files import write_durably
from machmeter.store.run_folder import PAGE, RunFolder, check_target
from machmeter.text.numbers import count_text

if TYPE_CHECKING:
    from machmeter.report.exports.ro_crate import Author, CrateFile

_FIGURES = "figures.csv"


class TableFormat(StrEnum):
    """Formats of tables."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def rows(
    name: MachineName = "last", *, samples: bool = False, context: Context | None = None
) -> list[Row]:
    """One row a result, or a raw sample, by column name: what `pandas.DataFrame` takes.

    Values are in the base unit that the row names.

    Args:
        name: As in `machine`, of one run or machine.
        samples: One row a raw sample, in seconds.
        context: Folders and listeners.

    Raises:
        UsageError: Samples of a machine that was not measured here.
        MachmeterError: As in `machine`.
    """
    return list(export_table(name, samples=samples, context=context).rows)


def export(
    name: MachineName,
    target: Path | IO[bytes],
    table_format: TableFormat = TableFormat.CSV,
    *,
    samples: bool = False,
    context: Context | None = None,
) -> None:
    """Write the table that `rows` gives.

    Args:
        name: As in `rows`.
        target: A file or a binary stream.
        table_format: Of the file.
        samples: As in `rows`.
        context: Folders and listeners.

    Raises:
        UsageError: As in `rows`, or the target is the machine's own file.
        MachineLacksError: It cannot be written, or a library is missing.
    """
    _check_target(name, target)
    table = export_table(name, samples=samples, context=context)
    try:
        WRITERS[table_format.value](table, target)
    except ExportError as error:
        raise MachineLacksError(
            f"{table_format.value} cannot be written: {error.message}", error.remedy
        ) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _not_written(error, target) from error


def export_bencher(
    run: RunName, target: Path | IO[bytes], *, context: Context | None = None
) -> None:
    """Write a run's results in Bencher Metric Format; what it cannot express is a warning.

    Args:
        run: As in `load`.
        target: A file or a binary stream.
        context: Folders and listeners.

    Raises:
        MachineLacksError: It cannot be written.
        MachmeterError: As in `load`.
    """
    if isinstance(target, Path):
        check_target(target)
    context = context or Context()
    estimates = load(run, context=context).result.estimates
    unresolved = sum(not one.resolved for one in estimates)
    text = msgspec.json.format(msgspec.json.encode(bencher_metrics(estimates)), indent=2) + b"\n"
    if unresolved:
        context.warn(
            MachmeterError(
                f"{count_text(unresolved, 'overhead is', 'overheads are')} left out: below "
                "resolution, and the format has no upper bounds",
                "use `--format csv` for all results",
            )
        )
    if not isinstance(target, Path):
        target.write(text)
        return
    try:
        write_durably(target, text)
    except OSError as error:
        raise storage_error(error, target) from error


def export_crate(
    run: RunName,
    target: Path,
    author: Author,
    license_address: str = "",
    *,
    on_copied: Callable[[int, int], None] | None = None,
    context: Context | None = None,
) -> None:
    """Write a run with its results and page as a Process Run RO-Crate.

    Args:
        run: As in `load`.
        target: A folder or `.zip` that does not exist.
        author: Who measured.
        license_address: Of the data's license; empty states none.
        on_copied: Takes the bytes copied so far and those of all files.
        context: Folders and listeners.

    Raises:
        UsageError: The target exists.
        MachineLacksError: It cannot be written.
        MachmeterError: As in `load`.
    """
    from machmeter.report.exports.ro_crate import CrateFile, describe_crate, records_in, write_crate

    context = context or Context()
    loaded = load(run, context=context)
    result = loaded.result
    if target.resolve().is_relative_to(loaded.folder.resolve()):
        raise UsageError(f"{target} is inside the folder of the run", "name another place")
    with tempfile.TemporaryDirectory(prefix="machmeter-") as place:
        made = tuple(CrateFile(Path(place) / name, name) for name in (_FIGURES, PAGE))
        WRITERS["csv"](export_rows(result), made[0].source)
        save_page(loaded, made[1].source, RecordsPlace(result.header.id, ""), context)
        measured = tuple(records_in(loaded.folder))
        files = (*measured, *made)
        crate = describe_crate(result, measured, made, author, license_address)
        try:
            write_crate(crate, files, target, _counting(files, on_copied or _ignore))
        except FileExistsError as error:
            raise UsageError(f"{target} exists", "name another place") from error
        except OSError as error:
            raise storage_error(error, target) from error


def _counting(
    files: Sequence[CrateFile], on_copied: Callable[[int, int], None]
) -> Callable[[CrateFile], None]:
    sizes = {file.path: file.source.stat().st_size for file in files}
    copied = 0

    def count(file: CrateFile) -> None:
        nonlocal copied
        copied += sizes[file.path]
        on_copied(copied, sum(sizes.values()))

    return count


def _ignore(_copied: int, _total: int) -> None:
    """Nobody listens."""


def is_measured(name: MachineName) -> bool:
    """Whether `name` means a run, and neither a published machine nor a file."""
    return isinstance(name, Run) or not (is_file(Path(name)) or is_published(str(name)))


def export_table(
    name: MachineName, *, samples: bool = False, context: Context | None = None
) -> ExportTable:
    """Columns with their types, and rows that may be read once; raises as `rows` does."""
    context = context or Context()
    if is_measured(name):
        if samples:
            return _samples(find_run(name, context))
        return export_rows(load(name, context=context).result)
    if samples:
        raise UsageError(f"{name} was not measured here and has no samples", "export its results")
    return machine_rows(machine_document(name, context=context))


def _check_target(name: MachineName, target: Path | IO[bytes]) -> None:
    """Raise UsageError where the file cannot be written, or is the machine's own."""
    if not isinstance(target, Path):
        return
    check_target(target)
    if isinstance(name, Run) or not is_file(target) or not is_file(Path(name)):
        return
    if target.samefile(name):
        raise UsageError(f"{target} is the machine's own file", "name another file with -o")


def _not_written(error: OSError, target: Path | IO[bytes]) -> MachineLacksError:
    if isinstance(target, Path):
        return storage_error(error, target)
    if error.errno in FULL:
        return full_output_error()
    return storage_error(error, Path("/dev/stdout"))


def _samples(folder: RunFolder) -> ExportTable:
    usable = cpu_numbers(folder.header().machine.topology)
    plan = folder.plan()
    specs = {spec.name: spec for spec in plan.specs} if plan else {}
    others = {name for name, spec in specs.items() if spec.of_other_library}
    pairs = (
        (outcome, folder.record(outcome.launch))
        for outcome in folder.outcomes()
        if outcome.spec not in others
    )
    kept = (
        (as_it_stands(outcome, folder.launch(outcome.launch), record, usable), record)
        for outcome, record in pairs
    )
    return sample_rows(kept, _sides(folder), specs)


def _sides(folder: RunFolder) -> dict[str, str]:
    """Of an A/B run the variant that each spec belongs to, by name; of another run none."""
    plan = folder.plan()
    if plan is None or folder.header().baseline is None:
        return {}
    roles = {spec.name: spec.variant.role.value for spec in plan.specs}
    candidate = Role.CANDIDATE.value
    return dict.fromkeys((outcome.spec for outcome in folder.outcomes()), candidate) | roles

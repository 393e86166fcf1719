"""What `machmeter export` does."""

from __future__ import annotations

import sys
from pathlib import Path

from machmeter.cli.context import cache_folder
from machmeter.model.errors import MachineLacksError, UsageError, storage_error
from machmeter.report.exports import WRITERS, ExportError, Table, export_rows, sample_rows
from machmeter.run.indexing import result_of
from machmeter.run.judge import as_it_stands
from machmeter.store.run_folder import RunFolder


def export_run(folder: RunFolder, name: str, *, samples: bool, output: Path | None) -> None:
    """Write a run's estimates or samples in format `name` to a file or standard output.

    Raises UsageError for a binary format on a terminal, MachineLacksError where the file cannot be
    written or a library lacks.
    """
    if name == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is no text: it cannot be shown here", "add -o FILE")
    table = _samples(folder) if samples else export_rows(result_of(folder, cache_folder()))
    try:
        WRITERS[name](table, output or sys.stdout.buffer)
    except ExportError as error:
        raise MachineLacksError(f"{name} cannot be written: {error}") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise storage_error(error, output or Path("/dev/stdout")) from error


def _samples(folder: RunFolder) -> Table:
    pairs = ((outcome, folder.record(outcome.launch)) for outcome in folder.outcomes())
    return sample_rows((as_it_stands(outcome, record), record) for outcome, record in pairs)

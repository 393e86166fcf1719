"""The list of runs as a person reads it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from msgspec import Struct

from machmeter.cli.options.formats import DocumentFormat
from machmeter.cli.printing.documents import print_document
from machmeter.report.documents.document import Document
from machmeter.report.table import Table, TableRow
from machmeter.store.index_rows import RunSummary
from machmeter.studies.select import requested_text

_RUNS = ("run", "machine", "request", "state", "launches", "at target")


class RunList(Struct, frozen=True):
    """What `runs --json` prints."""

    runs: tuple[RunSummary, ...]
    """The oldest first."""


def print_runs(
    runs: Sequence[RunSummary], file_format: DocumentFormat = DocumentFormat.TEXT
) -> None:
    """One line a run."""
    if not runs and file_format is DocumentFormat.TEXT:
        sys.stdout.write("no runs yet; start with `machmeter run`\n")
        return
    table = Table("", _RUNS, tuple(map(_run_row, runs)), (4, 5))
    print_document(Document("", (table,)), file_format)


def _run_row(run: RunSummary) -> TableRow:
    reached = f"{run.reached}/{run.estimates}" if run.estimates else "–"
    rejected = f" + {run.rejected} rejected" if run.rejected else ""
    counts = (f"{run.accepted}{rejected}", reached)
    return run.id, run.machine, _request_text(run), run.state.value, *counts


def _request_text(run: RunSummary) -> str:
    """What was requested, with which options, and whether it is an A/B run."""
    flags = f"--flags={shlex.quote(run.flags)}" if run.flags else ""
    words = (requested_text(run.request.split()), run.options, flags)
    return " ".join(filter(None, words)) + ", A/B" * bool(run.against)

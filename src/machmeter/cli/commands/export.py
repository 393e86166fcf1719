"""`machmeter export`: figures, raw samples or a whole run for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.crates import author_named, check_crate, check_license, size_below
from machmeter.model.errors import UsageError


class Format(StrEnum):
    """File formats."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    BENCHER = "bencher"
    RO_CRATE = "ro-crate"


_ONLY_RUNS = (Format.BENCHER, Format.RO_CRATE)


class What(StrEnum):
    """What a row is."""

    FIGURES = "figures"
    ESTIMATES = "estimates"
    SAMPLES = "samples"


def export(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`; or a published machine, "
            "a machine's file, or what another tool printed.",
            autocompletion=complete_machine,
        ),
    ] = "last",
    file_format: Annotated[
        Format,
        typer.Option(
            "--format",
            help="Tables (csv, json, parquet), Bencher Metric Format, or a Process Run RO-Crate of "
            "the whole run, a folder or .zip.",
        ),
    ] = Format.CSV,
    what: Annotated[
        What,
        typer.Option(
            help="One row a figure (estimates is another word for figures), or one row a raw "
            "sample."
        ),
    ] = What.FIGURES,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write (default: standard output)."),
    ] = None,
    author: Annotated[
        str, typer.Option(help="Who measured, for an RO-Crate: a name, an address in <>.")
    ] = "",
    license_address: Annotated[
        str, typer.Option("--license", help="Address of the data's license, for an RO-Crate.")
    ] = "",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print as JSON where the file is; needs -o (for figures as JSON: --format json).",
        ),
    ] = False,
) -> None:
    """Export a run: figures or raw samples as a table, or everything as an archive for a paper.

    Or the figures of a published machine, of a machine's file, or of what another tool printed,
    each with its number, unit and qualifier as printed. Times are in seconds, everything else in
    the base unit that its row or measure names.

    Examples:

    ```text
    machmeter export last > figures.csv
    machmeter export last --what samples --format parquet -o samples.parquet
    machmeter export last --format json | jq '.[0]'
    machmeter export edison --format parquet -o edison.parquet
    machmeter export last --format bencher > metrics.json    # bencher run --adapter json
    machmeter export last --format ro-crate -o crate.zip --license \\
        https://spdx.org/licenses/CC-BY-4.0 --author "A. Name <https://orcid.org/0000-...>"
    ```
    """
    from machmeter.api.exports import is_measured
    from machmeter.cli.output import Written, print_json

    _refuse_what_makes_no_sense(
        file_format, what, output, cites=bool(author or license_address), as_json=as_json
    )
    if file_format in _ONLY_RUNS and not is_measured(run):
        raise UsageError(
            f"--format {file_format.value} is of runs, and {run} was not measured here",
            "choose one of: csv, json, parquet",
        )
    if file_format is Format.RO_CRATE:
        _write_crate(run, check_crate(output), author, license_address)
    else:
        _write_table(run, file_format, output, samples=what is What.SAMPLES)
    if as_json and output is not None:
        print_json(Written(str(output.absolute()), size_below(output)))


def _refuse_what_makes_no_sense(
    file_format: Format, what: What, output: Path | None, *, cites: bool, as_json: bool
) -> None:
    if as_json and output is None:
        raise UsageError(
            "--json prints where the file was written, and without -o there is no file",
            "add -o FILE, or write `--format json` for figures as JSON on standard output",
        )
    if what is What.SAMPLES and file_format in _ONLY_RUNS:
        raise UsageError(
            f"--format {file_format.value} does not hold samples alone",
            "leave --what out; csv, json and parquet take samples",
        )
    if cites and file_format is not Format.RO_CRATE:
        raise UsageError("--author and --license belong to --format ro-crate", "leave them out")
    if file_format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is no text: it cannot be shown here", "add -o FILE")


def _write_table(run: str, file_format: Format, output: Path | None, *, samples: bool) -> None:
    from machmeter.api.exports import TableFormat, export_bencher
    from machmeter.api.exports import export as export_table
    from machmeter.cli.context import command_context

    context, target = command_context(), output or sys.stdout.buffer
    if file_format is Format.BENCHER:
        export_bencher(run, target, context=context)
    else:
        export_table(run, target, TableFormat(file_format.value), samples=samples, context=context)


def _write_crate(run: str, target: Path, author: str, license_address: str) -> None:
    """Write the crate, with progress on a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from machmeter.api.exports import export_crate
    from machmeter.cli.context import command_context
    from machmeter.cli.output import error_console

    who, terms = author_named(author), check_license(license_address)
    console = error_console()
    columns = (TextColumn("copying"), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        export_crate(
            run,
            target,
            who,
            terms,
            on_copied=lambda copied, total: bar.update(task, completed=copied, total=total),
            context=command_context(),
        )

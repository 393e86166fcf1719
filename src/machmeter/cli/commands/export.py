"""`machmeter export`: results, raw samples or a whole run for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.common import MachineArgument
from machmeter.cli.options.crates import author_named, check_crate, check_license, size_below
from machmeter.model.errors import UsageError


class Format(StrEnum):
    """Formats of tables, and of whole runs."""

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
    run: MachineArgument = "last",
    file_format: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, json, bencher; parquet (needs pyarrow), ro-crate (needs rocrate)",
        ),
    ] = Format.CSV,
    what: Annotated[
        What,
        typer.Option(
            metavar="WHAT", help="one row per result (figures) or per raw sample (samples)"
        ),
    ] = What.FIGURES,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="write here  [default: standard output]"
        ),
    ] = None,
    author: Annotated[
        str, typer.Option(metavar="NAME", help="who measured, address in <> (for ro-crate)")
    ] = "",
    license_address: Annotated[
        str,
        typer.Option("--license", metavar="URL", help="the data's license (for ro-crate)"),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="print path and size of the file as JSON; needs -o")
    ] = False,
) -> None:
    """Export results, raw samples or a whole run.

    Tables have one row per result or raw sample; values are in the base unit that the row names,
    times in seconds. Printed values keep their number, unit and qualifier.

    Examples:

    ```text
    machmeter export last > figures.csv
    machmeter export last --what samples --format parquet -o samples.parquet
    machmeter export last --format json | jq '.[0]'
    machmeter export edison --format parquet -o edison.parquet
    machmeter export last --format bencher > metrics.json
    machmeter export last --format ro-crate -o crate.zip --author "A. Name"
    ```
    """
    from rich.text import Text

    from machmeter.api.exports import is_measured
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import Written, print_json
    from machmeter.model.units import format_bytes
    from machmeter.text.plain import plain

    _refuse_what_makes_no_sense(
        file_format, what, output, cites=bool(author or license_address), as_json=as_json
    )
    if file_format in _ONLY_RUNS and not is_measured(run):
        raise UsageError(
            f"--format {file_format.value} needs a run, and {run} was not measured here",
            "choose csv, json or parquet",
        )
    if file_format is Format.RO_CRATE:
        _write_crate(run, check_crate(output), author, license_address)
    else:
        _write_table(run, file_format, output, samples=what is What.SAMPLES)
    if output is None:
        return
    if as_json:
        print_json(Written(str(output.absolute()), size_below(output)))
    else:
        text_console().print(
            Text(f"File: {plain(str(output))} ({format_bytes(size_below(output))})"), soft_wrap=True
        )


def _refuse_what_makes_no_sense(
    file_format: Format, what: What, output: Path | None, *, cites: bool, as_json: bool
) -> None:
    if as_json and output is None:
        raise UsageError(
            "--json prints the path of the file, and without -o there is none",
            "add -o FILE, or use `--format json` for results as JSON on standard output",
        )
    if what is What.SAMPLES and file_format in _ONLY_RUNS:
        raise UsageError(
            f"--format {file_format.value} cannot hold samples alone",
            "leave out --what, or choose csv, json or parquet",
        )
    if cites and file_format is not Format.RO_CRATE:
        raise UsageError("--author and --license need `--format ro-crate`", "leave them out")
    if file_format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is binary and cannot be written to a terminal", "add -o FILE")


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
    from machmeter.cli.consoles import error_console
    from machmeter.cli.context import command_context

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

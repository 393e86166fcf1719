"""`machmeter export`: figures, raw samples or a whole run for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine


class Format(StrEnum):
    """File formats."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    BENCHER = "bencher"
    RO_CRATE = "ro-crate"


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
    from machmeter.cli.actions.exporting import (
        export_bencher,
        export_machine,
        export_run,
        is_machine,
    )
    from machmeter.cli.actions.finishing import check_target
    from machmeter.cli.context import find_run
    from machmeter.cli.output import Written, print_json
    from machmeter.model.errors import UsageError

    whole = file_format is Format.RO_CRATE
    if as_json and output is None:
        raise UsageError(
            "--json prints where the file was written, and without -o there is no file",
            "add -o FILE, or write `--format json` for figures as JSON on standard output",
        )
    if what is What.SAMPLES and file_format in (Format.BENCHER, Format.RO_CRATE):
        raise UsageError(
            f"--format {file_format.value} does not hold samples alone",
            "leave --what out; csv, json and parquet take samples",
        )
    if (author or license_address) and not whole:
        raise UsageError("--author and --license belong to --format ro-crate", "leave them out")
    if is_machine(run):
        if what is What.SAMPLES:
            raise UsageError(f"{run} was not measured here: it has no samples", "leave --what out")
        check_target(output, "--output")
        export_machine(run, file_format.value, output)
        size = output.stat().st_size if output else 0
    elif whole:
        size = _write_crate(run, output, author, license_address)
    else:
        check_target(output, "--output")
        if file_format is Format.BENCHER:
            export_bencher(find_run(run), output)
        else:
            samples = what is What.SAMPLES
            export_run(find_run(run), file_format.value, samples=samples, output=output)
        size = output.stat().st_size if output else 0
    if as_json and output is not None:
        print_json(Written(str(output.absolute()), size))


def _write_crate(run: str, output: Path | None, author: str, license_address: str) -> int:
    """Write the crate and give its size in bytes."""
    from machmeter.cli.actions.exporting import export_crate
    from machmeter.cli.context import find_run
    from machmeter.cli.options.crates import author_named, check_crate, check_license, size_below

    target = check_crate(output)
    folder = find_run(run)
    export_crate(folder, target, author_named(author), check_license(license_address))
    return size_below(target)

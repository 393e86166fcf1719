"""`machmeter export`: figures or raw samples for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.completion import complete_run


class Format(StrEnum):
    """File formats."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class What(StrEnum):
    """What a row is."""

    ESTIMATES = "estimates"
    SAMPLES = "samples"


def export(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its id or how that begins, its folder, or `last`.",
            autocompletion=complete_run,
        ),
    ] = "last",
    file_format: Annotated[Format, typer.Option("--format", help="Format.")] = Format.CSV,
    what: Annotated[
        What, typer.Option(help="One row a figure, or one row a raw sample.")
    ] = What.ESTIMATES,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write (default: standard output)."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print as JSON where the file is; needs -o (for figures as JSON: --format json).",
        ),
    ] = False,
) -> None:
    """Export figures or raw samples of a run as a table.

    Times are in seconds, everything else in the base unit that its row names.

    Examples:

    ```text
    machmeter export last > figures.csv
    machmeter export last --what samples --format parquet -o samples.parquet
    machmeter export last --format json | jq '.[0]'
    ```
    """
    from machmeter.cli.context import find_run
    from machmeter.cli.exporting import export_run
    from machmeter.cli.finishing import check_target
    from machmeter.cli.output import Written, print_json
    from machmeter.model.errors import UsageError

    if as_json and output is None:
        raise UsageError(
            "--json prints where the file was written, and without -o there is no file",
            "add -o FILE, or write `--format json` for figures as JSON on standard output",
        )
    check_target(output, "--output")
    export_run(find_run(run), file_format.value, samples=what is What.SAMPLES, output=output)
    if as_json and output is not None:
        print_json(Written(str(output.absolute()), output.stat().st_size))

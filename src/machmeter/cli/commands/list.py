"""`machmeter list`: what can be measured, and machines."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format


class ListSection(StrEnum):
    """What to list."""

    BENCHMARKS = "benchmarks"
    STUDIES = "studies"
    MACHINES = "machines"


def list_names(
    section: Annotated[
        ListSection | None,
        typer.Argument(metavar="[SECTION]", help="benchmarks, studies or machines; default: all"),
    ] = None,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """List benchmarks, studies and machines.

    Examples:

    ```text
    machmeter list              # everything
    machmeter list benchmarks   # parameters, metrics, units
    machmeter list machines     # measured here, and published
    ```
    """
    from machmeter.api.catalogue import benchmarks, measured_machines, studies
    from machmeter.api.machine_files import published_machines
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.cli.printing.listing import Listing, listing_document, print_listing

    check_format(file_format, as_json=as_json)
    machines = section in (None, ListSection.MACHINES)
    listed = Listing(
        benchmarks=benchmarks() if section in (None, ListSection.BENCHMARKS) else (),
        studies=studies() if section in (None, ListSection.STUDIES) else (),
        machines=measured_machines(context=command_context()) if machines else (),
        published=published_machines() if machines else (),
    )
    if as_json:
        print_json(listed)
    elif file_format is DocumentFormat.TEXT:
        print_listing(listed)
    else:
        print_document(listing_document(listed), file_format)

"""`machmeter schema`: JSON Schemas of documents."""

from __future__ import annotations

from typing import Annotated

import typer


def _complete(incomplete: str) -> list[str]:
    from machmeter.cli.schemas import DOCUMENTS

    return [name for name in DOCUMENTS if name.startswith(incomplete)]


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[DOCUMENT]", help="default: list their names", autocompletion=_complete
        ),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="print the list of names as JSON")
    ] = False,
) -> None:
    """Print the JSON Schema of a document.

    Documents are what commands print with --json, and the files that people write. The schemas are
    of draft 2020-12.

    Examples:

    ```text
    machmeter schema                # the names
    machmeter schema run            # the result of a run
    machmeter schema error          # what every command prints when it fails
    machmeter schema machine-file   # machine files, for an editor
    ```
    """
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import print_json
    from machmeter.cli.schemas import DOCUMENTS, SchemaNames, schema_of

    if name:
        print_json(schema_of(name))
    elif as_json:
        print_json(SchemaNames(tuple(DOCUMENTS)))
    else:
        text_console().print("\n".join(DOCUMENTS), markup=False)

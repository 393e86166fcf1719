"""`machmeter schema`: the JSON Schema of what commands print with `--json`."""

from __future__ import annotations

from typing import Annotated

import typer


def _complete(incomplete: str) -> list[str]:
    from machmeter.cli.schemas import DOCUMENTS

    return [name for name in DOCUMENTS if name.startswith(incomplete)]


def schema(
    name: Annotated[
        str, typer.Argument(help="A command or a file; none lists them.", autocompletion=_complete)
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list of names as JSON; schemas always are.")
    ] = False,
) -> None:
    """Print the JSON Schema (draft 2020-12) of what a command prints with `--json`, or of a file.

    Examples:

    ```text
    machmeter schema                # the names
    machmeter schema run            # the result of a run
    machmeter schema error          # what every command prints when it fails
    machmeter schema machine-file   # a file of published figures, for an editor
    ```
    """
    from machmeter.cli.output import print_json, text_console
    from machmeter.cli.schemas import DOCUMENTS, SchemaNames, schema_of

    if name:
        print_json(schema_of(name))
    elif as_json:
        print_json(SchemaNames(tuple(DOCUMENTS)))
    else:
        text_console().print("\n".join(DOCUMENTS), markup=False)

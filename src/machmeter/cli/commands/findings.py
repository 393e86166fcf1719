"""`machmeter findings`: answers to the questions of a run, decisions first."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson, RunArgument
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format


def findings(
    run: RunArgument = "last",
    every: Annotated[
        bool, typer.Option("--all", help="also undecidable questions, and every case")
    ] = False,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """Show what a run decides, with evidence and confidence.

    Decisions come first, the largest effects at the top: each with its ratio, confidence interval,
    confidence (docs/findings.md), advice, sensitivity, and what published machines say.

    Examples:

    ```text
    machmeter findings              # of the last run
    machmeter findings last --all   # every case, and undecidable questions
    machmeter findings --json | jq '.findings[] | {question, confidence}'
    ```
    """
    from machmeter.api.loading import findings as findings_of
    from machmeter.api.loading import load
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.findings import findings_document
    from machmeter.report.terminal.findings import print_findings

    check_format(file_format, as_json=as_json)
    loaded = load(run, context=command_context())
    if as_json:
        print_json(findings_of(loaded))
    elif file_format is not DocumentFormat.TEXT:
        print_document(findings_document(loaded.result, every=every), file_format)
    else:
        print_findings(loaded.result, text_console(), every=every)

"""`machmeter show`: the summary of a run or machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_machine, complete_run
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format

if TYPE_CHECKING:
    from machmeter.api.loading import Run
    from machmeter.model.results.run import RunResult

_MACHINE = "machine"


def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN | machine MACHINE]",
            help="ID or unique prefix of a run, folder, or last; or the word machine",
            autocompletion=complete_run,
        ),
    ] = "last",
    name: Annotated[
        str,
        typer.Argument(
            metavar="[BENCHMARK|GROUP]",
            help="with --all: only its results",
            autocompletion=complete_machine,
            show_default=False,
        ),
    ] = "",
    every: Annotated[
        bool, typer.Option("--all", help="every result, in tables as wide as the terminal")
    ] = False,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """Show the summary of a run, or a machine.

    `--format` markdown or latex has every result, as `--all` does.

    Examples:

    ```text
    machmeter show                       # the last run
    machmeter show --all                 # every result of it
    machmeter show --all network         # those of one group
    machmeter show --format latex > results.tex
    machmeter show 20261121-21           # the run with this ID prefix
    machmeter show last --json           # everything, for a program
    machmeter show machine edison        # a published machine
    machmeter show machine mine.toml     # a machine of your own
    ```
    """
    from machmeter.api.loading import load
    from machmeter.benchmarks.catalogue import GROUPS, known
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.model.errors import UsageError
    from machmeter.report.terminal.run import print_run
    from machmeter.store.run_folder import PAGE

    check_format(file_format, as_json=as_json)
    if run == _MACHINE:
        _show_machine(name or "last", file_format, as_json=as_json, every=every)
        return
    tables = every or file_format is not DocumentFormat.TEXT
    if tables and not name and (run in GROUPS or known(run)):
        run, name = "last", run
    if name and (as_json or not tables):
        raise UsageError(
            f"unexpected argument {name!r} after a run",
            f"`machmeter show {run} --all {name}` for a benchmark, `machmeter show machine NAME`",
        )
    loaded = _run_or_meant_benchmark(run) if tables else load(run, context=command_context())
    if as_json:
        print_json(loaded.result)
    elif tables:
        _print_results(loaded.result, name, file_format)
    else:
        page = loaded.folder / PAGE
        print_run(loaded.result, text_console(), loaded.folder, page if page.is_file() else None)


def _run_or_meant_benchmark(name: str) -> Run:
    """The run; where there is none, the error names the benchmarks that may be meant."""
    from machmeter.api.loading import load
    from machmeter.benchmarks.catalogue import BENCHMARKS
    from machmeter.cli.context import command_context
    from machmeter.model.errors import UsageError
    from machmeter.model.written.choices import nearest

    try:
        return load(name, context=command_context())
    except UsageError as error:
        near = nearest(name, (one.name for one in BENCHMARKS))
        if not near:
            raise
        raise UsageError(
            f"{error.message}, and no benchmark of that name",
            f"did you mean {' or '.join(near)}? {error.remedy}",
        ) from error


def _print_results(result: RunResult, name: str, file_format: DocumentFormat) -> None:
    """Every result of a run, or those of the benchmark or group `name`."""
    from machmeter.cli.printing.documents import print_document
    from machmeter.model.errors import UsageError
    from machmeter.report.documents.results import results_document

    of_name = [
        one
        for one in result.estimates
        if name in {"", one.point.benchmark, one.point.benchmark.partition(".")[0]}
    ]
    if name and not of_name:
        names = ", ".join(dict.fromkeys(one.point.benchmark for one in result.estimates))
        raise UsageError(f"the run has no results of {name!r}", f"it has {names or 'none'}")
    machine, header = result.header.machine, result.header
    title = f"{machine.name or machine.host}: {', '.join(header.request.names)} (run {header.id})"
    print_document(results_document(title, of_name), file_format)


def _show_machine(name: str, file_format: DocumentFormat, *, as_json: bool, every: bool) -> None:
    from machmeter.api.machine_files import document_of, shown_machine
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.results import results_document
    from machmeter.report.terminal.machine import print_machine

    shown = shown_machine(name, command_context())
    if as_json:
        print_json(document_of(shown))
    elif file_format is not DocumentFormat.TEXT:
        machine = shown.machine
        print_document(results_document(machine.title, machine.estimates), file_format)
    else:
        print_machine(shown, text_console(), every=every)

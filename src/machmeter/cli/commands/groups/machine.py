"""`machmeter machine`: machine files, checked or made from other tools' output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.help import PlainCommand
from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_run

if TYPE_CHECKING:
    from machmeter.api.machine_files import WrittenMachine
    from machmeter.published.contributed import Missing

_MOST_NAMED = 3

machine = typer.Typer(
    help="Check machine files, import other tools' results.", no_args_is_help=False
)


@machine.callback()
def _machine() -> None:
    """Check machine files, import other tools' results."""


@machine.command(cls=PlainCommand)
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="machine files (TOML)")],
    as_json: AsJson = False,
) -> None:
    """Check machine files against the format of docs/published.md.

    Also listed is what a file lacks to be added to machmeter.

    Examples:

    ```text
    machmeter machine check mycluster.toml
    machmeter machine check machines/*.toml --json
    ```
    """
    from machmeter.api.machine_files import check_machine_files
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import print_json
    from machmeter.model.errors import ExitCode
    from machmeter.text.plain import plain

    checked = check_machine_files(files)
    if as_json:
        print_json(checked)
    else:
        console = text_console()
        for one in checked.files:
            if one.valid:
                console.print(
                    f"{plain(one.path)}: valid: {plain(one.name)} ({one.id}), "
                    f"{one.figures} figures, {one.comparable} comparable",
                    markup=False,
                    soft_wrap=True,
                )
                for missing in one.missing:
                    console.print(f"  {_missing_text(missing)}", markup=False, soft_wrap=True)
            else:
                console.print(plain(one.problem), style="bold red", markup=False, soft_wrap=True)
                console.print(f"  remedy: {plain(one.remedy)}", markup=False, soft_wrap=True)
    if not all(one.valid for one in checked.files):
        raise typer.Exit(ExitCode.WRONG_USAGE)


def _missing_text(missing: Missing) -> str:
    from machmeter.text.plain import plain

    few = ", ".join(missing.figures[:_MOST_NAMED])
    more = len(missing.figures) - _MOST_NAMED
    of = f": {few}" + (f" and {more} more" if more > 0 else "") if few else ""
    return plain(f"to add it to machmeter, missing {missing.part}{of}")


@machine.command(name="import", cls=PlainCommand)
def import_results(  # noqa: PLR0913, PLR0917 - what output leaves out, a person may say
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="output of other tools, as printed (- is standard input)"
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="machine file to write")
    ],
    machine_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="machine ID  [default: from the first file]")
    ] = "",
    name: Annotated[str, typer.Option(metavar="NAME", help="machine name")] = "",
    nodes: Annotated[
        int,
        typer.Option(metavar="N", help="nodes of the machine", show_default=False),
    ] = 0,
    cores: Annotated[
        int,
        typer.Option(metavar="N", help="cores of all nodes", show_default=False),
    ] = 0,
    link: Annotated[
        str,
        typer.Option(metavar="RATE", help="a node's link: '100 Gbit/s', '25 GB/s both ways'"),
    ] = "",
    used_nodes: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="nodes used, where the output does not state it",
            show_default=False,
        ),
    ] = 0,
    used_ranks: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="ranks used, where the output does not state it",
            show_default=False,
        ),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Make a machine file from the output of other tools.

    OSU Micro-Benchmarks, Intel MPI Benchmarks, STREAM, EPCC, HPCC, likwid-bench, and JSON of Google
    Benchmark, ReFrame and hyperfine: recognized by content. Several files of one program count as
    launches. Values that contradict their own source are flagged.

    Examples:

    ```text
    machmeter machine import osu_*.txt -o mycluster.toml --id mycluster
    machmeter machine import night-*.txt -o nights.toml --link '100 Gbit/s'
    machmeter compare mycluster.toml last
    ```
    """
    from machmeter.api.machine_files import import_machine

    imported = import_machine(
        files,
        output,
        machine_id=machine_id,
        name=name,
        nodes=nodes,
        cores=cores,
        link=link,
        used_nodes=used_nodes,
        used_ranks=used_ranks,
    )
    _print_written(imported, as_json=as_json)


@machine.command(name="from-run", cls=PlainCommand)
def from_run(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="machine file to write")
    ],
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="ID or unique prefix, folder, or last",
            autocompletion=complete_run,
            show_default=False,
        ),
    ] = "last",
    machine_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="machine ID  [default: from its name]")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make a machine file from a run, with the launches of each result.

    A folder of such files is what a site compares its nodes with.

    Examples:

    ```text
    machmeter machine from-run last -o nodes/n17.toml --id n17
    machmeter compare last normal --beside nodes/
    ```
    """
    from machmeter.api.machine_files import write_run
    from machmeter.cli.context import command_context

    written = write_run(run, output, machine_id=machine_id, context=command_context())
    _print_written(written, as_json=as_json)


def _print_written(written: WrittenMachine, *, as_json: bool) -> None:
    """The file that was made, its remarks as warnings."""
    from machmeter.cli.consoles import text_console
    from machmeter.cli.output import print_json, warn
    from machmeter.model.errors import MachmeterError
    from machmeter.text.numbers import count_text
    from machmeter.text.plain import plain

    if as_json:
        print_json(written)
        return
    for remark in written.remarks:
        warn(MachmeterError(remark))
    flagged = f", {written.flagged} flagged" if written.flagged else ""
    text_console().print(
        f"{plain(written.path)}: {plain(written.name)} ({written.id}), "
        f"{count_text(written.figures, 'figure', 'figures')}{flagged}",
        markup=False,
        soft_wrap=True,
    )

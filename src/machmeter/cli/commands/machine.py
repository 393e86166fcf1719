"""`machmeter machine`: machines of one's own, in files or from output of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

machine = typer.Typer(
    help="Machines of your own: check their files, import results of other tools.",
    no_args_is_help=False,
)


@machine.callback()
def _machine() -> None:
    """Machines of your own: check their files, import results of other tools."""


@machine.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Files of machines, TOML.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON what was found.")] = False,
) -> None:
    """Check that files are of the form that docs/published.md describes.

    Examples:

    ```text
    machmeter machine check mycluster.toml
    machmeter machine check machines/*.toml --json
    ```
    """
    from machmeter.api.machine_files import check_machine_files
    from machmeter.cli.output import print_json, text_console
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
                    f"{plain(one.path)}: good: {plain(one.name)} ({one.id}), "
                    f"{one.figures} figures, {one.comparable} of them comparable",
                    markup=False,
                    soft_wrap=True,
                )
            else:
                console.print(plain(one.problem), style="bold red", markup=False, soft_wrap=True)
                console.print(f"  remedy: {plain(one.remedy)}", markup=False, soft_wrap=True)
    if not all(one.valid for one in checked.files):
        raise typer.Exit(ExitCode.SOMETHING_FAILED)


@machine.command(name="import")
def import_results(  # noqa: PLR0913, PLR0917 - what output leaves out, a person may say
    files: Annotated[list[Path], typer.Argument(help="Output of other tools, as they printed it.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The machine's file to write.")],
    machine_id: Annotated[
        str, typer.Option("--id", help="The machine's id; from the first file's name otherwise.")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="What the machine is called.")] = "",
    nodes: Annotated[int, typer.Option(min=0, max=10**9, help="Nodes that the machine has.")] = 0,
    cores: Annotated[
        int, typer.Option(min=0, max=10**12, help="Cores that the machine has, all nodes.")
    ] = 0,
    link: Annotated[
        str, typer.Option(help="Rate of a node's link: '100 Gbit/s', '25 GB/s both ways'.")
    ] = "",
    used_nodes: Annotated[
        int,
        typer.Option(min=0, max=10**9, help="Nodes the tools ran on, where they do not print it."),
    ] = 0,
    used_ranks: Annotated[
        int,
        typer.Option(
            min=0, max=10**12, help="Ranks the tools ran with, where they do not print it."
        ),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON what was found.")] = False,
) -> None:
    """Make a machine's file from output of OSU, IMB, STREAM, EPCC, HPCC, likwid-bench, and others.

    Also Google Benchmark's, ReFrame's and hyperfine's JSON. Each tool is recognized by what
    its output holds. Several files of one tool count as launches. What is false by its own numbers
    is flagged, and told.

    Examples:

    ```text
    machmeter machine import osu_latency.txt osu_bw.txt -o mycluster.toml --id mycluster
    machmeter machine import night-*.txt -o nights.toml --used-nodes 2 --link '100 Gbit/s'
    machmeter compare last mycluster.toml
    ```
    """
    from machmeter.api.machine_files import import_machine
    from machmeter.cli.output import print_json, text_console, warn
    from machmeter.model.errors import MachmeterError
    from machmeter.text.numbers import count_text
    from machmeter.text.plain import plain

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
    if as_json:
        print_json(imported)
        return
    for remark in imported.remarks:
        warn(MachmeterError(remark))
    flagged = f", {imported.flagged} of them flagged" if imported.flagged else ""
    text_console().print(
        f"{plain(imported.path)}: {plain(imported.name)} ({imported.id}), "
        f"{count_text(imported.figures, 'figure', 'figures')}{flagged}",
        markup=False,
        soft_wrap=True,
    )

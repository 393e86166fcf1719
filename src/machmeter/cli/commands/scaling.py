"""`machmeter scaling`: how figures change as threads, ranks, nodes or cores are added."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_benchmark, complete_machine


def scaling(  # noqa: PLR0913, PLR0917 - the options of the command
    machine: Annotated[
        str,
        typer.Argument(
            help="A run (its id or how that begins, its folder, `last`), a published machine, or a "
            "file of one.",
            autocompletion=complete_machine,
        ),
    ] = "last",
    benchmark: Annotated[
        str,
        typer.Option(
            help="Only figures of this benchmark or workload, or of those whose name begins so.",
            autocompletion=complete_benchmark,
        ),
    ] = "",
    metric: Annotated[str, typer.Option(help="Only this metric.")] = "",
    to: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10**9,
            help="A count to predict. Beyond twice the largest measured only side by side by two "
            "laws or more.",
        ),
    ] = None,
    least_gain: Annotated[
        float,
        typer.Option(
            min=1.0,
            max=2.0,
            help="How many times faster a doubling must be to pay: 1.5 is three quarters of what "
            "it could be, 1 is where nothing is gained any more.",
        ),
    ] = 1.5,
    weak: Annotated[
        bool,
        typer.Option("--weak", help="Times are of a problem that grows with the count."),
    ] = False,
    extra_p: Annotated[
        bool,
        typer.Option(help="Fit Extra-P's normal form, too; it is fetched from PyPI once."),
    ] = True,
    every: Annotated[
        bool, typer.Option("--every", help="Also metrics that follow from others.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="All counts and laws, also of many figures.")
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(help="Draw speed-up over the count with its laws: a .svg or .png file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """How figures scale: efficiency, the laws that describe it, where more stops paying.

    Examples:

    ```text
    machmeter scaling                                  # the last run, one line a figure
    machmeter scaling last --benchmark memory.stream --details
    machmeter scaling gordon --benchmark workload.neuron --to 1024
    machmeter scaling comet --least-gain 1.7           # a doubling must gain 70 %
    machmeter scaling gordon --benchmark workload.raxml --chart raxml.svg
    ```
    """
    from machmeter.api.scalings import save_scaling_charts
    from machmeter.api.scalings import scaling as scaling_of
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal.scaling_terminal import print_scaling

    report = scaling_of(
        machine,
        benchmark=benchmark,
        metric=metric,
        to=to,
        least_gain=least_gain,
        weak=weak,
        extra_p=extra_p,
        every=every,
        context=command_context(),
    )
    if chart:
        save_scaling_charts(report, chart)
    if as_json:
        print_json(report)
    else:
        print_scaling(report, text_console(), details=details)

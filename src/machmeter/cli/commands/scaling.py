"""`machmeter scaling`: how results change with threads, ranks, nodes or cores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson, MachineArgument
from machmeter.cli.options.completion import complete_benchmark
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format
from machmeter.model.layout_fields import OptionGroup


def scaling(  # noqa: PLR0913, PLR0917 - the options of the command
    machine: MachineArgument = "last",
    benchmark: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="only this benchmark, group or workload",
            autocompletion=complete_benchmark,
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = "",
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="only this metric", rich_help_panel=OptionGroup.WHAT)
    ] = "",
    to: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="predict for N; beyond twice the largest count only by two laws or more",
            rich_help_panel="Scaling laws",
        ),
    ] = None,
    least_gain: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="speedup that a doubling must reach, from 1 to 2",
            rich_help_panel="Scaling laws",
        ),
    ] = 1.5,
    weak: Annotated[
        bool,
        typer.Option(
            "--weak",
            help="weak scaling: the problem grows with the count",
            rich_help_panel=OptionGroup.WHAT,
        ),
    ] = False,
    extra_p: Annotated[
        bool,
        typer.Option(
            help="also fit Extra-P's normal form (4 MB, fetched from PyPI once)",
            rich_help_panel="Scaling laws",
        ),
    ] = True,
    every: Annotated[bool, typer.Option("--every", help="also derived metrics")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="all counts and laws, also of many results")
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="draw speedup and laws (.svg or .png)"),
    ] = None,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """Show speedup, efficiency and scaling laws.

    How results change with threads, ranks, nodes or cores, and up to which count a doubling scales.

    Examples:

    ```text
    machmeter scaling                        # the last run, one line a result
    machmeter scaling last --benchmark memory.stream --details
    machmeter scaling gordon --benchmark workload.neuron --to 1024
    machmeter scaling comet --least-gain 1.7   # a doubling must gain 70 %
    machmeter scaling gordon --benchmark workload.raxml --chart raxml.svg
    ```
    """
    from machmeter.api.scalings import save_scaling_charts
    from machmeter.api.scalings import scaling as scaling_of
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.scaling import scaling_document
    from machmeter.report.terminal.scaling import print_scaling

    check_format(file_format, as_json=as_json)
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
    elif file_format is not DocumentFormat.TEXT:
        print_document(scaling_document(report), file_format)
    else:
        print_scaling(report, text_console(), details=details)

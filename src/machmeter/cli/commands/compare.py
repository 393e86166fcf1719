"""`machmeter compare`: machines compared with the first one."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    ScoreOption,
    ScoreOverOption,
    Weight,
    score_requested,
)


def compare(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    machines: Annotated[
        list[str],
        typer.Argument(
            metavar="BASELINE MACHINE...",
            help="runs (ID or unique prefix, folder, last), runs of one machine (RUN,RUN), one MPI "
            "library of a run (RUN@LIBRARY), one variant of an A/B run (RUN@baseline, "
            "RUN@candidate), published machines, or files",
            autocompletion=complete_machine,
            show_default=False,
        ),
    ],
    benchmark: Benchmarks = None,
    every: Annotated[
        bool, typer.Option("--all", help="every result, note and refusal, not only the largest")
    ] = False,
    score: ScoreOption = None,
    score_over: ScoreOverOption = None,
    adjusted: Adjusted = False,
    capability: Capability = None,
    weight: Weight = None,
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """Compare machines with a baseline.

    Only results with the same definition are compared: benchmark, parameters, layout, metric and
    unit; similar ones are listed with the reason. A ratio above 1 means that the other machine is
    better. Published values have no confidence interval.

    Examples:

    ```text
    machmeter compare gordon comet              # two published machines
    machmeter compare scalemp last              # the last run here
    machmeter compare 20261120 20261121         # two runs, by ID prefix
    machmeter compare RUN1,RUN2 RUN3,RUN4       # several runs of each machine
    machmeter compare last@mpich last@openmpi   # two MPI libraries of one run
    machmeter compare osu_latency.txt last      # with another tool's output
    machmeter compare gordon comet --score throughput --adjusted
    ```
    """
    from machmeter.api.comparing import compare as compare_machines
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.comparison import comparison_document
    from machmeter.report.terminal.comparison import print_comparison
    from machmeter.report.terminal.scores import print_score

    check_format(file_format, as_json=as_json)
    found = compare_machines(
        machines,
        benchmarks=benchmark or (),
        score=score_requested(score, score_over, capability, weight, adjusted=adjusted),
        context=command_context(),
    )
    if as_json:
        print_json(found)
        return
    if file_format is not DocumentFormat.TEXT:
        document = comparison_document(found.machines, found.comparisons, found.scores)
        print_document(document, file_format)
        return
    console = text_console()
    print_comparison(
        found.machines,
        found.comparisons,
        console,
        every=every,
        nothing_common=found.nothing_common,
    )
    for one in found.scores:
        print_score(one, console)

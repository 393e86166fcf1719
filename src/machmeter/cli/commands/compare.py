"""`machmeter compare`: machines compared with the first one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from machmeter.analysis.normal.report import NORMAL, Like
from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    Fitting,
    ScoreOption,
    ScoreOverOption,
    Weight,
    score_requested,
)
from machmeter.model.errors import UsageError

_COLUMNS = 100


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
    fitting: Fitting = False,
    capability: Capability = None,
    weight: Weight = None,
    like: Annotated[
        Like,
        typer.Option(
            help="of `normal`: all, same processors (cpu), same network",
        ),
    ] = Like.ALL,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--beside",
            metavar="FOLDER",
            help="of `normal`: also these machine files",
            envvar="MACHMETER_BESIDE",
            show_default=False,
        ),
    ] = None,
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
    machmeter compare last normal               # is it normal today?
    machmeter compare gordon comet --score throughput --adjusted
    machmeter compare BASE RUN --score spec --fitting   # two runs of `codes`
    ```
    """
    check_format(file_format, as_json=as_json)
    if NORMAL in machines:
        if score or score_over or adjusted or fitting or capability or weight:
            raise UsageError(
                "`normal` has no scores", "leave out --score, --adjusted, --capability and --weight"
            )
        request = NormalRequest(tuple(benchmark or ()), like, folder)
        _normal(machines, request, file_format, every=every, as_json=as_json)
        return
    if like is not Like.ALL:
        raise UsageError("--like is of `normal`", "`machmeter compare last normal --like cpu`")
    from machmeter.api.comparing import compare as compare_machines
    from machmeter.cli.consoles import text_console
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.report.documents.comparison import comparison_document
    from machmeter.report.terminal.comparison import print_comparison
    from machmeter.report.terminal.scores import print_scores

    found = compare_machines(
        machines,
        benchmarks=benchmark or (),
        score=score_requested(
            score, score_over, capability, weight, adjusted=adjusted, fitting=fitting
        ),
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
    print_scores(found.scores, console)


class NormalRequest(NamedTuple):
    """What the options of `normal` say."""

    benchmarks: tuple[str, ...]
    """Of which key results are shown; empty: all."""
    like: Like
    """Which machines count."""
    folder: Path | None
    """With machine files of one's own."""


def _normal(
    machines: list[str],
    request: NormalRequest,
    file_format: DocumentFormat,
    *,
    every: bool,
    as_json: bool,
) -> None:
    """Compare one machine with those of today."""
    from machmeter.api.normal.placing import normal, refuse_ambiguous
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document, text_columns
    from machmeter.report.normal.document import normal_document

    refuse_ambiguous()
    if len(machines) != 2 or machines[1] != NORMAL or machines[0] == NORMAL:
        raise UsageError("`normal` is compared with one machine", "`machmeter compare last normal`")
    found = normal(
        machines[0],
        benchmarks=request.benchmarks,
        like=request.like,
        folder=request.folder,
        context=command_context(),
    )
    if as_json:
        print_json(found)
        return
    columns = text_columns(_COLUMNS) or _COLUMNS
    drawn = columns if file_format is DocumentFormat.TEXT else 0
    document = normal_document(found, every=every, refused=every, drawn=drawn)
    print_document(document, file_format, most_columns=_COLUMNS)

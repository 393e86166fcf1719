"""`machmeter compare`: machines beside one another."""

from __future__ import annotations

from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_machine
from machmeter.cli.options.score_options import (
    Adjusted,
    Benchmarks,
    Capability,
    ScoreMadeOf,
    ScoreWish,
    Weight,
    score_requested,
)


def compare(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    machines: Annotated[
        list[str],
        typer.Argument(
            help="Two or more: a run (its id or how that begins, its folder, `last`), runs of one "
            "machine (RUN,RUN), one MPI library of a run (RUN@LIBRARY), one side of an A/B run "
            "(RUN@baseline, RUN@candidate), a published machine, a machine's file, or what another "
            "tool printed.",
            autocompletion=complete_machine,
            show_default=False,
        ),
    ],
    benchmark: Benchmarks = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every row, note and refusal, not only the largest.")
    ] = False,
    score: ScoreWish = None,
    score_over: ScoreMadeOf = None,
    adjusted: Adjusted = False,
    capability: Capability = None,
    weight: Weight = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Set machines beside the first one: ratios with intervals, and who is ahead in what.

    Only like is compared with like: the same benchmark, point, metric and unit. What looks alike
    and is not is listed with the definition that differs. Ratios are turned so that above 1 the
    other machine is better. Published values without an interval are shown as printed.

    Examples:

    ```text
    machmeter compare gordon comet                  # two published machines
    machmeter compare last louhi                    # the last run beside a published machine
    machmeter compare 20261120 20261121             # two runs, by how their ids begin
    machmeter compare RUN1,RUN2 RUN3,RUN4           # runs of a machine taken together
    machmeter compare last@mpich last@openmpi       # two MPI libraries of one run, paired
    machmeter compare last osu_latency.txt          # beside what another tool printed
    machmeter compare gordon comet --score throughput --adjusted
    ```
    """
    from machmeter.api.comparing import compare as compare_machines
    from machmeter.cli.context import command_context
    from machmeter.cli.output import print_json, text_console
    from machmeter.report.terminal.compare_terminal import print_comparison
    from machmeter.report.terminal.score_terminal import print_score

    found = compare_machines(
        machines,
        benchmarks=benchmark or (),
        score=score_requested(score, score_over, capability, weight, adjusted=adjusted),
        context=command_context(),
    )
    if as_json:
        print_json(found)
        return
    console = text_console()
    print_comparison(found.machines, found.comparisons, console, every=every)
    for one in found.scores:
        print_score(one, console)

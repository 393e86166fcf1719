"""The options of scores and of what is compared, shared by `compare` and `report`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from machmeter.cli.options.completion import complete_benchmark
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import OptionGroup

if TYPE_CHECKING:
    from machmeter.api.scores import ScoreRequest

# Beyond these a weight or a capability is no statement of a machine, and products leave a double.
_SMALLEST, _LARGEST = 1e-9, 1e9


class ScoreName(StrEnum):
    """Scores of many codes; `machmeter.analysis.scores.scores` defines each."""

    SPEC = "spec"
    SSP = "ssp"
    SSI = "ssi"
    THROUGHPUT = "throughput"


class ScoreOver(StrEnum):
    """What a score is made of."""

    APPLICATIONS = "applications"
    ALL = "all"


Benchmarks = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        "-b",
        metavar="NAME",
        help="only this benchmark or group (repeatable)",
        autocompletion=complete_benchmark,
        rich_help_panel=OptionGroup.WHAT,
    ),
]
ScoreOption = Annotated[
    ScoreName | None,
    typer.Option(
        "--score",
        metavar="NAME",
        help="score against the baseline: spec, ssp, ssi, throughput",
        rich_help_panel="Score",
    ),
]
ScoreOverOption = Annotated[
    ScoreOver | None,
    typer.Option(
        "--score-over",
        metavar="WHAT",
        help="with `--score spec`: applications or all results  [default: applications]",
        show_default=False,
        rich_help_panel="Score",
    ),
]
Adjusted = Annotated[
    bool,
    typer.Option(
        "--adjusted", help="over the codes that all machines have", rich_help_panel="Score"
    ),
]
Fitting = Annotated[
    bool,
    typer.Option(
        "--fitting",
        help="with `--score spec` of runs of codes: also over codes that fit both machines",
        rich_help_panel="Score",
    ),
]
Capability = Annotated[
    list[str] | None,
    typer.Option(
        "--capability",
        metavar="CODE=FACTOR",
        help="with `--score ssi`: times the problem of CODE was larger (repeatable)",
        rich_help_panel="Score",
    ),
]
Weight = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="CODE=WEIGHT",
        help="with `--score ssi`: weight of CODE (repeatable)",
        rich_help_panel="Score",
    ),
]


def score_requested(
    score: ScoreName | None,
    score_over: ScoreOver | None,
    capability: Sequence[str] | None,
    weight: Sequence[str] | None,
    *,
    adjusted: bool,
    fitting: bool = False,
) -> ScoreRequest | None:
    """The score that the options request; None where they request none.

    Raises UsageError for an option of another score, or without one.
    """
    from machmeter.analysis.scores.scores import ScoreKind
    from machmeter.api.scores import ScoreRequest

    if adjusted and score is None:
        raise UsageError("--adjusted needs --score", "name a score, or leave it out")
    if fitting and score is not ScoreName.SPEC:
        raise UsageError("--fitting needs `--score spec`", "leave it out")
    if score_over is not None and score is not ScoreName.SPEC:
        raise UsageError("--score-over needs `--score spec`", "leave it out")
    if (capability or weight) and score is not ScoreName.SSI:
        raise UsageError("--capability and --weight need `--score ssi`", "leave them out")
    if score is None:
        return None
    return ScoreRequest(
        ScoreKind(score.value),
        adjusted,
        score_over is ScoreOver.ALL,
        numbers_by_code("--capability", capability or ()),
        numbers_by_code("--weight", weight or ()),
        fitting,
    )


def numbers_by_code(option: str, texts: Sequence[str]) -> dict[str, float]:
    """`CODE=NUMBER` options by code. Raises UsageError for what is no number from 1e-9 to 1e9."""
    found = {}
    for text in texts:
        code, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not (code and _SMALLEST <= value <= _LARGEST):
            raise UsageError(
                f"{option} {text!r} is not CODE=NUMBER, from {_SMALLEST:g} to {_LARGEST:g}",
                f"{option} neuron=4",
            )
        found[code] = value
    return found

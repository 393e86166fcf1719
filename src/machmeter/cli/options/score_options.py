"""The options of scores and of what is compared, as `compare` and `report` share them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from machmeter.cli.options.completion import complete_benchmark


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
        help="Only this benchmark or group; may be given several times.",
        autocompletion=complete_benchmark,
    ),
]
ScoreWish = Annotated[
    ScoreName | None,
    typer.Option("--score", help="A score against the first machine, after its components."),
]
ScoreMadeOf = Annotated[
    ScoreOver | None,
    typer.Option(
        "--score-over",
        help="What `--score spec` is made of; applications where it is left out.",
        show_default=False,
    ),
]
Adjusted = Annotated[
    bool,
    typer.Option("--adjusted", help="Where codes are missing: an adjusted score over the rest."),
]
Capability = Annotated[
    list[str] | None,
    typer.Option(
        "--capability", help="CODE=FACTOR: how many times larger its problem was (for ssi)."
    ),
]
Weight = Annotated[
    list[str] | None,
    typer.Option("--weight", help="CODE=WEIGHT among the others (for ssi)."),
]

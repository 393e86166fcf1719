"""Options of runs that are jobs of a batch system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.model.layout_fields import OptionGroup

RequestFile = Annotated[
    Path | None,
    typer.Option(
        "--request",
        metavar="FILE",
        path_type=Path,
        help="what `--submit` wrote (inside its job)",
        rich_help_panel=OptionGroup.BATCH,
    ),
]
Submit = Annotated[
    bool,
    typer.Option(
        "--submit",
        help="as a Slurm job, from a login node",
        rich_help_panel=OptionGroup.BATCH,
    ),
]
SbatchOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--sbatch",
        metavar="OPTION",
        help="for sbatch: --partition=cpu (repeatable)",
        rich_help_panel=OptionGroup.BATCH,
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        help="submit at once",
        rich_help_panel=OptionGroup.BATCH,
    ),
]
ScriptsOnly = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="with --submit: print the scripts, submit nothing",
        rich_help_panel=OptionGroup.BATCH,
    ),
]
MaxNodeHours = Annotated[
    float | None,
    typer.Option(
        metavar="HOURS",
        help="submit no job that may take more",
        min=0,
        rich_help_panel=OptionGroup.BATCH,
    ),
]
"""Of whole nodes, for as long as the job's limit lets it run."""

"""The script of a job that measures: what Slurm is to give it, and one command."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from machmeter.launch.batch.slurm import limit_seconds
from machmeter.model.errors import UsageError
from machmeter.model.plan.submission import Allocation

_MINUTE = 60.0
# Compiling, starting and writing pages beside what is measured: of the budget, and seconds.
_MORE_THAN_BUDGET, _OTHER_SECONDS = 1.2, 600.0
# Before the limit, so that pages are written.
_SIGNAL_SECONDS = 60
_TIME = re.compile(r"(?:--time=|-t)(.+)")
_NODES = re.compile(r"(?:--nodes[= ]|-N)")
# What needs no quotes in a line of a script that Slurm reads (sbatch(1)).
_PLAIN = re.compile(r"-[!$-&(-\[\]-~]+")


def allocation_of(nodes: int, budget_seconds: float, options: Sequence[str]) -> Allocation:
    """What a run of that budget takes; the limit of a `--time` among the options counts.

    Raises UsageError for what is no option of sbatch, would be read otherwise in a script, or says
    how many nodes.
    """
    seconds = _MORE_THAN_BUDGET * budget_seconds + _OTHER_SECONDS
    for option in options:
        if not _PLAIN.fullmatch(option):
            raise UsageError(
                f"--sbatch: {option!r} is no option of sbatch without spaces and quotes",
                "write --sbatch=--partition=NAME, once for each option",
            )
        if _NODES.match(option):
            raise UsageError(f"--sbatch: {option} says how many nodes", "say it with --nodes")
        if found := _TIME.fullmatch(option):
            limit = limit_seconds(found[1])
            if limit is None or limit <= 0:
                raise UsageError(
                    f"--sbatch: {option} is no time", "write --sbatch=--time=MINUTES or =H:MM:SS"
                )
            seconds = limit
    return Allocation(nodes, _MINUTE * math.ceil(seconds / _MINUTE), tuple(options))


def script_of(allocation: Allocation, log: Path, command: Sequence[str]) -> str:
    """The script: whole nodes, a SIGTERM a minute before the limit, begun again where a node fails.

    log: takes what the command prints; `%j` is the number of the job.
    """
    own = (
        "--job-name=machmeter",
        f"--nodes={allocation.nodes}",
        "--exclusive",
        f"--time={round(allocation.seconds / _MINUTE)}",
        f'--output="{log}"',
        "--open-mode=append",
        "--requeue",
        f"--signal=B:TERM@{_SIGNAL_SECONDS}",
    )
    lines = [f"#SBATCH {option}" for option in (*own, *allocation.options)]
    return "\n".join(("#!/bin/sh", *lines, f"exec {shlex.join(command)}", ""))

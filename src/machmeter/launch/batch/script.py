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
# SIGTERM before the limit, so that pages are written: of the limit, and seconds.
_SIGNAL_SHARE, _LEAST_SIGNAL, _MOST_SIGNAL = 0.2, 15, 60
# Slurm may send it so much sooner (sbatch(1), --signal).
_SOONER_SECONDS = 60
# What is measured within less says nothing.
_LEAST_SECONDS = 5.0
# Long options alone, with what needs no quotes in a line of a script that Slurm reads (sbatch(1)).
_OPTION = re.compile(r"--([a-z][a-z0-9-]*)(?:=([!$-&(-\[\]-~]+))?")
_OWN = {
    "nodes": "say how many with --nodes of machmeter",
    "time-min": "name the limit: --sbatch=--time=MINUTES",
    "array": "a run is one job: submit others with an --output of their own",
    "clusters": "submit it from a login node of that cluster",
    **dict.fromkeys(("exclusive", "oversubscribe", "share"), "a job has whole nodes"),
    **dict.fromkeys(("output", "error", "open-mode"), "what it prints is in the folder of its run"),
    "signal": "it comes before the limit already, so that pages are written",
    **dict.fromkeys(("wait", "parsable"), "follow the job with `machmeter attach`"),
    "wrap": "machmeter writes the script",
    "test-only": "`--dry-run` submits nothing",
    **dict.fromkeys(("help", "usage", "version"), "leave it out: no job is submitted with it"),
}


def is_option(option: str, name: str) -> bool:
    """Whether `--NAME` or `--NAME=VALUE` is that option of sbatch, which takes the beginning of a
    name too; one of several names is refused by sbatch, or by `allocation_of`."""
    given = option.removeprefix("--").partition("=")[0]
    return bool(given) and name.startswith(given)


def allocation_of(nodes: int, budget_seconds: float, options: Sequence[str]) -> Allocation:
    """What a run of that budget takes; the limit of a `--time` among the options counts.

    Raises UsageError for what is no long option of sbatch, would be read otherwise in a script,
    would change what the job costs or how it is followed, or leaves no time to measure.
    """
    seconds = _MORE_THAN_BUDGET * budget_seconds + _OTHER_SECONDS
    for option in options:
        found = _OPTION.fullmatch(option)
        if not found:
            raise UsageError(
                f"--sbatch: {option!a} is not --NAME or --NAME=VALUE without spaces and quotes",
                "write --sbatch=--partition=NAME, once for each option",
            )
        name, value = found.groups()
        if name == "time":
            limit = limit_seconds(value or "")
            if limit is None or limit <= 0:
                raise UsageError(
                    f"--sbatch: {option} is no time", "write --sbatch=--time=MINUTES or =H:MM:SS"
                )
            seconds = limit
            continue
        own = next((one for one in (*_OWN, "time") if is_option(option, one)), None)
        if own:
            raise UsageError(
                f"--sbatch: {option} is not for a job that measures",
                _OWN.get(own, "write --time whole"),
            )
    if seconds - reserve_seconds(seconds) < _LEAST_SECONDS:
        least = math.ceil((_SOONER_SECONDS + _LEAST_SIGNAL + _LEAST_SECONDS) / _MINUTE)
        raise UsageError(
            f"--sbatch: a limit of {seconds:.0f} s leaves no time to measure and to write pages",
            f"name a longer one: --sbatch=--time={least} at least",
        )
    return Allocation(nodes, _MINUTE * math.ceil(seconds / _MINUTE), tuple(options))


def signal_seconds(limit: float) -> int:
    """How long before its limit a job gets SIGTERM, seconds: shorter where the limit is short."""
    return round(min(_MOST_SIGNAL, max(_LEAST_SIGNAL, _SIGNAL_SHARE * limit)))


def reserve_seconds(limit: float) -> float:
    """How much of a limit is not for measuring: SIGTERM may come then."""
    return signal_seconds(limit) + _SOONER_SECONDS


def script_of(allocation: Allocation, log: Path, command: Sequence[str]) -> str:
    """The script: whole nodes, a SIGTERM before the limit, begun again where a node fails.

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
        "--no-kill",
        f"--signal=B:TERM@{signal_seconds(allocation.seconds)}",
    )
    lines = [f"#SBATCH {option}" for option in (*own, *allocation.options)]
    return "\n".join(("#!/bin/sh", *lines, f"exec {shlex.join(command)}", ""))

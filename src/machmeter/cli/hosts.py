"""Which hosts a run reaches, and by what program."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from machmeter.cli.options import parse_hosts
from machmeter.launch.slurm import hosts_of_allocation
from machmeter.model.errors import UsageError

OF_SLURM = "slurm"


def hosts_asked(text: str) -> tuple[str, ...]:
    """The hosts that `--hosts` names, or those of the surrounding Slurm job.

    Raises UsageError for what are no names, MachineLacksError where there is no Slurm job.
    """
    if text.strip() == OF_SLURM:
        return hosts_of_allocation(os.environ)
    return parse_hosts(text)


def agent_asked(text: str) -> str:
    """The absolute path of the program that `--agent` names; empty where none is.

    Raises UsageError where it cannot be started.
    """
    if not text:
        return ""
    found = shutil.which(str(Path(text).expanduser()))
    if not found:
        raise UsageError(f"--agent: {text} is no program that can be started", "name its path")
    return str(Path(found).absolute())

"""The hosts of the Slurm job that surrounds a run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

from machmeter.model.errors import MachineLacksError

_TIMEOUT_SECONDS = 30
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_REMEDY = "start machmeter inside a job (salloc or sbatch), or name the hosts with --hosts n1,n2"


def hosts_of_allocation(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Host names of the surrounding Slurm job, in the job's order.

    Raises MachineLacksError where there is no job, or Slurm does not name its hosts.
    """
    nodes = environment.get("SLURM_JOB_NODELIST", "")
    if not nodes or "SLURM_JOB_ID" not in environment:
        raise MachineLacksError("there is no Slurm job around this run", _REMEDY)
    try:
        answer = subprocess.run(
            ["scontrol", "show", "hostnames", nodes],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=True,
            env=dict(environment),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MachineLacksError(
            f"scontrol does not name the job's hosts: {error}", _REMEDY
        ) from error
    hosts = tuple(answer.stdout.split())
    if not hosts or not all(_HOST.fullmatch(host) for host in hosts):
        raise MachineLacksError(f"scontrol names no usable hosts for {nodes}", _REMEDY)
    return hosts

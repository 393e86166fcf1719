"""The hosts of a Slurm job, as its own command tells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.launch.slurm import hosts_of_allocation
from machmeter.model.errors import MachineLacksError

JOB = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]"}


def environment(folder: Path, script: str) -> dict[str, str]:
    """A job, and a `scontrol` that answers in its way."""
    path = folder / "scontrol"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return JOB | {"PATH": f"{folder}:/usr/bin:/bin"}


def test_hosts_are_those_that_scontrol_tells_in_its_order(tmp_path: Path) -> None:
    script = '[ "$*" = "show hostnames n[1-2]" ] && printf "n2\\nn1\\n"'
    assert hosts_of_allocation(environment(tmp_path, script)) == ("n2", "n1")


@pytest.mark.parametrize("missing", list(JOB))
def test_without_a_job_the_remedy_is_told(missing: str) -> None:
    outside = {name: value for name, value in JOB.items() if name != missing}
    with pytest.raises(MachineLacksError, match="no Slurm job around") as told:
        hosts_of_allocation(outside)
    assert "salloc" in told.value.remedy


@pytest.mark.parametrize(
    "script", ["exit 1", "true", "echo '-oProxyCommand=x'", "echo 'a;b'", "head -c 300 /dev/zero"]
)
def test_an_answer_that_names_no_hosts_is_told(script: str, tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="scontrol"):
        hosts_of_allocation(environment(tmp_path, script))


def test_a_machine_without_scontrol_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="scontrol"):
        hosts_of_allocation(JOB | {"PATH": str(tmp_path)})

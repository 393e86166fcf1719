"""What Slurm's commands offer, and the job around a process, as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.launch.batch.cluster import (
    Cluster,
    Partition,
    accounts,
    cluster_seen,
    mpi_types,
    partitions,
)
from machmeter.launch.batch.slurm import Job
from tests.support.processes.native_programs import executable

SINFO = """\
[ "$1" = --version ] && echo 'slurm-wlm 22.05.8' && exit
echo 'cpu*|up|1-00:00:00|1/2/1/4|64'
"""


def answering(folder: Path, **scripts: str) -> dict[str, str]:
    """An environment with commands of Slurm that answer in their way."""
    for command, script in scripts.items():
        executable(folder / command, script)
    return {"PATH": f"{folder}:/usr/bin:/bin", "USER": "somebody"}


def test_partitions_of_several_lines_are_one(tmp_path: Path) -> None:
    lines = (
        "printf 'cpu*|up|1-00:00:00|1/1/1/3|64\\ncpu*|up|1-00:00:00|0/1/0/1|64\\n"
        "gpu|down|n/a|0/0/2/2|16+\\nx\\n'"
    )
    assert partitions(answering(tmp_path, sinfo=lines)) == (
        Partition("cpu", True, "up", "1-00:00:00", 4, 3, "64"),
        Partition("gpu", False, "down", "n/a", 2, 0, "16+"),
    )
    assert partitions(answering(tmp_path, sinfo="exit 1")) == ()


def test_accounts_and_mpi_types_are_listed_where_slurm_says_them(tmp_path: Path) -> None:
    one = "echo a1; echo a2; echo a1"
    assert accounts(answering(tmp_path, sacctmgr=one)) == ("a1", "a2")
    assert accounts(answering(tmp_path, sacctmgr="exit 1")) == ()
    old = "printf 'srun: MPI types are...\\nsrun: none\\nsrun: pmi2\\n' >&2"
    assert mpi_types(answering(tmp_path, srun=old)) == ("none", "pmi2")
    new = "printf 'MPI plugin types are...\\n\\tnone\\n\\tpmix\\nspecific pmix plugin: pmix_v4\\n'"
    assert mpi_types(answering(tmp_path, srun=new)) == ("none", "pmix")


def test_the_job_around_a_process_is_a_part_of_what_is_seen(tmp_path: Path) -> None:
    outside = answering(tmp_path, sinfo=SINFO, squeue="echo 'RUNNING|9:59|n[1-2]|None'")
    cpu = Partition("cpu", True, "up", "1-00:00:00", 4, 3, "64")
    assert cluster_seen(outside) == Cluster("slurm-wlm 22.05.8", (cpu,), (), ())
    inside = outside | {"SLURM_JOB_ID": "7"}
    assert cluster_seen(inside).job == Job("7", "RUNNING", "", "n[1-2]", 599.0)
    answering(tmp_path, squeue="exit 1")
    assert cluster_seen(inside).job == Job("7", "")


@pytest.mark.parametrize("sinfo", ["exit 1", "[ $1 = --version ] && echo slurm 9 || exit 1", "x"])
def test_a_slurm_that_does_not_answer_is_asked_nothing_more(sinfo: str, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    silent = answering(tmp_path, sinfo=sinfo, srun=f"touch {asked}", sacctmgr=f"touch {asked}")
    assert cluster_seen(silent).partitions == ()
    assert not asked.exists()


def test_a_slurm_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("machmeter.launch.batch.cluster._PATIENCE_SECONDS", 0.05)
    assert cluster_seen(answering(tmp_path, sinfo="exec sleep 60")) == Cluster("", (), (), ())

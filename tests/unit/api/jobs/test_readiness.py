"""What `doctor` says of a batch system: where one answers, and with the command that measures."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.jobs.readiness import check_readiness, slurm_diagnosis
from machmeter.launch.batch.cluster import Cluster, Partition
from machmeter.launch.batch.slurm import Job
from tests.support.processes.native_programs import executable

DEFAULT = Partition("cpu", True, "up", "1-00:00:00", 4, 3, "64")
GPU = Partition("gpu", False, "up", "infinite", 2, 2, "16")
LOGIN = Cluster("slurm 24.11.5", (GPU, DEFAULT), ("a1",), ("pmix",))


@pytest.mark.parametrize(
    ("cluster", "command"),
    [
        (LOGIN, "`machmeter run nodes --submit --nodes 3`"),
        (
            replace(LOGIN, partitions=(replace(DEFAULT, state="down"), GPU)),
            "`machmeter run nodes --submit --nodes 2 --sbatch=--partition=gpu`",
        ),
        (replace(LOGIN, partitions=(replace(DEFAULT, nodes_up=0),)), "no partition has a node"),
        (replace(LOGIN, job=Job("7", "RUNNING", "", "n1", 60.0)), "nodes --hosts slurm`"),
    ],
)
def test_the_command_fits_where_one_is(cluster: Cluster, command: str) -> None:
    assert command in slurm_diagnosis(cluster).remedy


def test_what_slurm_offers_is_said() -> None:
    said = slurm_diagnosis(LOGIN).found
    for part in ("slurm 24.11.5", "login node", "cpu (default) up, 3 of 4 nodes", "a1", "pmix"):
        assert part in said
    job = Job("7", "RUNNING", "", "n[1-2]", 599.0)
    inside = slurm_diagnosis(replace(LOGIN, job=job)).found
    assert "job 7 on n[1-2] with 9 min 59 s left" in inside
    assert "login node" not in inside


def test_there_is_nothing_where_no_slurm_answers(tmp_path: Path) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    context = Context(environment=environment, data=tmp_path / "data", cache=tmp_path / "cache")
    executable(folder / "sinfo", "exit 1")
    alone = check_readiness(context=context)
    assert alone.slurm is None
    assert "Slurm" not in {one.what for one in alone.diagnoses}
    executable(folder / "sinfo", "echo 'cpu*|up|1:00|1/2/1/4|64'")
    found = check_readiness(context=context)
    assert found.slurm is not None
    assert "Slurm" in {one.what for one in found.diagnoses}

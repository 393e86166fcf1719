"""A program of MPI ranks over several hosts: every layout on both, every rank seen on its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from machmeter.build.mpi import MpiInstall
from tests.support.processes import hosts_in_namespaces, slurm_of_processes
from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand, verdicts

pytestmark = pytest.mark.alone

NAMES = ("node-a", "node-b")
# Each rank says where it is, and that all of them met.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
    int rank, size;
    char host[256];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    gethostname(host, sizeof host);
    printf("rank %d of %d on %s\\n", rank, size, host);
    MPI_Finalize();
    return 0;
}
"""


def compiled(mpich: MpiInstall, folder: Path) -> None:
    (folder / "p.c").write_text(PROGRAM)
    mpicc = Path(mpich.prefix) / "bin" / "mpicc"
    subprocess.run([mpicc, "-O1", "p.c", "-o", "p"], cwd=folder, check=True, timeout=60)


def explored(
    mpich: MpiInstall, command: MachmeterCommand, folder: Path, *hosts: str, under: tuple[str, ...]
) -> str:
    """What a run over both hosts prints; each rank was where its layout says."""
    compiled(mpich, folder)
    run = folder / "run"
    done = command.run(
        *("explore", *hosts, "--ranks", "2", "--threads", "1", "--launches", "2"),
        *("--budget", "120s", "--mpi", mpich.prefix, "--output", str(run)),
        *("--", str(folder / "p")),
        under=under,
        seconds=300,
    )
    # Two hosts that share two cores may be called contended, and nothing else.
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    records = [path.read_text() for path in sorted((run / "launches").glob("*.jsonl"))]
    headers = [json.loads(record.splitlines()[0]) for record in records]
    found = [header for header in headers if header["benchmark"].startswith("explore.")]
    # Nothing set: a rank on every core of both hosts; else one on each.
    assert len({header["world_size"] for header in found}) == 2
    for header in found:
        places = [place["host"] for place in header["places"]]
        half = header["world_size"] // 2
        assert places == [NAMES[0]] * half + [NAMES[1]] * half
    assert all(set(ended) <= {"accepted", "contended"} for ended in verdicts(run).values())
    return done.stdout


def test_ranks_of_a_program_run_on_both_hosts(
    mpich: MpiInstall, cache_for_runs: Path, tmp_path: Path
) -> None:
    if reason := hosts_in_namespaces.why_not():
        pytest.skip(reason)
    command = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP)
    shell = ("--remote-shell", str(tmp_path / "agent"))
    hosts = ("--hosts", ",".join(NAMES), "--one-machine", *shell)
    under = hosts_in_namespaces.inside(tmp_path, NAMES)
    said = explored(mpich, command, tmp_path, *hosts, under=under)
    # Longer than the terminal is wide: a line to copy is whole.
    assert "-hosts node-a,node-b -ppn " in said
    assert "srun" not in said


def test_ranks_of_a_program_run_on_all_nodes_of_a_job(
    mpich: MpiInstall,
    cache_for_runs: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if reason := slurm_of_processes.why_not():
        pytest.skip(reason)
    command = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP)
    under = slurm_of_processes.in_job(tmp_path_factory.mktemp("slurm"), NAMES)
    said = explored(mpich, command, tmp_path, "--hosts", "slurm", "--one-machine", under=under)
    assert "-hosts" not in said
    assert "--ntasks-per-node=" in said


@pytest.mark.full
def test_in_a_job_of_one_node_the_line_of_srun_is_tried(
    mpich: MpiInstall,
    cache_for_runs: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if reason := slurm_of_processes.why_not():
        pytest.skip(reason)
    command = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP)
    compiled(mpich, tmp_path)
    run, script = tmp_path / "run", tmp_path / "job.sh"
    done = command.run(
        *("explore", "--hosts", "slurm", "--ranks", "2", "--threads", "1", "--launches", "2"),
        *("--budget", "120s", "--mpi", mpich.prefix, "--output", str(run)),
        *("--script", str(script), "--", str(tmp_path / "p")),
        under=slurm_of_processes.in_job(tmp_path_factory.mktemp("slurm"), NAMES[:1]),
        seconds=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tried = json.loads((run / "tried.json").read_text())
    *_, line = tried["lines"]
    assert line.startswith("srun -N 1 -n 2 ")
    assert tried["problems"] == []
    assert script.read_text().splitlines()[-1] == line

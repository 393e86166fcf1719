"""A program of MPI ranks over several hosts: every layout on both, every rank seen on its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from machmeter.build.mpi import MpiInstall
from tests.support.processes.hosts_in_namespaces import inside, why_not
from tests.support.processes.machmeter_command import MachmeterCommand, verdicts

pytestmark = pytest.mark.alone

NAMES = ("node-a", "node-b")
BY_TCP = {"FI_PROVIDER": "tcp", "MPIR_CVAR_CH4_NETMOD": "ofi"}
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


@pytest.fixture(autouse=True)
def _namespaces() -> None:
    reason = why_not()
    if reason:
        pytest.skip(reason)


def test_ranks_of_a_program_run_on_both_hosts(
    mpich: MpiInstall, cache_for_runs: Path, tmp_path: Path
) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    mpicc = Path(mpich.prefix) / "bin" / "mpicc"
    subprocess.run([mpicc, "-O1", "p.c", "-o", "p"], cwd=tmp_path, check=True, timeout=60)
    command, run = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    words = ("explore", "--hosts", ",".join(NAMES), "--remote-shell", str(tmp_path / "agent"))
    more = ("--ranks", "2", "--threads", "1", "--launches", "2", "--budget", "120s")
    done = command.run(
        *words,
        *more,
        *("--mpi", mpich.prefix, "--output", str(run), "--", str(tmp_path / "p")),
        under=inside(tmp_path, NAMES),
        seconds=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "-ppn " in done.stdout
    records = [path.read_text() for path in sorted((run / "launches").glob("*.jsonl"))]
    headers = [json.loads(record.splitlines()[0]) for record in records]
    explored = [header for header in headers if header["benchmark"].startswith("explore.")]
    # Nothing set: a rank on every core of both hosts; else one on each.
    assert len({header["world_size"] for header in explored}) == 2
    for header in explored:
        places = [place["host"] for place in header["places"]]
        half = header["world_size"] // 2
        assert places == [NAMES[0]] * half + [NAMES[1]] * half
    assert all(set(ended) == {"accepted"} for ended in verdicts(run).values())

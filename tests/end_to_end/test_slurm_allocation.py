"""A run inside a real Slurm job over two nodes: its steps reach both, and end with the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand, verdicts
from tests.support.processes.slurm_of_processes import in_job, on_login

NAMES = ("node-a", "node-b")
TWO_LAUNCHES = (
    *("--min-launches", "2", "--max-launches", "2", "--mpi", "mpich"),
    *("--hosts", "slurm", "--one-machine"),
)
# What comes behind it is sent SIGTERM as soon as it has a step of its own in this job.
# What starts before the run has a folder are steps too.
ENDED_IN_A_STEP = """
"$@" &
until grep --quiet network.collective {folder}/launches/*.launch.json 2>/dev/null &&
    squeue --noheader --steps --format=%i | grep --quiet --invert-match '\\.batch$'; do
    kill -0 $! || exit 96
    sleep 0.2
done
kill -TERM $!
wait $!
"""
# Launches of more seconds than a step may take to go.
MANY_SIZES = ",".join(str(size) for size in range(8, 200, 8))


@pytest.fixture
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for Slurm's: it has sockets there, whose paths may have 107 characters at most."""
    return tmp_path_factory.mktemp("slurm")


def inside(folder: Path, around: tuple[str, ...] = ()) -> tuple[str, ...]:
    return (*in_job(folder, NAMES), *around)


# The variables of a step around us speak of one node and one CPU.
@pytest.mark.parametrize("around", [(), ("srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=1")])
def test_ranks_run_on_all_nodes_of_the_job(
    around: tuple[str, ...], cache_for_runs: Path, daemons: Path, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    asked = ("network.latency", "--set", "size=8", "--nodes", "2", "--budget", "20s")
    under = inside(daemons, around)
    done = command.run("run", *asked, *TWO_LAUNCHES, "--output", folder, under=under, seconds=500)
    assert done.returncode == 0, done.stdout + done.stderr
    records = [path.read_text() for path in sorted((folder / "launches").glob("*.jsonl"))]
    headers = [json.loads(record.splitlines()[0]) for record in records]
    ours = [header for header in headers if header["benchmark"] == "network.latency"]
    assert len(ours) == 2
    for header in ours:
        assert [place["host"] for place in header["places"]] == list(NAMES)
        assert header["world_size"] == 2
    assert all(set(ended) == {"accepted"} for ended in verdicts(folder).values())
    shown = command.run("findings", folder).stdout
    for said in (done.stdout, shown):
        assert "! Nodes node-a, node-b were one machine" in said


def test_from_salloc_on_a_login_node_it_is_the_same_and_ends_before_the_job(
    cache_for_runs: Path, daemons: Path, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    asked = ("network.latency", "--set", "size=8", "--nodes", "2", "--budget", "60s")
    # A part of what it says of tasks would be the step's.
    allocated = ("salloc", "--nodes=2", "--exclusive", "--time=2", "--ntasks-per-node=2")
    under = (*on_login(daemons, ("login", *NAMES)), *allocated)
    done = command.run("run", *asked, *TWO_LAUNCHES, "--output", folder, under=under, seconds=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(set(ended) == {"accepted"} for ended in verdicts(folder).values())
    header = json.loads((folder / "run.json").read_text())
    assert header["request"]["layout_options"]["hosts"] == list(NAMES)
    # Of two minutes, 75 s are for pages.
    assert 5 <= header["request"]["precision"]["budget_seconds"] <= 45
    assert "what the job has left" in done.stderr


def test_a_run_that_is_ended_leaves_no_step_of_the_job_behind(
    cache_for_runs: Path, daemons: Path, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    asked = ("network.collective", "--set", f"size={MANY_SIZES}", "--budget", "120s")
    under = inside(daemons, ("bash", "-c", ENDED_IN_A_STEP.format(folder=folder), "ended"))
    done = command.run("run", *asked, *TWO_LAUNCHES, "--output", folder, under=under, seconds=500)
    # The job says with another code that steps were left.
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"--resume {folder}" in done.stdout

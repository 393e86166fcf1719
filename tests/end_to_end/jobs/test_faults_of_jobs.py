"""What befalls jobs of a real Slurm: each point is measured once all the same, and nothing is left.

The hosts' own exit code tells of processes that are left on any of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand, verdicts
from tests.support.processes.slurm_of_processes import on_login

pytestmark = pytest.mark.full

NAMES = ("login", "node-a", "node-b")
# As many as two jobs have at once.
TWICE = (*NAMES, "node-c", "node-d")
LAUNCHES = 24
# `measured N`: as soon as so many launches have ended; the hosts are namespaces of one machine.
PRELUDE = """
set -e
folder={folder}
machmeter() {{ {python} -m machmeter "$@"; }}
submit() {{
    machmeter run network.latency --set size=8,64,512 --nodes 2 --one-machine --mpi mpich \\
        --min-launches {launches} --max-launches {launches} --budget 300s \\
        --submit --yes --output $folder "$@"
}}
again() {{ machmeter run --resume $folder --submit --yes; }}
measured() {{
    for moment in $(seq 600); do
        [ $(ls $folder/launches 2>&- | grep -c outcome) -ge $1 ] && return
        sleep 0.1
    done
    return 1
}}
idle() {{
    for moment in $(seq 600); do
        [ -n "$(squeue --noheader)" ] || return 0
        sleep 0.1
    done
    squeue; return 1
}}
"""


class Jobs:
    """A Slurm with a login node, and the folder of a run that its jobs measure."""

    def __init__(self, command: MachmeterCommand, daemons: Path, folder: Path) -> None:
        self.command, self.daemons, self.folder = command, daemons, folder

    def run(self, script: str, launches: int = LAUNCHES, names: Sequence[str] = NAMES) -> str:
        """What a script on the login node prints; it has to end well, and leave no process."""
        before = PRELUDE.format(python=sys.executable, folder=self.folder, launches=launches)
        done = subprocess.run(
            [*on_login(self.daemons, names), "bash", "-c", before + script],
            env=self.command.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=500,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def assert_each_point_once(self) -> None:
        """The run has ended, and what was interrupted was launched again, once."""
        assert json.loads((self.folder / "state.json").read_text())["state"] == "finished"
        assert (self.folder / "report.html").exists()
        ended = verdicts(self.folder)
        (spec,) = (name for name in ended if name.startswith("network.latency"))
        assert ended[spec].count("accepted") == LAUNCHES, ended


@pytest.fixture
def jobs(
    cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> Iterator[Jobs]:
    command = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP)
    shared = tmp_path / "shared"
    shared.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "shared", str(shared)], check=True)
    yield Jobs(command, tmp_path_factory.mktemp("slurm"), shared / "run")
    subprocess.run(["umount", "--lazy", str(shared)], check=True)


def test_a_job_that_is_killed_five_times_measures_each_point_once(jobs: Jobs) -> None:
    jobs.run("""
submit
for time in 1 2 3 4 5; do
    measured $((time * 4))
    sleep 0.$((RANDOM % 10))
    scancel --signal=KILL --full $time
    idle
    again
done
machmeter attach $folder
idle
""")
    jobs.assert_each_point_once()


def test_a_job_that_is_requeued_goes_on_by_itself(jobs: Jobs) -> None:
    said = jobs.run("""
submit
measured 5
scontrol requeue 1
for moment in $(seq 100); do
    scontrol update JobId=1 StartTime=now 2>&- || true
    squeue --noheader --format=%T | grep RUNNING && break
    sleep 0.2
done
machmeter attach $folder
idle
scontrol show job 1 | grep -o 'Restarts=[0-9]*'
""")
    assert "Restarts=1" in said
    jobs.assert_each_point_once()


def test_a_job_that_is_suspended_goes_on(jobs: Jobs) -> None:
    jobs.run("""
submit
measured 5
scontrol suspend 1
sleep 5
scontrol resume 1
machmeter attach $folder
idle
""")
    jobs.assert_each_point_once()


def test_a_controller_that_stops_for_a_minute_ends_no_run(jobs: Jobs) -> None:
    jobs.run("""
submit
measured 5
pkill -STOP slurmctld
(sleep 60; pkill -CONT slurmctld) &
# A launch that waited for it for too long has failed, and was made again.
machmeter attach $folder || [ $? = 1 ]
wait
idle
""")
    jobs.assert_each_point_once()


def test_a_folder_that_gets_full_ends_a_job_with_words(jobs: Jobs) -> None:
    said = jobs.run("""
submit
measured 5
cat /dev/zero > $folder/../filling 2>&- || true
idle
if machmeter attach $folder; then exit 1; fi
rm $folder/../filling
again
machmeter attach $folder
idle
""")
    assert "the disk is full" in said
    assert "Traceback" not in said
    jobs.assert_each_point_once()


def test_a_folder_that_nodes_may_not_write_to_is_told(jobs: Jobs) -> None:
    said = jobs.run(f"""
on_nodes() {{ for node in node-a node-b; do {jobs.daemons}/agent $node "$1"; done; }}
on_nodes "mount -o remount,bind,ro $(dirname $folder)"
submit
code=0
machmeter attach $folder || code=$?
[ $code = 3 ]
on_nodes "mount -o remount,bind,rw $(dirname $folder)"
again
machmeter attach $folder
idle
""")
    assert "may not write there" in said
    jobs.assert_each_point_once()


def test_two_submissions_of_one_folder_at_once_measure_once(jobs: Jobs) -> None:
    said = jobs.run(
        """
submit & submit & wait
idle
cat $folder/job-*.log
machmeter attach $folder
""",
        names=TWICE,
    )
    assert "of this run is still there" in said or f"measures in {jobs.folder}" in said
    jobs.assert_each_point_once()


def test_a_job_at_its_time_limit_writes_its_page_and_leaves_nothing(jobs: Jobs) -> None:
    said = jobs.run(
        """
submit
measured 5
scontrol update JobId=1 TimeLimit=1
idle
if machmeter attach $folder; then exit 1; fi
""",
        launches=2000,
    )
    assert "Traceback" not in said
    assert json.loads((jobs.folder / "state.json").read_text())["state"] == "interrupted"
    assert (jobs.folder / "report.html").exists()

"""From a login node of a real Slurm: a run is a job, and another job continues what it began."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand, verdicts
from tests.support.processes.slurm_of_processes import run_on_login

NAMES = ("login", "node-a", "node-b")
# The hosts are namespaces of one machine.
ASKED = (
    "network.latency --set size=8 --nodes 2 --one-machine --mpi mpich --min-launches 8 "
    "--max-launches 8"
)
# The job is ended when it has measured something, and cannot be submitted twice before.
IN_TWO_JOBS = """
set -e
machmeter="{python} -m machmeter"
$machmeter run {asked} --budget 60s --submit --yes --output {folder}
if $machmeter run --resume {folder} --submit --yes; then exit 1; fi
for moment in $(seq 600); do
    ls {folder}/launches/0000[3-9].outcome.json 2>/dev/null && break
    sleep 0.1
done
scancel $(squeue --noheader --format=%i)
if $machmeter attach; then exit 1; fi
ls {folder}/report.html
$machmeter run --resume {folder} --submit --max-node-hours 1
$machmeter attach {folder}
"""


def test_a_run_that_was_submitted_is_followed_and_continued_by_another_job(
    cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    script = IN_TWO_JOBS.format(python=sys.executable, asked=ASKED, folder=folder)
    daemons = tmp_path_factory.mktemp("slurm")
    done = run_on_login(daemons, NAMES, script, command.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"job 1 \((running|pending)\) of this run is still there", done.stderr)
    assert "job 2 is running on node-a,node-b" in done.stderr
    (spec,) = (name for name in verdicts(folder) if name.startswith("network.latency"))
    assert verdicts(folder)[spec].count("accepted") == 8
    assert json.loads((folder / "state.json").read_text())["state"] == "finished"
    assert json.loads((folder / "job.json").read_text())["job"] == "2"

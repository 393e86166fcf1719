"""A node of a real Slurm is lost in the middle of a run: it is named, and the others go on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand
from tests.support.processes.slurm_of_processes import run_on_login

NAMES = ("login", "node-a", "node-b", "node-c")
# The hosts are namespaces of one machine.
REQUEST = (
    "nodes.fma --set seconds=1 --nodes 3 --one-machine --mpi mpich --min-launches 4 "
    "--max-launches 4 --budget 120s"
)
LOSING = """
set -e
machmeter="{python} -m machmeter"
$machmeter run {request} --submit --yes --output {folder}
for moment in $(seq 900); do
    grep -l nodes.fma {folder}/launches/*.outcome.json 2>/dev/null && break
    sleep 0.1
done
pkill -KILL -f 'slurmd .*-N node-[c]'
$machmeter attach {folder} || [ $? = 1 ]
"""


def test_a_node_whose_daemon_is_killed_is_left_out_by_name(
    cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    script = LOSING.format(python=sys.executable, request=REQUEST, folder=folder)
    daemons = tmp_path_factory.mktemp("slurm")
    done = run_on_login(daemons, NAMES, script, command.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = [json.loads(one.read_text()) for one in folder.glob("launches/*.outcome.json")]
    (losing,) = (one for one in outcomes if "lost_hosts" in one)
    (lost,) = losing["lost_hosts"]
    assert lost["name"] == "node-c"
    accepted = [one["spec"] for one in outcomes if one["verdict"] == "accepted"]
    assert sum("2 nodes" in spec for spec in accepted) == 4, done.stdout + done.stderr
    assert any("3 nodes" in spec for spec in accepted)
    assert json.loads((folder / "state.json").read_text())["state"] == "finished"
    assert (folder / "report.html").exists()

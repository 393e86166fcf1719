"""A job of Slurm that has other CPUs on each of its nodes: ranks are on those that it has."""

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
    "nodes.fma --set seconds=1 --hosts slurm --nodes 3 --one-machine --mpi mpich "
    "--min-launches 2 --max-launches 2 --budget 30s"
)
# Another job has the first CPU of one node.
SHARED = """
set -e
touch {folder}.held
sbatch --quiet --nodes=1 --ntasks=1 --nodelist=node-b --output=/dev/null \
    --wrap 'while [ -e {folder}.held ]; do sleep 0.2; done'
until squeue --noheader --states=running --format=%N | grep -q node-b; do sleep 0.1; done
sbatch --quiet --wait --nodes=3 --ntasks=3 --ntasks-per-node=1 --output={folder}.out \
    --wrap '{python} -m machmeter run {request} --output {folder}' || code=$?
cat {folder}.out
rm {folder}.held
until [ -z "$(squeue --noheader)" ]; do sleep 0.1; done
exit ${{code:-0}}
"""


def test_each_node_is_measured_on_the_cpus_that_the_job_has_there(
    cache_for_runs: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    script = SHARED.format(python=sys.executable, request=REQUEST, folder=folder)
    done = run_on_login(tmp_path_factory.mktemp("slurm"), NAMES, script, command.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    seen: dict[str, set[int]] = {}
    for path in folder.glob("launches/*.launch.json"):
        if "nodes.fma" not in str(json.loads(path.read_text())["spec"]):
            continue
        outcome = path.with_name(path.name.replace("launch.json", "outcome.json"))
        assert json.loads(outcome.read_text())["verdict"] == "accepted", done.stdout
        record = path.with_name(path.name.replace("launch.json", "jsonl"))
        for place in json.loads(record.read_text().splitlines()[0])["places"]:
            seen.setdefault(place["host"], set()).update(place["cpus"])
    assert set(seen) == {"node-a", "node-b", "node-c"}, done.stdout + done.stderr
    assert seen["node-a"] == seen["node-c"]
    assert not seen["node-a"] & seen["node-b"]

"""A node of a real Slurm is drained, or a rank on it hangs, in the middle of a run: it goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.processes.hosts_in_namespaces import BY_TCP
from tests.support.processes.machmeter_command import MachmeterCommand
from tests.support.processes.slurm_of_processes import run_on_login

pytestmark = pytest.mark.full

NAMES = ("login", "node-a", "node-b", "node-c")
# The hosts are namespaces of one machine.
REQUEST = (
    "nodes.fma --set seconds=1 --nodes 3 --one-machine --mpi mpich --min-launches 4 "
    "--max-launches 4 --budget 120s"
)
TROUBLING = """
set -e
machmeter="{python} -m machmeter"
$machmeter run {request} --submit --yes --output {folder}
until_seen() {{
    for moment in $(seq 900); do
        "$@" && return
        sleep 0.1
    done
    return 1
}}
measured() {{ grep -q nodes.fma {folder}/launches/*.outcome.json 2>/dev/null; }}
until_seen measured
{trouble}
$machmeter attach {folder} || code=$?
echo ended with ${{code:-0}}
squeue --noheader --steps
sinfo --noheader --Node --format='%N is %T'
"""
DRAINING = "scontrol update NodeName=node-c State=DRAIN Reason=test; sinfo -h -N -o '%N was %T'"
# Namespaces share process numbers: those of the host tell whose rank it is.
HANGING = """
stopped() {
    there=$(readlink /proc/$(pgrep -f 'slurmd .*-N node-[c]')/ns/uts)
    for rank in $(pgrep -x machmeter-mpi); do
        [ "$(readlink /proc/$rank/ns/uts)" = "$there" ] && kill -STOP $rank && echo stopped $rank \\
            && return
    done
    return 1
}
until_seen stopped
"""


@pytest.mark.parametrize(
    ("trouble", "seen", "failed"),
    [(DRAINING, "node-c was draining", []), (HANGING, "stopped ", ["timed out"])],
    ids=["drained", "hung"],
)
def test_a_node_in_trouble_takes_part_to_the_end(
    trouble: str,
    seen: str,
    failed: list[str],
    cache_for_runs: Path,
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> None:
    command, folder = MachmeterCommand(cache_for_runs, tmp_path / "data", BY_TCP), tmp_path / "run"
    script = TROUBLING.format(
        python=sys.executable, request=REQUEST, folder=folder, trouble=trouble
    )
    done = run_on_login(tmp_path_factory.mktemp("slurm"), NAMES, script, command.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen in done.stdout
    assert f"ended with {len(failed)}" in done.stdout
    outcomes = [json.loads(one.read_text()) for one in folder.glob("launches/*.outcome.json")]
    assert not any("lost_hosts" in one for one in outcomes)
    ours = [one for one in outcomes if one["spec"].startswith("nodes.fma")]
    assert sorted(one["verdict"] for one in ours) == ["accepted"] * 4 + failed
    assert json.loads((folder / "state.json").read_text())["state"] == "finished"
    assert (folder / "report.html").exists()

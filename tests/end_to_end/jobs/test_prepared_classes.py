"""In a real Slurm of two classes of nodes: each has programs of its own in one cache."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.processes.machmeter_command import MachmeterCommand
from tests.support.processes.slurm_of_processes import run_on_login

pytestmark = pytest.mark.full

NAMES = ("login", "node-a", "node-b", "node-c")
# One after another (singleton): two measure or compile on one kernel at no time.
PREPARING = """
set -e
{daemons}/agent node-c "mount --bind {other} /proc/cpuinfo"
scontrol update NodeName=node-c AvailableFeatures=other ActiveFeatures=other
machmeter() {{ {python} -m machmeter "$@"; }}
machmeter prepare memory.latency --submit --yes --sbatch=--dependency=singleton
squeue --noheader --states=all --format='%i ran on %N'
machmeter prepare memory.latency --submit --yes --sbatch=--constraint=other
squeue --noheader --states=all --jobs=3 --format='%i ran on %N'
"""


def test_each_class_of_nodes_is_compiled_for_on_one_of_its_nodes(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    cpuinfo = Path("/proc/cpuinfo").read_text().splitlines(keepends=True)
    other = tmp_path / "cpuinfo"
    lines = ("model name : another\n" if "model name" in one else one for one in cpuinfo)
    other.write_text("".join(lines))
    command = MachmeterCommand(tmp_path / "cache", tmp_path / "data")
    daemons = tmp_path_factory.mktemp("slurm")
    script = PREPARING.format(python=sys.executable, daemons=daemons, other=other)
    done = run_on_login(daemons, NAMES, script, command.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = {line for line in done.stdout.splitlines() if "ran on" in line}
    assert ran == {"1 ran on node-a", "2 ran on node-c", "3 ran on node-c"}
    builds = [one for one in (tmp_path / "cache" / "build").iterdir() if one.is_dir()]
    assert len(builds) == 2, done.stderr
    assert all((one / "machmeter-node").is_file() for one in builds)

"""Which MPI is measured where nobody names one: that of the PATH, where two ranks of it start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.launch.launchers.hosts import THIS_HOST
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.machine import MpiStart
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point
from machmeter.run.planning.plan import expected_launch_seconds
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.default_mpi import NAMED, default_mpi
from tests.support.made_up.tools import tool

# A compiler whose program prints what a rank would that is given its world by the launcher.
COMPILER = """
while [ $# -gt 0 ]; do [ "$1" = -o ] && out="$2"; shift; done
echo compiled >> "$LOG"
cat > "$out" <<'PROGRAM'
#!/bin/sh
[ "${RANK:-0}" = 0 ] && echo "machmeter-world ${WORLD:-1} MPICH Version:      4.1"
exit 0
PROGRAM
chmod +x "$out"
"""
# A launcher that starts as many as follow -n; WHAT says what is wrong with it.
LAUNCHER = """
[ "$1" = --version ] && { echo "HYDRA build details: Version: 4.1"; exit 0; }
echo started >> "$LOG"
while [ $# -gt 1 ]; do [ "$1" = -n ] && ranks="$2"; shift; done
for rank in $(seq 0 $((ranks - 1))); do
    case "$WHAT" in
        alone) "$1" ;;
        failing) echo "no route"; exit 3 ;;
        *) RANK=$rank WORLD=$ranks "$1" ;;
    esac
done
"""


class Site:
    """A machine with an MPI on its PATH that writes down how often it is called."""

    def __init__(self, folder: Path, what: str = "") -> None:
        self.log, self.cache = folder / "log", folder / "cache"
        self.prefix = folder / "site"
        told = f"LOG={self.log}\nWHAT={what}\n"
        self.compiler = tool(self.prefix / "bin", "mpicxx", told + COMPILER)
        self.launcher = tool(self.prefix / "bin", "mpiexec", told + LAUNCHER)

    def choice(self, path: str | None = None, **variables: str) -> tuple[str, str]:
        searched = path if path is not None else f"{self.prefix / 'bin'}:{os.environ['PATH']}"
        environment = {"PATH": searched, **variables}
        return default_mpi(THIS_HOST, BuildContext(environment, self.cache))

    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


def test_the_mpi_of_the_path_is_it_where_two_ranks_are_of_one_world(tmp_path: Path) -> None:
    site = Site(tmp_path)
    name, why = site.choice()
    assert name == str(site.prefix)
    assert "MPICH 4.1" in why
    assert "--mpi mpich" in why


def test_what_was_seen_once_is_not_looked_at_again_until_it_changes(tmp_path: Path) -> None:
    site = Site(tmp_path)
    first = site.choice()
    calls = site.calls()
    assert site.choice() == first
    assert site.calls() == calls
    tool(site.prefix / "bin", "mpiexec", f"LOG={site.log}\nWHAT=alone\n{LAUNCHER}")
    assert site.choice()[0] == "mpich"


@pytest.mark.parametrize(("what", "why"), [("alone", "2 worlds"), ("failing", "no route")])
def test_one_that_does_not_start_two_ranks_of_one_world_is_not(
    tmp_path: Path, what: str, why: str
) -> None:
    name, said = Site(tmp_path, what).choice()
    assert name == "mpich"
    assert why in said


def test_compiler_and_launcher_of_two_places_are_not_one_mpi(tmp_path: Path) -> None:
    site = Site(tmp_path)
    other = tool(tmp_path / "other" / "bin", "mpicxx", COMPILER)
    name, why = site.choice(f"{other.parent}:{site.prefix / 'bin'}:/bin")
    assert (name, "one installation" in why) == ("mpich", True)
    assert site.calls() == 0


@pytest.mark.parametrize("missing", ["mpicxx", "mpiexec"])
def test_half_an_mpi_is_none(tmp_path: Path, missing: str) -> None:
    site = Site(tmp_path)
    (site.prefix / "bin" / missing).unlink()
    name, why = site.choice(str(site.prefix / "bin"))
    assert name == "mpich"
    assert f"no {missing}" in why


def test_the_variable_comes_before_the_path(tmp_path: Path) -> None:
    site = Site(tmp_path)
    assert site.choice(**{NAMED: "openmpi"}) == ("openmpi", "")
    assert site.calls() == 0
    with pytest.raises(UsageError, match="several"):
        site.choice(**{NAMED: "mpich,openmpi"})


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.cache.write_text("no folder")
    assert site.choice()[0] == str(site.prefix)


def test_plans_count_with_the_start_that_was_measured() -> None:
    def guess(ranks: int, starts: dict[str, MpiStart], program: str = "machmeter-mpi") -> float:
        layout = Layout(ranks_per_node=ranks)
        points = (make_point("network.latency", {"size": 8}, layout),)
        spec = LaunchSpec("a", program, "network.latency", layout, points, 0.1, 10)
        return expected_launch_seconds(spec, starts)

    slow = {"": MpiStart(1.0, 0.5)}
    assert guess(4, slow) - guess(2, slow) == pytest.approx(1.0)
    assert guess(2, slow) - guess(2, {}) > 1
    assert guess(2, slow, "machmeter-node") == guess(2, {}, "machmeter-node")

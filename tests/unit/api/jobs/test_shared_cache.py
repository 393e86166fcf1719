"""A cache that other nodes of a job do not see is said before anything is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api import measuring
from machmeter.api.context import Context
from machmeter.api.jobs.shared_cache import refuse_unseen_cache
from machmeter.api.requests import request
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import ExitCode, MachineLacksError
from tests.support.processes.native_programs import executable

HERE = request("network.latency", mpi=("mpich",))
NAMES = tuple(f"n{number}" for number in range(1, 10))
OVER_NODES = measuring.on_hosts(HERE, Hosts(NAMES, launcher="slurm"))


def naming(folder: Path, script: str) -> Context:
    """A context in a job whose steps say what the script does; the last word names the file."""
    executable(folder / "srun", script)
    return Context(environment={"PATH": f"{folder}:/usr/bin:/bin"}, cache=folder / "cache")


def test_nodes_without_the_cache_are_named_and_nothing_is_left(tmp_path: Path) -> None:
    context = naming(tmp_path, "printf 'n3\\nn2\\nn5\\nn6\\nn7\\nn8\\n'")
    with pytest.raises(MachineLacksError, match=r"6 of 9 nodes .*n2, n3, n5, n6, n7, \.") as told:
        measuring.measure(OVER_NODES, context=context)
    assert told.value.exit_code is ExitCode.MACHINE_LACKS
    assert "MACHMETER_CACHE" in told.value.remedy
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("script", ["exit 1", 'for file; do :; done; test -e "$file"', "true"])
def test_where_all_see_it_or_slurm_does_not_say_the_run_goes_on(
    script: str, tmp_path: Path
) -> None:
    refuse_unseen_cache(OVER_NODES, naming(tmp_path, script))


def test_one_host_needs_no_step(tmp_path: Path) -> None:
    context = naming(tmp_path, "echo n1")
    refuse_unseen_cache(HERE, context)
    refuse_unseen_cache(measuring.on_hosts(HERE, Hosts(("n1",), launcher="slurm")), context)

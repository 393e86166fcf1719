"""The sizes of a run are those of this user's earlier runs of the machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.loading import rebuild_index
from machmeter.api.measuring import plan
from machmeter.api.requests import request
from machmeter.model.machine import Machine
from machmeter.model.results.curves import LastCache
from machmeter.model.results.run import Plan, RunState
from machmeter.store.remembered_runs import remember_folders
from machmeter.store.run_folder import RunFolder, StateFile
from tests.support.fake_launcher import AUTO, GIB, MIB, PRECISION, new_folder, synthetic_machine

HERE = synthetic_machine()
SMALL = LastCache(32 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB)


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(tmp_path / "data", tmp_path / "cache", {"PATH": ""})


def earlier_run(
    context: Context,
    name: str,
    cache: LastCache = SMALL,
    machine: Machine = HERE,
    state: RunState = RunState.FINISHED,
    *,
    fresh: bool = False,
) -> RunFolder:
    """The folder of a run that began in the order of its name."""
    folder = new_folder(context.data / "runs" / name, AUTO)
    header = folder.header()
    wanted = replace(header.request, fresh_sizes=fresh)
    shutil.rmtree(folder.path)
    folder = RunFolder.create(
        folder.path, replace(header, id=name, machine=machine, request=wanted)
    )
    folder.write_plan(Plan((), PRECISION, last_cache=cache))
    folder.write_state(StateFile(state))
    return folder


def followed(context: Context, machine: Machine = HERE, *, fresh: bool = False) -> LastCache:
    """What the sizes of the next run would follow, before it has measured."""
    wanted = request("memory.latency", fresh_sizes=fresh, context=context)
    cache = plan(wanted, machine=machine, context=context).plan.last_cache
    assert cache is not None
    return cache


def test_without_runs_sizes_follow_the_description(context: Context) -> None:
    found = followed(context)
    assert (found.size, found.runs) == (32 * MIB, ())


def test_the_newest_finished_runs_are_named_and_followed(context: Context) -> None:
    earlier_run(context, "1")
    earlier_run(context, "2", replace(SMALL, own_size=3 * MIB))
    earlier_run(context, "3", state=RunState.INTERRUPTED)
    found = followed(context)
    assert (found.size, found.runs) == (3 * MIB, ("2", "1"))


def test_a_store_that_cannot_be_written_is_read(context: Context) -> None:
    earlier_run(context, "1")
    folders = [context.data, context.data / "runs", context.data / "runs" / "1"]
    for folder in folders:
        folder.chmod(0o555)
    try:
        before = sorted(context.data.rglob("*"))
        assert followed(context).runs == ("1",)
        assert sorted(context.data.rglob("*")) == before
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_neither_a_copied_run_nor_a_rebuilt_index_changes_anything(
    context: Context, tmp_path: Path
) -> None:
    run = earlier_run(context, "1")
    earlier_run(context, "2", replace(SMALL, own_size=3 * MIB))
    before = followed(context)
    shutil.copytree(run.path, context.data / "runs" / "9-copy")
    shutil.copytree(run.path, tmp_path / "elsewhere")
    remember_folders(context.data, [tmp_path / "elsewhere"])
    assert followed(context) == before
    rebuild_index(context=replace(context, warn=lambda _: None))
    assert followed(context) == before


def test_containers_of_one_host_keep_sizes_apart_by_their_memory_limits(context: Context) -> None:
    limited = replace(HERE, memory=replace(HERE.memory, limit_bytes=4 * GIB))
    earlier_run(context, "1", machine=replace(limited, host="other-container"))
    assert followed(context).runs == ()
    assert followed(context, limited).runs == ("1",)


def test_fresh_sizes_are_chosen_anew_and_then_kept(context: Context) -> None:
    earlier_run(context, "1", replace(SMALL, settled=True))
    assert (followed(context).size, followed(context).settled) == (2 * MIB, True)
    assert followed(context, fresh=True).size == 32 * MIB
    anew = LastCache(32 * MIB, MIB, MIB, MIB, MIB, MIB)
    earlier_run(context, "2", anew, fresh=True)
    found = followed(context)
    assert (found.size, found.runs) == (MIB, ("2",))

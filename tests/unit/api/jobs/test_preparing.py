"""Jobs that compile: one for each class of nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api.context import Context
from machmeter.api.jobs.preparing import node_time, plan_preparations
from machmeter.api.requests import request
from machmeter.model.errors import UsageError
from tests.support.processes.native_programs import executable

ASKED = request("network.latency", mpi=("mpich",))
OLD, NEW = ("2|1:2:1|(null)|old", "2|1:2:1|(null)|new")
TWO = (f"cpu*|idle|n[1-2]|{OLD}", f"cpu*|alloc|n[3-4]|{NEW}")


def with_nodes(folder: Path, *nodes: str) -> Context:
    """A context whose Slurm has one partition with these nodes."""
    said = "\n".join(nodes)
    executable(
        folder / "sinfo",
        f"case $* in *%P*%a*) echo 'cpu*|up|1:00:00|1/2/1/4|2';; *) echo '{said}';; esac",
    )
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    return Context(environment=environment, data=folder / "data", cache=folder / "cache")


def lines_about(script: str, option: str) -> list[str]:
    return [line for line in script.splitlines() if line.startswith(f"#SBATCH --{option}=")]


def test_each_class_has_a_job_that_waits_for_any_of_its_nodes(tmp_path: Path) -> None:
    told: list[str] = []
    context = with_nodes(tmp_path, *TWO)
    listening = Context(
        environment=context.environment, cache=context.cache, data=context.data, notify=told.append
    )
    jobs = plan_preparations(ASKED, context=listening)
    assert [lines_about(one.script, "exclude") for one in jobs] == [
        ["#SBATCH --exclude=n[3-4]"],
        ["#SBATCH --exclude=n[1-2]"],
    ]
    assert all(lines_about(one.script, "nodes") == ["#SBATCH --nodes=1"] for one in jobs)
    assert len({one.folder for one in jobs}) == 2
    assert (node_time(jobs).nodes, node_time(jobs).seconds) == (2, jobs[0].allocation.seconds)
    assert ["n[1-2]" in told[0], "n[3-4]" in told[1]] == [True, True]


@pytest.mark.parametrize(
    ("nodes", "options"),
    [
        ((), ()),
        (TWO[:1], ()),
        (TWO, ("--constraint=new",)),
        (TWO, ("--const=new",)),
        (TWO, ("--nodelist=n3",)),
        (TWO, ("--gres=gpu:1",)),
        (TWO, ("--exclude=./others",)),
        (TWO, ("--partition=other",)),
        (TWO, ("--partit=other",)),
        ((TWO[0].replace("idle", "down"), TWO[1].replace("alloc", "drain")), ()),
    ],
)
def test_one_class_or_nodes_that_a_person_chooses_are_one_job(
    nodes: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    (job,) = plan_preparations(ASKED, options=options, context=with_nodes(tmp_path, *nodes))
    assert job.allocation.options == options


def test_a_class_without_a_node_that_is_up_has_no_job(tmp_path: Path) -> None:
    down = (TWO[0], TWO[1].replace("alloc", "drng"))
    (job,) = plan_preparations(ASKED, context=with_nodes(tmp_path, *down))
    assert lines_about(job.script, "exclude") == ["#SBATCH --exclude=n[3-4]"]


def test_nodes_that_a_person_excludes_stay_excluded(tmp_path: Path) -> None:
    context = with_nodes(tmp_path, *TWO)
    given = ("--exclude=n9", "--exclude=n1", "--account=a")
    old, new = plan_preparations(ASKED, options=given, context=context)
    assert old.allocation.options == ("--account=a", "--exclude=n1,n[3-4]")
    assert new.allocation.options == ("--account=a", "--exclude=n1,n[1-2]")
    # sbatch takes the beginning of a name too, and then the last one counts.
    old, new = plan_preparations(ASKED, options=("--exclud=n1",), context=context)
    assert [one.allocation.options for one in (old, new)] == [
        ("--exclude=n1,n[3-4]",),
        ("--exclude=n1,n[1-2]",),
    ]
    (only,) = plan_preparations(ASKED, options=("--exclude=n[1-2]",), context=context)
    assert only.allocation.options == ("--exclude=n[1-2],n[1-2]",)


def test_a_node_whose_name_no_script_can_have_is_refused(tmp_path: Path) -> None:
    context = with_nodes(tmp_path, TWO[0], f'cpu*|idle|n"x|{NEW}')
    with pytest.raises(UsageError, match="without spaces and quotes"):
        plan_preparations(ASKED, context=context)

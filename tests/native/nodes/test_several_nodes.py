"""Launches over several nodes: hosts in namespaces of this machine, a network of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.build.mpi import resolve_mpi
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Launch, Verdict
from tests.support.processes.hosts_in_namespaces import why_not
from tests.support.processes.launch_on_hosts import Became, Request, launch_on_hosts
from tests.support.processes.measured_launches import BASE_PAGE, assert_measured, holds
from tests.support.processes.native_programs import (
    LIMITS_OF_HANGS,
    Programs,
    built_with,
    launch_of,
    when_it_measures,
    with_script,
)

# That of the site is compiled in the full tier only.
MPIS = ("mpich", "openmpi", pytest.param("/usr", marks=pytest.mark.full))
NAMES = ("a", "b", "c")
TWO_NODES = Layout(nodes=2, ranks_per_node=2, page_bytes=BASE_PAGE)
POINT = {"size": 8, "direction": "one-way", "window": 4, "buffers": "hot"}


@pytest.fixture(autouse=True)
def _namespaces() -> None:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    holds(TWO_NODES)


def over_nodes(
    name: str,
    cache: Path,
    folder: Path,
    launch: Launch,
    hosts: tuple[str, ...] = ("a", "b"),
    script: str = "",
    limit_seconds: float = 60.0,
    *,
    one_machine: bool = True,
) -> Became:
    """That launch under that MPI over those hosts, machmeter-mpi replaced by a script or not.

    It counts though they are one machine.
    """
    launch = replace(launch, spec=replace(launch.spec, one_machine=one_machine))
    try:
        mpi = resolve_mpi(name, cache, os.environ)
    except MachineLacksError as error:
        if not name.startswith("/"):
            raise
        pytest.skip(str(error))
    programs: Programs = built_with(mpi, cache)
    if script:
        programs = with_script(programs, folder / "programs", "machmeter-mpi", script)
    agent = str(folder / "agent")
    request = Request(launch, programs, mpi, Hosts(hosts, agent), str(folder), limit_seconds)
    return launch_on_hosts(request, NAMES)


def endless() -> Launch:
    launch = launch_of("network.bandwidth", [POINT], TWO_NODES)
    spec = replace(launch.spec, seconds_per_point=100.0, samples=10**7)
    return replace(launch, spec=spec)


@pytest.mark.parametrize("name", MPIS)
def test_ranks_lie_on_their_nodes_in_blocks(name: str, cache: Path, tmp_path: Path) -> None:
    launch = launch_of("network.bandwidth", [POINT], TWO_NODES)
    became = over_nodes(name, cache, tmp_path, launch)
    assert_measured(launch, became.outcome, became.record)
    assert became.record.header is not None
    places = sorted(became.record.header.places, key=lambda place: place.rank)
    assert [place.host for place in places] == ["a", "a", "b", "b"]


@pytest.mark.parametrize("name", MPIS)
def test_a_layout_of_fewer_nodes_takes_the_first(name: str, cache: Path, tmp_path: Path) -> None:
    launch = launch_of("network.bandwidth", [POINT], replace(TWO_NODES, nodes=1))
    became = over_nodes(name, cache, tmp_path, launch, NAMES)
    assert_measured(launch, became.outcome, became.record)
    assert became.record.header is not None
    assert {place.host for place in became.record.header.places} == {"a"}


@pytest.mark.parametrize("name", MPIS)
def test_two_names_of_one_host_are_not_two_nodes(name: str, cache: Path, tmp_path: Path) -> None:
    launch = launch_of("network.bandwidth", [POINT], TWO_NODES)
    # PRRTE waits without end for a second daemon on one host.
    limit = 3 if name == "openmpi" else 15
    became = over_nodes(name, cache, tmp_path, launch, ("b", "b-again"), limit_seconds=limit)
    if name == "openmpi":
        assert became.outcome.verdict in (Verdict.TIMED_OUT, Verdict.REJECTED), became.outcome
        return
    assert became.outcome.verdict is Verdict.REJECTED, (became.outcome, became.outcome.output)
    assert became.outcome.reasons[0] == "hosts: requested 2, observed 1 (b)"


def test_two_names_of_one_kernel_are_not_two_nodes(cache: Path, tmp_path: Path) -> None:
    launch = launch_of("network.bandwidth", [POINT], TWO_NODES)
    became = over_nodes("mpich", cache, tmp_path, launch, one_machine=False)
    assert became.outcome.verdict is Verdict.REJECTED, (became.outcome, became.outcome.output)
    assert became.record.header is not None
    one, other = became.record.header.hosts
    (reason,) = became.outcome.reasons
    assert reason.startswith(f"hosts a, b are one machine, by one kernel: boot {one.boot}, ")
    assert (one.name, other.name) == ("a", "b")
    assert one.same_kernel == other.same_kernel


@pytest.mark.parametrize("name", MPIS)
def test_a_rank_killed_on_another_host_ends_the_launch(
    name: str, cache: Path, tmp_path: Path
) -> None:
    script = when_it_measures(3, "kill -9 $$")
    became = over_nodes(name, cache, tmp_path, endless(), script=script, limit_seconds=30)
    # PRRTE ends the others itself, but in one of some twenty launches it waits for them.
    ends = (Verdict.FAILED, Verdict.TIMED_OUT) if name == "openmpi" else (Verdict.FAILED,)
    assert became.outcome.verdict in ends, became.outcome
    assert became.outcome.exit_code != 0
    assert not became.record.complete


@pytest.mark.parametrize("name", MPIS)
def test_a_rank_that_stops_on_another_host_is_ended_with_all_others(
    name: str, cache: Path, tmp_path: Path
) -> None:
    script = when_it_measures(3, "kill -STOP $$")
    for limit in LIMITS_OF_HANGS:
        folder = tmp_path / f"{limit}"
        folder.mkdir()
        became = over_nodes(name, cache, folder, endless(), script=script, limit_seconds=limit)
        if became.record.begun is not None:
            break
    assert became.outcome.verdict is Verdict.TIMED_OUT, became.outcome
    assert became.record.begun is not None
    assert became.record.begun.parameters == POINT

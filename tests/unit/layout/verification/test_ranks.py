"""Launches of several ranks: MPI library, blocks of ranks on nodes, progress threads."""

from __future__ import annotations

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from machmeter.layout.verification.ranks import block_reasons
from machmeter.layout.verification.verify import verify
from machmeter.model.layout import Layout, ProgressMode, ThreadPlace
from machmeter.model.plan.launch import Launch, Record
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.variant import Variant
from tests.unit.layout.verification.test_verify import (
    TOPOLOGY,
    TWO_NODES,
    make_launch,
    record_as_asked,
    with_header,
)

WITH_PROGRESS = replace(TWO_NODES, progress=ProgressMode.RESERVED, reserved_cores=2)


def progress_as_asked(launch: Launch) -> tuple[ThreadPlace, ...]:
    layout = launch.spec.layout
    return tuple(
        ThreadPlace(rank, layout.cpus_per_rank, f"n{rank // layout.ranks_per_node}", cpus, cpus[0])
        for rank in range(layout.ranks)
        for cpus in (launch.assignment.progress[rank % layout.ranks_per_node],)
    )


def with_library(record: Record, words: str) -> Record:
    assert record.header is not None
    return with_header(record, toolchain=replace(record.header.toolchain, mpi_library=words))


def of_mpi(name: str) -> Launch:
    launch = make_launch(TWO_NODES)
    return replace(launch, spec=replace(launch.spec, variant=Variant(name)))


@pytest.mark.parametrize(
    ("mpi", "words"),
    [
        ("mpich", "MPICH Version: 5.0.2\nMPICH Device: ch4"),
        ("openmpi", "Open MPI v5.0.11, package: x"),
        ("/usr", "Open MPI v4.1.4"),
        ("/opt/cray/mpich", "anything"),
        ("", "anything"),
        ("mpich", ""),
    ],
)
def test_the_library_that_was_named_is_the_one(mpi: str, words: str) -> None:
    launch = of_mpi(mpi)
    assert verify(launch, with_library(record_as_asked(launch), words)) == ()


def test_another_library_is_told_with_both() -> None:
    launch = of_mpi("mpich")
    record = with_library(record_as_asked(launch), "Open MPI v5.0.11\nident: x")
    assert verify(launch, record) == ("MPI library: requested mpich, observed Open MPI v5.0.11",)


def test_ranks_dealt_out_in_turn_over_nodes_are_told() -> None:
    assert block_reasons(
        Layout(nodes=2, ranks_per_node=3), {"a": [0, 2, 4], "b": [1, 3, 5]}, ""
    ) == [
        "ranks on host a: requested 3 ranks from rank 0 on, observed ranks 0, 2, 4",
        "ranks on host b: requested 3 ranks from rank 0 on, observed ranks 1, 3, 5",
    ]
    assert block_reasons(Layout(nodes=2, ranks_per_node=2), {"b": [0, 1], "a": [2, 3]}, "") == []


def test_two_ranks_of_one_node_where_two_nodes_were_asked_are_told_with_both() -> None:
    layout = Layout(nodes=2)
    launch = make_launch(layout)
    places = tuple(ThreadPlace(rank, 0, "login1", (0,), 0) for rank in range(2))
    record = replace(with_header(record_as_asked(launch), places=places), closing=None)
    assert verify(launch, record) == ("hosts: requested 2, observed 1 (login1)",)


ONE, OTHER = ObservedHost("n0", "4ae1", 1795000001.0), ObservedHost("n1", "77c0", 1795000044.0)


def of_hosts(*hosts: ObservedHost, one_machine: bool | UnsetType = UNSET) -> tuple[str, ...]:
    launch = make_launch(TWO_NODES)
    launch = replace(launch, spec=replace(launch.spec, one_machine=one_machine))
    return verify(launch, with_header(record_as_asked(launch), hosts=hosts))


@pytest.mark.parametrize(
    "other",
    [
        OTHER,
        replace(ONE, name="n1", kernel_started=1795000044.0),
        replace(ONE, name="n1", boot="77c0"),
        replace(ONE, name="n1", boot=""),
        replace(ONE, name="n1", kernel_started=None),
    ],
    ids=["two boots", "a made-up boot", "started together", "no boot", "no start"],
)
def test_nodes_of_two_kernels_are_two_machines(other: ObservedHost) -> None:
    assert of_hosts(ONE, other) == ()


def test_nodes_of_one_kernel_are_one_machine_unless_that_was_requested() -> None:
    again = replace(ONE, name="n1", memory_bytes=2**30)
    assert of_hosts(ONE, again) == (
        "hosts n0, n1 are one machine, by one kernel: boot 4ae1, started 1795000001 s after 1970; "
        "add --one-machine to measure all the same",
    )
    assert of_hosts(ONE, again, one_machine=True) == ()


def test_one_node_may_have_any_names() -> None:
    launch = make_launch(replace(TWO_NODES, nodes=1))
    hosts = (ONE, replace(ONE, name="n1"))
    assert verify(launch, with_header(record_as_asked(launch), hosts=hosts)) == ()


def test_progress_threads_where_they_were_asked_are_no_reason() -> None:
    launch = make_launch(WITH_PROGRESS)
    record = with_header(record_as_asked(launch), progress=progress_as_asked(launch))
    assert len(launch.assignment.progress) == WITH_PROGRESS.ranks_per_node
    assert verify(launch, record) == ()


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        (slice(0, 4), "requested 4 of 4 ranks, observed 0; rank 0 has 0"),
        (slice(2, 3), "requested 4 of 4 ranks, observed 3; rank 2 has 0"),
    ],
)
def test_progress_threads_that_are_missing_are_told(left_out: slice, words: str) -> None:
    launch = make_launch(WITH_PROGRESS)
    places = list(progress_as_asked(launch))
    del places[left_out]
    record = with_header(record_as_asked(launch), progress=tuple(places))
    assert verify(launch, record) == (f"progress threads: {words}",)


def test_a_progress_thread_that_nobody_asked_for_is_told() -> None:
    launch = make_launch(TWO_NODES)
    places = (ThreadPlace(1, 2, "n0", (0,), 0),)
    record = with_header(record_as_asked(launch), progress=places)
    assert verify(launch, record) == (
        "progress threads: requested 0 of 4 ranks, observed 1; rank 1 has 1",
    )


def test_a_progress_thread_elsewhere_is_told_with_both() -> None:
    launch = make_launch(WITH_PROGRESS)
    requested = progress_as_asked(launch)
    other = next(
        cpu.number for cpu in TOPOLOGY.usable if (cpu.number,) not in launch.assignment.progress
    )
    for changes, words in (
        ({"cpus": (other,)}, f"requested CPUs {requested[3].cpu}, allowed CPUs {other}"),
        ({"cpu": other}, f"requested CPUs {requested[3].cpu}, observed on CPU {other}"),
    ):
        places = (*requested[:3], replace(requested[3], **changes))
        record = with_header(record_as_asked(launch), progress=places)
        assert verify(launch, record) == (f"progress thread of rank 3 on n1: {words}",)

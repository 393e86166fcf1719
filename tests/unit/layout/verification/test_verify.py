from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.layout.assign import assign
from machmeter.layout.verification.verify import page_problems, verify
from machmeter.model.layout import (
    HUGE_PAGE,
    AssignmentElsewhere,
    Binding,
    Layout,
    ThreadPlace,
)
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    Check,
    ClockProperties,
    Closing,
    Header,
    Launch,
    LaunchSpec,
    PointRecord,
    Record,
    Toolchain,
)
from machmeter.model.point import make_point
from tests.support.sysfs_tree import Shape

TOPOLOGY = Shape(packages=2, domains=1, cores=4, smt=1).topology()
EVERY_CPU = tuple(cpu.number for cpu in TOPOLOGY.usable)
TWO_NODES = Layout(nodes=2, ranks_per_node=2, threads_per_rank=2)


def make_launch(layout: Layout) -> Launch:
    points = tuple(make_point("memory.stream", {"size": size}, layout) for size in (64, 128))
    spec = LaunchSpec("spec", MPI_PROGRAM.name, "memory.stream", layout, points, 0.03)
    return Launch(3, spec, 77, assign(layout, TOPOLOGY))


def places_as_asked(launch: Launch) -> tuple[ThreadPlace, ...]:
    layout = launch.spec.layout
    return tuple(
        ThreadPlace(
            rank, thread, f"n{rank // layout.ranks_per_node}", cpus or EVERY_CPU, (*cpus, 0)[0]
        )
        for rank in range(layout.ranks)
        for thread, cpus in enumerate(launch.assignment.cpus[rank % layout.ranks_per_node])
    )


def record_as_asked(launch: Launch) -> Record:
    places = places_as_asked(launch)
    header = Header(
        RECORD_FORMAT,
        "memory.stream",
        launch.number,
        launch.seed,
        launch.spec.layout.ranks,
        "2026-11-21T12:00:00Z",
        places,
        Toolchain("g++", "-O3", "0"),
        ClockProperties("tsc", 1e-8, 1e-9),
        (),
    )
    points = tuple(
        PointRecord(dict(p.parameters), {"seconds": (1e-6,)}, 1, Check(True, "sum"))
        for p in launch.spec.points
    )
    return Record(header, points, Closing("2026-11-21T12:00:01Z", 2, (), 0.5, places))


def with_header(record: Record, **changes: object) -> Record:
    assert record.header is not None
    return replace(record, header=replace(record.header, **changes))


def with_place(record: Record, index: int, **changes: object) -> Record:
    assert record.header is not None
    places = list(record.header.places)
    places[index] = replace(places[index], **changes)
    return with_header(record, places=tuple(places))


@settings(deadline=None)
@given(
    st.builds(
        Layout,
        nodes=st.integers(1, 3),
        ranks_per_node=st.integers(1, 4),
        threads_per_rank=st.integers(1, 2),
        inner_threads=st.integers(1, 3),
        oversubscribe=st.just(True),
        binding=st.sampled_from(Binding),
    )
)
def test_a_launch_that_ran_as_asked_has_no_reasons(layout: Layout) -> None:
    launch = make_launch(layout)
    assert verify(launch, record_as_asked(launch)) == ()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda r: with_header(r, world_size=1), ["world size: requested 4, observed 1"]),
        (lambda r: with_header(r, seed=78), ["another launch", "seed 77", "seed 78"]),
        (lambda r: with_header(r, launch=4), ["another launch", "launch 3", "launch 4"]),
        (lambda r: with_header(r, benchmark="network.latency"), ["another launch", "network"]),
        (lambda r: with_place(r, 1, cpus=(0, 1)), ["rank 0 thread 1", "requested CPUs 1", "0,1"]),
        (lambda r: with_place(r, 1, cpu=7), ["rank 0 thread 1", "observed on CPU 7"]),
        (lambda r: with_place(r, 1, thread=0), ["rank 0 thread 1", "rank 0 thread 0", "once"]),
        (lambda r: with_place(r, 0, rank=9), ["not requested: rank 9 thread 0"]),
        (lambda r: with_header(r, places=()), ["requested 4 x 2", "observed 0"]),
        (lambda r: replace(r, header=None), ["no header"]),
    ],
)
def test_each_difference_is_a_reason(spoil: Callable[[Record], Record], words: list[str]) -> None:
    launch = make_launch(TWO_NODES)
    reasons = "\n".join(verify(launch, spoil(record_as_asked(launch))))
    for word in words:
        assert word in reasons


def test_two_nodes_that_were_one_are_told() -> None:
    launch = make_launch(TWO_NODES)
    record = record_as_asked(launch)
    assert record.header is not None
    places = tuple(replace(place, host="n0") for place in record.header.places)
    reasons = verify(launch, with_header(record, places=places))
    assert "hosts: requested 2, observed 1 (n0)" in reasons


def test_a_layout_of_any_number_of_ranks_is_compared_with_the_few_that_were_seen() -> None:
    # Files of a run can hold any number: a set of all that are missing took all memory.
    seen = make_launch(Layout(ranks_per_node=2, threads_per_rank=2))
    layout = replace(seen.spec.layout, nodes=10**12)
    damaged = replace(seen, spec=replace(seen.spec, layout=layout))
    reasons = verify(damaged, with_header(record_as_asked(seen), world_size=2 * 10**12))
    assert any(f"= {4 * 10**12}, observed 4" in one for one in reasons)
    assert any("rank 2 thread 0" in one and "more" in one for one in reasons)


def test_ranks_shared_out_unevenly_are_told() -> None:
    launch = make_launch(TWO_NODES)
    record = with_place(with_place(record_as_asked(launch), 2, host="n1"), 3, host="n1")
    reasons = verify(launch, record)
    assert "ranks on host n0: requested 2, observed 1" in reasons
    assert "ranks on host n1: requested 2, observed 3" in reasons


def test_ranks_dealt_out_in_turn_are_told() -> None:
    launch = make_launch(TWO_NODES)
    places = tuple(
        ThreadPlace(rank, thread, f"n{rank % 2}", cpus, cpus[0])
        for rank in range(4)
        for thread, cpus in enumerate(launch.assignment.cpus[rank // 2])
    )
    record = with_header(record_as_asked(launch), places=places)
    reasons = verify(launch, replace(record, closing=None))
    assert len(reasons) == 2
    assert "n0: requested 2 ranks from rank 0 on, observed ranks 0, 2" in reasons[0]


def test_places_at_the_end_are_checked_too() -> None:
    launch = make_launch(TWO_NODES)
    record = record_as_asked(launch)
    assert record.closing is not None
    moved = (replace(record.closing.places[0], cpus=(3,), cpu=3), *record.closing.places[1:])
    reasons = verify(launch, replace(record, closing=replace(record.closing, places=moved)))
    assert reasons == ("rank 0 thread 0 on n0 at the end: requested CPUs 0, allowed CPUs 3",)


def test_unbound_threads_may_be_on_any_of_all_cpus() -> None:
    launch = make_launch(replace(TWO_NODES, binding=Binding.NONE))
    record = with_place(record_as_asked(launch), 0, cpu=5)
    assert verify(launch, record) == verify(launch, record, EVERY_CPU) == ()


def test_unbound_threads_that_were_bound_after_all_are_told() -> None:
    launch = make_launch(Layout(threads_per_rank=4, binding=Binding.NONE))
    record = record_as_asked(launch)
    assert verify(launch, with_place(record, 2, cpus=(2,), cpu=2)) == (
        "rank 0 thread 2 on n0: requested not to be bound, that is CPUs 0,1,2,3 and 4 more, "
        "allowed CPUs 2",
    )
    bound = make_launch(Layout(threads_per_rank=4))
    reasons = verify(launch, with_header(record, places=places_as_asked(bound)))
    assert len(reasons) == 4


def test_unbound_threads_that_share_too_few_cpus_are_told() -> None:
    launch = make_launch(Layout(threads_per_rank=4, binding=Binding.NONE))
    narrow = tuple(replace(p, cpus=(0, 1), cpu=1) for p in places_as_asked(launch))
    record = replace(with_header(record_as_asked(launch), places=narrow), closing=None)
    assert verify(launch, record) == (
        "not bound, on n0: requested at least 4 CPUs, one for each thread, allowed CPUs 0,1",
    )


def test_one_unbound_thread_on_one_of_many_cpus_is_told_where_those_are_known() -> None:
    launch = make_launch(Layout(binding=Binding.NONE))
    record = with_place(record_as_asked(launch), 0, cpus=(3,), cpu=3)
    assert verify(launch, replace(record, closing=None), EVERY_CPU) == (
        "rank 0 thread 0 on n0: requested not to be bound, that is CPUs 0,1,2,3 and 4 more, "
        "allowed CPUs 3",
    )
    assert verify(launch, record_as_asked(launch), EVERY_CPU) == ()


def test_where_nothing_is_set_any_cpus_are_right_and_ranks_are_counted() -> None:
    launch = make_launch(Layout(ranks_per_node=2, binding=Binding.DEFAULT))
    record = with_place(record_as_asked(launch), 1, cpus=(3,), cpu=3)
    assert verify(launch, record, EVERY_CPU) == ()
    assert record.header is not None
    alone = with_header(record, places=record.header.places[:1])
    assert verify(launch, alone, EVERY_CPU)[0].startswith("threads: requested 2 x 1")


def test_every_thread_of_the_inner_teams_is_verified() -> None:
    launch = make_launch(Layout(threads_per_rank=2, inner_threads=2, binding=Binding.SPREAD))
    record = record_as_asked(launch)
    assert record.header is not None
    assert [place.cpus for place in record.header.places] == [(0,), (1,), (4,), (5,)]
    assert verify(launch, with_place(record, 3, cpus=(6,), cpu=6)) == (
        "rank 0 thread 3 on n0: requested CPUs 5, allowed CPUs 6",
    )
    outer_alone = with_header(record, places=record.header.places[::2])
    reasons = "\n".join(verify(launch, outer_alone))
    assert "requested 1 x 2 x 2 (ranks x outer x inner threads) = 4, observed 2" in reasons


def test_where_outer_threads_alone_are_bound_inner_ones_stay_on_the_cpus_of_their_team() -> None:
    launch = make_launch(Layout(threads_per_rank=2, inner_threads=2, binding=Binding.OUTER))
    record = record_as_asked(launch)
    assert verify(launch, with_place(record, 0, cpu=1)) == ()
    assert verify(launch, with_place(record, 0, cpu=4)) == (
        "rank 0 thread 0 on n0: requested CPUs 0,1, observed on CPU 4",
    )
    narrowed = verify(launch, with_place(record, 1, cpus=(1,)))
    assert narrowed == ("rank 0 thread 1 on n0: requested CPUs 0,1, allowed CPUs 1",)


def test_pages_of_another_size_drop_the_point() -> None:
    launch = make_launch(Layout(page_bytes=HUGE_PAGE))
    record = record_as_asked(launch)
    assert page_problems(launch, record) == {}, "no data, no pages"
    first, second = record.points
    record = replace(
        record, points=(replace(first, page_bytes=4096), replace(second, page_bytes=HUGE_PAGE))
    )
    problems = page_problems(launch, record)
    assert list(problems) == [launch.spec.points[0].key]
    assert "requested 2 MiB, obtained 4 KiB" in problems[launch.spec.points[0].key]


def test_missing_repeated_and_foreign_points_are_told() -> None:
    launch = make_launch(Layout())
    record = record_as_asked(launch)
    foreign = replace(record.points[0], parameters={"size": 256})
    record = replace(record, points=(record.points[0], record.points[0], foreign))
    problems = page_problems(launch, record)
    keys = [point.key for point in launch.spec.points]
    assert "recorded 2 times" in problems[keys[0]]
    assert "recorded 0 times" in problems[keys[1]]
    others = [reason for key, reason in problems.items() if key not in keys]
    assert len(others) == 1
    assert "not requested" in others[0]


def test_other_libraries_than_asked_are_told() -> None:
    layout = replace(TWO_NODES, openmp="libomp", allocator="jemalloc")
    launch = make_launch(layout)
    record = record_as_asked(launch)
    had = {"openmp": "libomp.so.5", "allocator": "libjemalloc.so.2"}
    assert verify(launch, with_header(record, libraries=had)) == ()
    linked = {"openmp": "libgomp.so.1.0.0", "allocator": "libc.so.6"}
    assert verify(launch, with_header(record, libraries=linked)) == (
        "OpenMP runtime: requested libomp, observed libgomp.so.1.0.0",
        "allocator: requested jemalloc, observed libc.so.6",
    )


def test_on_a_node_with_other_cpus_these_are_the_right_ones() -> None:
    launch = make_launch(TWO_NODES)
    here = (replace(cpu, allowed=cpu.number >= 4) for cpu in TOPOLOGY.cpus)
    other = assign(TWO_NODES, replace(TOPOLOGY, cpus=tuple(here)))
    launch = replace(launch, elsewhere=(AssignmentElsewhere((1,), (4, 5, 6, 7), other),))
    record = record_as_asked(launch)
    of_first = verify(launch, record)
    assert len(of_first) == 8, "four threads of the second node, at the start and at the end"
    assert all("on n1" in reason for reason in of_first)
    assert record.header is not None
    places = tuple(
        replace(place, cpus=cpus, cpu=cpus[0])
        for place in record.header.places
        for cpus in [(other if place.rank >= 2 else launch.assignment).cpus[place.rank % 2]]
        for cpus in [cpus[place.thread]]
    )
    assert record.closing is not None
    right = replace(
        with_header(record, places=places), closing=replace(record.closing, places=places)
    )
    assert verify(launch, right) == ()
    assert verify(replace(launch, elsewhere=UNSET), right)


def test_unbound_threads_on_a_node_with_other_cpus_may_be_on_all_of_those() -> None:
    layout = replace(TWO_NODES, binding=Binding.NONE)
    launch = replace(
        make_launch(layout),
        elsewhere=(AssignmentElsewhere((1,), (4, 5, 6, 7), assign(layout, TOPOLOGY)),),
    )
    record = record_as_asked(launch)
    assert verify(launch, record, EVERY_CPU)
    assert record.header is not None
    places = tuple(
        replace(place, cpus=(4, 5, 6, 7), cpu=4) if place.rank >= 2 else place
        for place in record.header.places
    )
    assert record.closing is not None
    right = replace(
        with_header(record, places=places), closing=replace(record.closing, places=places)
    )
    assert verify(launch, right, EVERY_CPU) == ()

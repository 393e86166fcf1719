"""Records of many ranks: what hosts have in common is written once, and every thread is there."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.noise import summarize_noise
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.layout.assign import assign
from machmeter.layout.verification.verify import verify
from machmeter.model.layout import Layout, ThreadPlace
from machmeter.model.plan.launch import (
    Closing,
    Header,
    Launch,
    LaunchSpec,
    Noise,
    Record,
    Toolchain,
)
from machmeter.model.plan.packed import Common, Packed, Quanta
from machmeter.model.point import make_point
from machmeter.store.records import parse_record
from tests.support.sysfs_tree import Shape

TOPOLOGY = Shape(packages=1, domains=1, cores=4, smt=1).topology()
LAYOUT = Layout(nodes=3, ranks_per_node=2, threads_per_rank=2)
# As native/tests/core/session/test_packed.cpp writes it.
OF_NATIVE = (
    b'{"hosts":["a","b","c"],"blocks":[[0,2],[1,2],[2,2]],'
    b'"allowed":[{"blocks":[0,1,2],"ranks":"0,1"}],'
    b'"on":[{"blocks":[0,1],"ranks":"0,1"},{"blocks":[2],"ranks":"1,0"}],'
    b'"quanta":[{"count":12,"cpus":"0-1","fastest_ns":"10 11","slow":"0 1","slow_ns":"19"},'
    b'{"count":12,"cpus":"0-1","fastest_ns":"12 13","slow":"0 0","slow_ns":""},'
    b'{"count":12,"cpus":"1+0","fastest_ns":"14 15","slow":"0 2","slow_ns":"20 21"}]}'
)
# More than a machine has CPUs; and than that many ranks may have threads each.
MANY, SQUARED = 70_000, 2100
BLOCKS = ((0, 2), (1, 2), (2, 2))
AS_ASKED = Packed(
    ("a", "b", "c"),
    BLOCKS,
    (Common((0, 1, 2), "0 1,2 3"),),
    (Common((0, 1, 2), "0 1,2 3"),),
    (Quanta(2, "0-3", "1000 1000 1000 2000", "0 0 0 1", "5000"),) * 3,
)


def make_launch() -> Launch:
    point = make_point("network.barrier", {}, LAYOUT)
    spec = LaunchSpec("spec", MPI_PROGRAM.name, "network.barrier", LAYOUT, (point,), 0.03)
    return Launch(3, spec, 77, assign(LAYOUT, TOPOLOGY))


def read(packed: Packed, at_the_end: Packed | None = None, unlike: int = 0) -> Record:
    """The record as the native programs write it, without points."""
    noise = tuple(Noise(host, (), (), 1.0, 2, 0.5) for host in packed.hosts[unlike:])
    started = "2026-11-21T12:00:00Z"
    toolchain = Toolchain("GNU", "-O3", "0")
    lines = (
        Header(4, "network.barrier", 3, 77, 6, started, (), toolchain, None, noise, packed=packed),
        Closing(started, 0, noise, 0.1, packed=at_the_end or packed),
    )
    return parse_record(b"\n".join(map(msgspec.json.encode, lines)))


def test_places_of_every_thread_are_as_the_native_programs_packed_them() -> None:
    packed = msgspec.json.decode(OF_NATIVE, type=Packed)
    assert packed.places() == tuple(
        ThreadPlace(rank, 0, host, (cpu,), on)
        for rank, host, cpu, on in (
            *((0, "a", 0, 0), (1, "a", 1, 1), (2, "b", 0, 0)),
            *((3, "b", 1, 1), (4, "c", 0, 1), (5, "c", 1, 0)),
        )
    )


def of_quanta(quanta: Quanta) -> Noise:
    return Noise("n", (), (), 1.0, 2, 0.5, packed=quanta)


def test_quanta_are_as_many_as_there_were_and_slow_ones_stand_out() -> None:
    packed = msgspec.json.decode(OF_NATIVE, type=Packed)
    of_0, of_1 = summarize_noise([of_quanta(packed.quanta[0])])
    assert (of_0.cpu, of_0.quanta, of_0.detours, of_0.worst_slowdown) == (0, 12, 0, 1)
    assert (of_1.cpu, of_1.quanta, of_1.detours) == (1, 12, 1)
    assert of_1.worst_slowdown == pytest.approx(19 / 11)
    of_c0, of_c1 = summarize_noise([of_quanta(packed.quanta[2])])
    assert (of_c0.detours, of_c1.detours) == (2, 0)
    assert of_c0.worst_slowdown == pytest.approx(21 / 15)


def test_packed_quanta_are_summarized_as_if_they_were_listed() -> None:
    packed = of_quanta(Quanta(3, "5+2+5", "1000 900 1010", "1 0 2", "1500 1100 1200"))
    seconds = ((1e-6, 1e-6, 1.5e-6), (9e-7,) * 3, (1.01e-6, 1.1e-6, 1.2e-6))
    listed = Noise("n", (5, 2, 5), seconds, 1.0, 2, 0.5)
    found, expected = summarize_noise([packed]), summarize_noise([listed])
    assert [(one.cpu, one.quanta, one.detours) for one in found] == [(2, 3, 0), (5, 6, 3)]
    for one, other in zip(found, expected, strict=True):
        assert msgspec.structs.astuple(one)[1:] == pytest.approx(msgspec.structs.astuple(other)[1:])


def test_a_packed_record_that_is_as_requested_is_accepted() -> None:
    record = read(AS_ASKED)
    assert record.complete, record.problem
    assert verify(make_launch(), record) == ()
    assert record.header is not None
    found = summarize_noise(record.header.noise)
    assert [(one.host, one.cpu) for one in found] == [(h, c) for h in "abc" for c in range(4)]
    assert [one.worst_slowdown for one in found[:4]] == pytest.approx([1, 1, 1, 2.5])


def moved_host(packed: Packed) -> Packed:
    return replace(packed, hosts=("a", "b", "d"))


def group(*texts: tuple[tuple[int, ...], str]) -> tuple[Common, ...]:
    return tuple(Common(blocks, text) for blocks, text in texts)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            {"allowed": group(((0, 2), "0 1,2 3"), ((1,), "0 1,2 2"))},
            "rank 3 thread 1 on b: requested CPUs 3, allowed CPUs 2",
        ),
        (
            {"on": group(((0, 1), "0 1,2 3"), ((2,), "0 1,3 3"))},
            "rank 5 thread 0 on c: requested CPUs 2, observed on CPU 3",
        ),
        (
            {
                "allowed": group(((0, 1), "0 1,2 3"), ((2,), "0 -,2 3")),
                "on": group(((0, 1), "0 1,2 3"), ((2,), "0 -,2 3")),
            },
            "never observed: rank 4 thread 1",
        ),
        (
            {"hosts": ("a", "b"), "blocks": ((0, 2), (1, 2), (1, 2))},
            "hosts: requested 3, observed 2 (a, b)",
        ),
        ({"blocks": ((0, 2), (2, 2), (1, 2))}, ""),
    ],
    ids=["other CPUs", "on another CPU", "lacking", "one host fewer", "hosts in another order"],
)
def test_a_misplaced_thread_is_found_in_a_packed_record(
    changed: dict[str, object], reason: str
) -> None:
    packed = replace(AS_ASKED, **changed)
    packed = replace(packed, quanta=packed.quanta[: len(packed.hosts)])
    reasons = verify(make_launch(), read(packed))
    assert any(reason in one for one in reasons) if reason else not reasons


def test_ranks_that_alternate_between_hosts_are_found() -> None:
    one_each = replace(
        AS_ASKED,
        blocks=tuple((rank % 3, 1) for rank in range(6)),
        allowed=(Common((0, 1, 2), "0 1"), Common((3, 4, 5), "2 3")),
        on=(Common((0, 1, 2), "0 1"), Common((3, 4, 5), "2 3")),
    )
    (reason, *_) = verify(make_launch(), read(one_each))
    assert reason.startswith(
        "ranks on host a: requested 2 ranks from rank 0 on, observed ranks 0, 3"
    )


def test_a_rank_that_moved_until_the_end_is_found() -> None:
    reasons = verify(make_launch(), read(AS_ASKED, moved_host(AS_ASKED)))
    assert "rank 4 thread 0: on host c at the start, on d at the end" in reasons


def test_of_very_many_misplaced_threads_the_first_are_named_and_the_others_counted() -> None:
    nodes = 200
    layout = replace(LAYOUT, nodes=nodes)
    every = tuple(range(nodes))
    packed = Packed(
        tuple(map(str, every)),
        tuple((node, 2) for node in every),
        (Common(every, "1 0,2 3"),),
        (Common(every, "0 1,2 3"),),
        AS_ASKED.quanta[:1] * nodes,
    )
    spec = replace(make_launch().spec, layout=layout)
    launch = replace(make_launch(), spec=spec, assignment=assign(layout, TOPOLOGY))
    reasons = [one for one in verify(launch, read(packed)) if "world size" not in one]
    assert len(reasons) == 2 * 257
    assert reasons[0] == "rank 0 thread 0 on 0: requested CPUs 0, allowed CPUs 1"
    assert reasons[256] == "and 144 more threads"


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: replace(packed, blocks=((0, 2), (1, 2), (3, 2))),
        lambda packed: replace(packed, blocks=((0, 2), (1, 2))),
        lambda packed: replace(packed, blocks=((0, 2), (1, 2), (2, 3))),
        lambda packed: replace(packed, blocks=((0, 2), (1, 2), (2, 2**60))),
        lambda packed: replace(packed, on=packed.on[:0]),
        lambda packed: replace(packed, on=(Common((0, 1, 2), "0 1,2"),)),
        lambda packed: replace(packed, on=(Common((0, 1, 2), "0 1,2 x"),)),
        lambda packed: replace(packed, allowed=(Common((0, 1, 2), "0 1,2 3-x"),)),
        lambda packed: replace(packed, allowed=(Common((0, 1, 2), f"0 1,2 {'0+' * MANY}0"),)),
        lambda packed: replace(
            packed,
            blocks=((0, 1),),
            allowed=(Common((0,), " ".join(f"{first}-65535" for first in range(MANY // 500))),),
            on=(Common((0,), " ".join(["0"] * (MANY // 500))),),
        ),
        lambda packed: replace(
            packed,
            blocks=((0, 1),) * SQUARED,
            allowed=(Common(tuple(range(SQUARED)), " ".join(["0"] * SQUARED)),),
            on=(Common(tuple(range(SQUARED)), " ".join(["0"] * SQUARED)),),
        ),
    ],
)
def test_a_damaged_packed_line_makes_the_record_incomplete(
    damage: Callable[[Packed], Packed],
) -> None:
    record = read(damage(AS_ASKED))
    assert not record.complete
    assert record.problem.startswith("line 1 is cut off or damaged")


def test_a_host_without_noise_makes_the_record_incomplete() -> None:
    assert "noise of 2 hosts, quanta of 3" in read(AS_ASKED, unlike=1).problem


def test_a_host_without_quanta_has_no_noise() -> None:
    assert summarize_noise([of_quanta(Quanta(12, "-", "", "", ""))]) == ()


@pytest.mark.parametrize(
    "quanta",
    [
        Quanta(2, "0-1", "10", "0", ""),
        Quanta(2, "0-1", "10 10", "0", ""),
        Quanta(2, "x", "10", "0", ""),
        Quanta(2, "0", "ten", "0", ""),
        Quanta(2, "0", "10", "3", "20 20 20"),
        Quanta(2, "0-1", "10 10", "-1 1", ""),
        Quanta(2, "0", "10", "1", ""),
        Quanta(2, "0", "10", "9" * 40, "20"),
        Quanta(0, "0", "10", "0", ""),
        Quanta(2**40, "0", "10", "0", ""),
        Quanta(2**10, "0-2047", " ".join(["10"] * 2**11), " ".join(["0"] * 2**11), ""),
        Quanta(2, "0", "nan", "0", ""),
        Quanta(2, "0", "-1", "0", ""),
    ],
)
def test_quanta_that_cannot_be_are_refused_by_the_name_of_their_host(quanta: Quanta) -> None:
    with pytest.raises(ValueError, match="noise of n"):
        summarize_noise([of_quanta(quanta)])

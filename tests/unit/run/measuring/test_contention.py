"""Which share of its CPUs' time others took from a launch."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.layout import ThreadPlace
from machmeter.model.plan.launch import Closing, Header, Noise, Record
from machmeter.run.measuring.contention import contention_reasons, share_of_others
from tests.support.observed_ranks import observed_rank

BEFORE = Noise("one", (0,), ((),), 0.0, 0, 0.0, boot="b", own_seconds=1.0, busy_seconds=50.0)
HEADER = Header(4, "memory.stream", 1, 1, 2, "2026-11-29T10:00:00.500000Z", (), None, None, ())
CLOSING = Closing("2026-11-29T10:00:02.500000Z", 1, (), 1.0)


def recorded(*ranks: tuple[tuple[int, ...], float, float], ended: str = CLOSING.ended) -> Record:
    """ranks: the CPUs of each, its own CPU time and that of its CPUs in two seconds."""
    places = tuple(ThreadPlace(n, 0, "one", cpus, cpus[0]) for n, (cpus, *_) in enumerate(ranks))
    after = tuple(
        replace(BEFORE, own_seconds=1.0 + own, busy_seconds=50.0 + busy) for _, own, busy in ranks
    )
    header = replace(HEADER, places=places, noise=(BEFORE,) * len(ranks))
    return Record(header, (), replace(CLOSING, noise=after, ended=ended))


def test_what_others_took_is_a_share_of_the_time_of_all_cpus() -> None:
    assert share_of_others(recorded(((0,), 1.0, 1.9))) == pytest.approx(0.45)
    assert share_of_others(recorded(((0, 1), 2.0, 3.0))) == pytest.approx(0.25)
    each = recorded(((0,), 1.9, 2.0), ((1,), 1.0, 2.0))
    assert share_of_others(each) == pytest.approx(0.275)


def test_cpus_that_ranks_have_in_common_are_counted_once() -> None:
    assert share_of_others(recorded(((0, 1), 1.0, 3.0), ((0, 1), 1.0, 3.0))) == pytest.approx(0.25)


def test_a_launch_that_takes_more_than_ticks_show_is_alone() -> None:
    assert share_of_others(recorded(((0,), 2.0, 1.96))) == 0.0


@pytest.mark.parametrize(
    "record",
    [
        recorded(((0,), 0.1, 0.3), ended="2026-11-29T10:00:00.900000Z"),
        recorded(((0,), 0.1, 0.3), ended="yesterday"),
        recorded(((0, 1), 1.0, 3.0), ((1, 2), 1.0, 3.0)),
        replace(recorded(((0,), 1.0, 2.0)), closing=None),
        replace(recorded(((0,), 1.0, 2.0)), closing=CLOSING),
        Record(replace(HEADER, noise=(BEFORE,)), (), replace(CLOSING, noise=(BEFORE,))),
    ],
    ids=["short", "no moment", "overlapping", "cut", "no noise", "no places"],
)
def test_of_other_launches_nothing_is_said(record: Record) -> None:
    assert share_of_others(record) is None


def test_records_without_counts_and_of_several_hosts_say_nothing() -> None:
    whole = recorded(((0,), 1.0, 2.0), ((1,), 1.0, 2.0))
    assert whole.header is not None
    assert share_of_others(whole) == pytest.approx(0.5)
    elsewhere = replace(BEFORE, host="two", boot="c")
    for other in (elsewhere, replace(BEFORE, busy_seconds=None), replace(BEFORE, own_seconds=None)):
        header = replace(whole.header, noise=(BEFORE, other))
        assert share_of_others(replace(whole, header=header)) is None


def test_of_programs_of_others_the_wrapper_counts() -> None:
    rank = replace(
        observed_rank(),
        wall_seconds=2.0,
        user_seconds=1.5,
        system_seconds=0.1,
        cpus=(0,),
        busy_seconds=2.0,
    )
    record = Record(HEADER, (), CLOSING, observed=(rank,))
    assert share_of_others(record) == pytest.approx(0.2)
    assert share_of_others(replace(record, observed=(replace(rank, wall_seconds=0.4),))) is None
    elsewhere = replace(rank, host="another")
    assert share_of_others(replace(record, observed=(rank, elsewhere))) is None


def test_a_tenth_is_allowed() -> None:
    assert contention_reasons(recorded(((0,), 1.0, 1.19))) == ()
    assert contention_reasons(replace(recorded(((0,), 1.0, 2.0)), closing=None)) == ()
    (reason,) = contention_reasons(recorded(((0,), 1.0, 1.302)))
    assert "15 %" in reason


def short(switches: int, *cpus: tuple[int, ...], own: float = 0.3) -> Record:
    """A launch of 0.4 s in which each rank had to leave its CPUs so often."""
    whole = recorded(*((one, own, own) for one in cpus), ended="2026-11-29T10:00:00.900000Z")
    assert whole.closing is not None
    noise = tuple(replace(one, involuntary_switches=switches) for one in whole.closing.noise)
    return replace(whole, closing=replace(whole.closing, noise=noise))


def test_a_short_launch_is_judged_by_how_often_it_had_to_leave_its_cpus() -> None:
    assert share_of_others(short(60, (0,))) is None
    assert contention_reasons(short(26, (0,))) == ()
    (reason,) = contention_reasons(short(60, (0,)))
    assert "200 times in a second" in reason
    assert contention_reasons(short(60, (0,), (1,))), "of two ranks as well"


def test_threads_that_share_cpus_interrupt_each_other() -> None:
    assert contention_reasons(short(60, (0,), (0,))) == ()
    assert contention_reasons(short(60, (0,), own=0.05)) == (), "too short to say"

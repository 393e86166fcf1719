"""Where a key result stands among those of made-up machines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.analysis.normal.position import Position, Side, positions
from machmeter.model.benchmark import Statistic, Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.printed import HowKnown, Printed
from machmeter.model.units import UNBOUNDED
from tests.support.made_up.estimates import made_up

TWO_NODES = Layout(nodes=2)
PINGPONG: dict[str, Value] = {
    "size": 8, "pattern": "ping-pong", "way": "blocking", "data": "contiguous", "buffers": "hot",
}  # fmt: skip
STREAM: dict[str, Value] = {"kernel": "triad", "stores": "temporal", "size": 2**32}


def latency(seconds: float, **changed: Value) -> Estimate:
    return made_up("network.latency", {**PINGPONG, **changed}, TWO_NODES, "latency", seconds)


def triad(rate: float, threads: int) -> Estimate:
    return made_up(
        "memory.stream", STREAM, Layout(threads_per_rank=threads), "stream_bandwidth", rate
    )


def as_printed(
    one: Estimate,
    how_known: HowKnown = HowKnown.PRINTED,
    statistic: Statistic | None = None,
) -> Estimate:
    stated = ("nodes", "ranks_per_node", "threads_per_rank")
    printed = Printed(
        "f",
        "1",
        1.0,
        "us",
        "Somebody",
        how_known=how_known,
        statistic=statistic,
        stated_layout=stated,
    )
    return replace(
        one, launches=1, low=0.0, high=UNBOUNDED, printed=printed, origin=Origin.PUBLISHED
    )


def machine(
    name: str, *results: Estimate, memory: float = 0.0, cores: int = 4, own: bool = False
) -> MachineResults:
    return MachineResults(
        name,
        name,
        Origin.MEASURED if own else Origin.PUBLISHED,
        "Somebody",
        parts=Parts(1, cores),
        generation="Zen 3",
        limits={"memory": memory} if memory else {},
        estimates=results if own else tuple(map(as_printed, results)),
    )


def position(own: Estimate, others: Sequence[MachineResults], memory: float = 0.0) -> Position:
    (found,) = positions(machine("here", own, memory=memory, own=True), [own], others)
    return found


def test_machines_are_counted_on_either_side() -> None:
    own = latency(2e-6)
    others = [machine(str(n), latency(n * 1e-6)) for n in (1, 2, 3, 4)]
    found = position(own, others)
    assert [found.count(side) for side in (Side.ABOVE, Side.LIKE, Side.BELOW)] == [2, 1, 1]
    assert [one.machine for one in found.others] == ["1", "2", "3", "4"]
    assert found.has_place
    assert found.chance_beyond_all == pytest.approx(0.4)
    assert not found.is_unusual


def test_of_few_machines_nothing_is_said() -> None:
    found = position(latency(9e-6), [machine(str(n), latency(1e-6)) for n in (1, 2)])
    assert not found.has_place
    assert found.chance_beyond_all is None
    assert not found.is_unusual


def test_unusual_needs_many_machines_or_a_broken_limit() -> None:
    slow = latency(9e-6)
    for count, unusual in ((18, False), (19, True)):
        others = [machine(str(n), latency(1e-6)) for n in range(count)]
        assert position(slow, others).is_unusual == unusual
    assert position(triad(300e9, 4), [], memory=200e9).is_unusual
    assert not position(triad(150e9, 4), [], memory=200e9).is_unusual


def test_other_definitions_are_refused_with_their_reason() -> None:
    found = position(latency(2e-6), [machine("other", latency(1e-6, size=64))])
    assert found.others == ()
    assert "size" in found.not_placed[0].reason


def test_a_threshold_is_shown_and_not_counted() -> None:
    bound = replace(machine("site"), estimates=(as_printed(latency(3e-6), HowKnown.THRESHOLD),))
    found = position(latency(2e-6), [bound])
    assert [(one.is_threshold, one.side) for one in found.others] == [(True, Side.ABOVE)]
    assert found.counted == ()


def test_what_grows_with_a_machine_is_compared_as_a_share_of_its_limit() -> None:
    own = triad(150e9, 4)
    large = machine("large", triad(300e9, 64), memory=600e9, cores=64)
    unknown = machine("unknown", triad(300e9, 64), cores=64)
    found = position(own, [large, unknown], memory=200e9)
    assert [(one.machine, one.side, one.share) for one in found.others] == [
        ("large", Side.ABOVE, pytest.approx(0.5))
    ]
    assert [one.machine for one in found.not_placed] == ["unknown"]
    assert position(own, [large]).others == ()
    # The same layout needs no limit.
    assert position(own, [machine("same", triad(300e9, 4))]).count(Side.BELOW) == 1


def test_what_has_no_interval_is_like_what_is_within_two_percent() -> None:
    own = as_printed(latency(2e-6), statistic=Statistic.MEAN)
    others = [machine(str(n), latency(n * 1e-6)) for n in (1.97, 2.03, 2.1)]
    found = position(own, others)
    assert [found.count(side) for side in (Side.LIKE, Side.ABOVE)] == [2, 1]


def test_a_part_of_a_node_is_no_share_of_its_limit() -> None:
    own = triad(50e9, 1)
    whole = machine("whole", triad(300e9, 4), memory=600e9)
    same = machine("same", triad(60e9, 1), memory=600e9)
    found = position(own, [whole, same], memory=200e9)
    assert found.share is None
    assert [(one.machine, one.side, one.share) for one in found.others] == [
        ("same", Side.BELOW, None)
    ]


def test_a_share_is_above_the_limit_with_all_of_its_interval() -> None:
    loud = made_up(
        "memory.stream", STREAM, Layout(threads_per_rank=4), "stream_bandwidth", 210e9, 0.3
    )
    assert not position(loud, [], memory=200e9).is_above_limit
    assert position(triad(210e9, 4), [], memory=200e9).is_above_limit


@pytest.mark.parametrize(("ranks", "has_share"), [(1, True), (2, False)])
def test_one_pair_of_ranks_has_one_link(ranks: int, has_share: bool) -> None:
    layout = Layout(nodes=2, ranks_per_node=ranks)
    parameters: dict[str, Value] = {"size": 2**20, "window": 64, "direction": "one-way"}
    own = made_up("network.bandwidth", parameters, layout, "bandwidth_one_way", 12e9)
    here = replace(machine("here", own, own=True), limits={"link": 25e9, "links": 50e9})
    (found,) = positions(here, [own], [])
    assert found.share == (pytest.approx(0.48) if has_share else None)


@pytest.mark.parametrize(
    ("rate", "share", "unusual"),
    [(24e9, 0.96, False), (25.2e9, 1.0, False), (40e9, 0.8, False), (55e9, 1.1, True)],
)
def test_what_one_link_does_not_carry_is_a_share_of_all_links(
    rate: float, share: float, unusual: bool
) -> None:
    parameters: dict[str, Value] = {"size": 2**20, "window": 64, "direction": "one-way"}
    own = made_up("network.bandwidth", parameters, TWO_NODES, "bandwidth_one_way", rate)
    here = replace(machine("here", own, own=True), limits={"link": 25e9, "links": 50e9})
    (found,) = positions(here, [own], [])
    assert found.share == pytest.approx(share)
    assert found.is_unusual is unusual


def test_a_rate_of_arithmetic_is_a_share_at_the_clock_as_measured() -> None:
    parameters: dict[str, Value] = {"width": "256-bit", "precision": "single"}
    layout = Layout(threads_per_rank=4)
    own = made_up("compute.fma", parameters, layout, "flops", 240e9)
    clock = made_up("compute.fma", parameters, layout, "clock", 2e9)
    here = replace(machine("here", own, clock, own=True), limits={"operations": 16})
    (found,) = positions(here, [own], [])
    assert found.share == pytest.approx(240e9 / (4 * 2e9 * 32))
    (unclocked,) = positions(replace(here, estimates=(own,)), [own], [])
    assert unclocked.share is None


@pytest.mark.parametrize(("high", "unusual"), [(2.0e9, True), (2.2e9, False)])
def test_a_peak_is_no_better_known_than_its_clock(high: float, unusual: bool) -> None:
    parameters: dict[str, Value] = {"width": "256-bit", "precision": "double"}
    layout = Layout(threads_per_rank=4)
    own = made_up("compute.fma", parameters, layout, "flops", 130e9)
    clock = replace(made_up("compute.fma", parameters, layout, "clock", 2e9), low=1.9e9, high=high)
    exact = replace(own, low=own.value, high=own.value)
    here = replace(machine("here", exact, clock, own=True), limits={"operations": 16})
    (found,) = positions(here, [exact], [])
    assert found.is_unusual is unusual


def test_what_its_source_leaves_open_is_compared_with_none() -> None:
    silent = replace(as_printed(latency(2e-6)), point=latency(2e-6).point)
    sizeless = replace(
        as_printed(latency(2e-6), statistic=Statistic.MEAN),
        point=replace(
            silent.point, parameters=tuple(p for p in silent.point.parameters if p[0] != "size")
        ),
    )
    placeless = replace(
        as_printed(latency(2e-6), statistic=Statistic.MEAN),
        point=replace(silent.point, layout=Layout()),
    )
    assert placeless.printed is not None
    placeless = replace(placeless, printed=replace(placeless.printed, stated_layout=()))
    others = [machine(str(n), latency(n * 1e-6)) for n in (1, 2, 3)]
    for one, lacks in (
        (silent, ("statistic",)),
        (sizeless, ("size",)),
        (placeless, ("nodes", "ranks")),
    ):
        here = replace(machine("here"), parts=Parts(), estimates=(one,))
        (found,) = positions(here, [one], others)
        assert (found.lacks, found.others, found.not_placed) == (lacks, (), ())

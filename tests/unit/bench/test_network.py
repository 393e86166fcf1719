"""Quantities compared with OSU and IMB, how launches are reduced, and what is said of points."""

import math
import os
import random
import statistics
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.comparisons.busy_network import busy_cpu
from bench.comparisons.network_tables import definition_lines, point_pairs
from bench.network.catalogue import quantities
from bench.network.contenders import our_key, our_name, peer_key, results_of_table, step_key
from bench.network.points import (
    PointPair,
    agreement_lines,
    compared,
    point_row,
    stability,
)
from bench.network.quantity import NO_SIZE, Family, PeerColumn, Quantity
from bench.network.reductions import launch_result, peer_reduction
from bench.network.run_changes import TwoRuns, change_row, results_of_run, run_changes
from bench.network.tables import Table
from bench.network.time_to_precision import (
    LEAST_LAUNCHES,
    MOST_LAUNCHES,
    MOST_SECONDS,
    launch_until_precise,
)
from bench.rounds import RoundResults
from machmeter.model.plan.launch import Check, PointRecord

EVERYTHING = quantities()
NAMED = {quantity.name: quantity for quantity in EVERYTHING}
PING_PONG = NAMED["ping-pong"]
STEADY = (1.00, 1.01, 0.99, 1.005)


def record(facts: dict[str, float] | None = None, **series: tuple[float, ...]) -> PointRecord:
    named = {name.replace("_", " "): samples for name, samples in series.items()}
    return PointRecord({"size": 8}, named, 1, Check(True, ""), facts or {})


def pair(
    ours: tuple[float, ...],
    theirs: tuple[float, ...],
    *,
    quantity: Quantity = PING_PONG,
    program: int = 0,
    size: int = 8,
    step: float = 0.0,
) -> PointPair:
    numbered = [dict(enumerate(values, start=1)) for values in (ours, theirs)]
    return PointPair(quantity, quantity.theirs[program], size, *numbered, step)


@pytest.mark.parametrize("quantity", EVERYTHING, ids=lambda q: q.name)
def test_every_quantity_has_all_parameters_of_its_benchmark(quantity: Quantity) -> None:
    given_values = dict(quantity.parameters)
    names = {parameter.name for parameter in quantity.benchmark.parameters}
    assert names == {*given_values, *(("size",) if quantity.sizes else ())}
    for parameter in quantity.benchmark.parameters:
        values = quantity.sizes if parameter.name == "size" else (given_values[parameter.name],)
        assert [parameter.refusal(value) for value in values] == [""] * len(values)
    for skip in quantity.benchmark.skips:
        assert not set(skip) <= set(quantity.parameters)


def test_names_are_unique_and_every_family_has_some() -> None:
    assert len(NAMED) == len(EVERYTHING)
    for family in Family:
        chosen = quantities((family,))
        assert chosen
        assert {quantity.family for quantity in chosen} == {family}


def test_a_program_is_launched_with_or_without_sizes_never_both() -> None:
    sized: dict[str, set[bool]] = {}
    for quantity in EVERYTHING:
        for theirs in quantity.theirs:
            sized.setdefault(theirs.command_name, set()).add(bool(quantity.sizes))
    assert all(len(kinds) == 1 for kinds in sized.values())


def test_every_launch_is_reduced_as_the_programs_do() -> None:
    assert peer_reduction(PING_PONG, record(seconds=(1.0, 2.0, 6.0))) == 3.0
    rate = peer_reduction(
        NAMED["bandwidth, window 64"], record({"bytes_one_way": 8.0}, seconds=(2.0,))
    )
    assert rate == 4.0
    assert peer_reduction(NAMED["pairs, barrier"], record(slowest=(9.0,), mean=(4.0,))) == 4.0
    threads = NAMED["one thread of MPI_THREAD_MULTIPLE"]
    assert peer_reduction(threads, record(seconds=(3.0,))) == 1.5
    hidden = record(total=(12.0,), work=(8.0,), communication=(10.0,))
    assert peer_reduction(NAMED["bcast, share hidden"], hidden) == pytest.approx(0.6)


def test_the_slowest_rank_is_that_with_the_largest_mean_not_the_mean_of_the_slowest() -> None:
    ranks = record(seconds=(3.0, 3.0), rank_0=(3.0, 1.0), rank_1=(1.0, 3.5), late_rounds=(99.0,))
    assert peer_reduction(NAMED["barrier"], ranks) == 2.25


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("ping-pong", record(other=(1.0,))),
        ("ping-pong", record(seconds=())),
        ("barrier", record(seconds=(1.0,))),
        ("bandwidth, window 64", record(seconds=(1.0,))),
    ],
)
def test_a_record_that_lacks_what_is_needed_is_refused(name: str, point: PointRecord) -> None:
    with pytest.raises(ValueError, match="the record"):
        peer_reduction(NAMED[name], point)


def test_machmeters_own_value_is_robust_where_the_mean_is_not() -> None:
    samples = (1.0,) * 39 + (1000.0,)
    assert launch_result(PING_PONG, record(seconds=samples)) == 1.0
    assert peer_reduction(PING_PONG, record(seconds=samples)) > 25


def test_cells_become_metrics_and_a_single_line_has_no_size() -> None:
    results = results_of_table(Table(("t", "u"), {4: (1.0, 2.0)}, (0.1, 0.2)))
    theirs = PeerColumn("IMB-RMA", (), "u")
    assert results[peer_key(theirs, 4)] == results[peer_key(theirs, NO_SIZE)] == 2.0
    assert results[step_key(theirs)] == 0.2
    two = results_of_table(Table(("t",), {4: (1.0,), 8: (2.0,)}, (0.1,)))
    assert peer_key(PeerColumn("IMB-RMA", (), "t"), NO_SIZE) not in two


def test_a_peers_size_of_all_parts_corresponds_to_ours_of_one() -> None:
    (osu, imb) = NAMED["reduce-scatter, float"].theirs
    assert (peer_key(osu, 8), peer_key(imb, 8)) == ("Max Latency 16", "t_max 8")


def test_pairs_use_rounds_with_values_of_both() -> None:
    osu = PING_PONG.theirs[0]
    results = {
        our_name(PING_PONG): {our_key(8): {1: 1.0, 2: 1.0, 3: 2.0}, our_key(64): {1: 1.0}},
        osu.command_name: {
            peer_key(osu, 8): {2: 2.0, 3: 4.0, 4: 9.0},
            peer_key(osu, 64): {1: 1.0},
            step_key(osu): {1: 0.01},
        },
    }
    (only,) = point_pairs([(PING_PONG, (osu,))], RoundResults(results, {}, rounds=4))
    assert (only.size, only.rounds, only.step) == (8, (2, 3), 0.01)
    assert compared(only).ratio == pytest.approx(2.0)


def test_a_zero_of_the_peer_has_no_ratio() -> None:
    assert not pair((1.0, 1.0), (1.0, 0.0)).comparable
    assert pair((0.1, 0.2), (0.0, 0.0), quantity=NAMED["bcast, share hidden"]).comparable


def test_the_row_has_verdict_and_stability() -> None:
    same = point_row(pair(STEADY, STEADY))
    assert (same.what, same.target, same.ratio) == ("ping-pong, 8 B : OSU", "same, stable", 1.0)
    slower = point_row(pair(tuple(2 * value for value in STEADY), STEADY))
    assert (slower.target, round(slower.ratio, 6)) == ("slower, stable", 0.5)
    assert point_row(pair(STEADY, (1.0, 1.5, 0.7, 1.0))).target == "inconclusive, unstable"
    assert point_row(pair(STEADY, STEADY, step=0.05)).target == "same, coarse"
    assert point_row(pair((1.0, 1.0), (1.0, 1.0))).target == "same, unstable"


def test_a_different_definition_has_a_star_and_is_explained() -> None:
    put = NAMED["put, create"]
    assert point_row(pair(STEADY, STEADY, quantity=put)).what == "put, create, 8 B : OSU*"
    assert point_row(pair(STEADY, STEADY, quantity=put, program=1)).what.endswith(": IMB")
    lines = definition_lines([(put, put.theirs)])
    assert any(line.startswith("* OSU: two clock readings") for line in lines)


def test_shares_are_subtracted() -> None:
    hidden = NAMED["bcast, share hidden"]
    row = point_row(pair((0.5, 0.6, 0.4), (0.0, 0.1, 0.0), quantity=hidden))
    assert row.ratio == pytest.approx(0.5 - 0.1 / 3)
    assert row.low < row.ratio < row.high
    assert row.statistic == "difference"


def test_agreement_counts_points_where_all_three_are_stable() -> None:
    near, far = tuple(1.02 * value for value in STEADY), tuple(1.2 * value for value in STEADY)
    pairs = [
        pair(STEADY, near),
        pair(STEADY, far, program=1),
        pair(STEADY, near, size=64),
        pair(STEADY, (1.0, 2.0, 0.5, 1.0), program=1, size=64),
        pair(STEADY, far, quantity=NAMED["put, create"]),
    ]
    _, threes, either, other = agreement_lines(pairs)
    assert "1 of 2 points stable; of these 2 ratios 1 are within 3 % (50 %)" in threes
    assert "3 of 4 ratios stable; of these 3 ratios 2 are within 3 %" in either
    assert "1 of 1 ratios stable; of these 1 ratios 0 are within 3 %" in other


@given(st.lists(st.floats(0.5, 2.0), min_size=3, max_size=8), st.floats(0.01, 100))
def test_stability_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    plain = stability(pair(tuple(values), tuple(values), step=1e-3))
    scaled = [factor * value for value in values]
    other = stability(pair(tuple(scaled), tuple(scaled), step=1e-3 * factor))
    assert other.ours == pytest.approx(plain.ours, abs=1e-9)
    assert other.digit == pytest.approx(plain.digit)


def ticking(step: float) -> Callable[[], float]:
    now = [0.0]

    def clock() -> float:
        now[0] += step
        return now[0]

    return clock


def test_a_steady_tool_ends_at_the_minimum_number_of_launches() -> None:
    noise = random.Random(3)
    tools = {"ours": lambda: 1.0, "theirs": lambda: noise.lognormvariate(0, 0.5)}
    series = launch_until_precise(tools, random.Random(1), ticking(1.0))
    assert (len(series["ours"].values), series["ours"].reached) == (LEAST_LAUNCHES, True)
    assert (len(series["theirs"].values), series["theirs"].reached) == (MOST_LAUNCHES, False)
    assert series["ours"].seconds == LEAST_LAUNCHES
    assert series["theirs"].half_width > 0.02


def test_a_tool_that_takes_too_long_ends_before_its_interval_is_narrow() -> None:
    noise = random.Random(3)
    series = launch_until_precise(
        {"slow": lambda: noise.random() + 0.01}, random.Random(1), ticking(MOST_SECONDS)
    )
    assert (len(series["slow"].values), series["slow"].reached) == (1, False)


def test_a_value_that_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="theirs gave 0"):
        launch_until_precise({"theirs": lambda: 0.0}, random.Random(1), ticking(1.0))


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_a_change_is_the_same_in_both_directions(first: float, second: float) -> None:
    there, back = TwoRuns({"a": first}, {"a": second}), TwoRuns({"a": second}, {"a": first})
    assert there.change("a") == pytest.approx(back.change("a"))


def test_changes_are_counted_at_points_of_both() -> None:
    ours = TwoRuns({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.01, "b": 1.03, "c": 5.0})
    theirs = TwoRuns({"a": 1.0, "b": 1.0}, {"a": 1.10, "b": 1.02})
    row = change_row("busy", run_changes(ours, theirs))
    assert (row.launches, row.target) == (2, "less at 1 of 2")
    expected = statistics.median((math.log(1.1), math.log(1.02)))
    assert row.ratio == pytest.approx(
        expected / statistics.median((math.log(1.01), math.log(1.03)))
    )


def test_a_busy_cpu_has_a_process_of_its_own_until_the_block_ends() -> None:
    cpu = max(os.sched_getaffinity(0))
    with busy_cpu(cpu) as process:
        until = time.monotonic() + 30
        while os.sched_getaffinity(process) != {cpu} and time.monotonic() < until:
            time.sleep(0.01)
        assert os.sched_getaffinity(process) == {cpu}
    with pytest.raises(ProcessLookupError):
        os.sched_getaffinity(process)


def test_changes_of_no_point_are_refused() -> None:
    with pytest.raises(ValueError, match="no point"):
        change_row("busy", run_changes(TwoRuns({}, {}), TwoRuns({}, {})))


def test_a_run_is_the_geometric_mean_of_its_launches() -> None:
    results = {"x": {"8": {1: 1.0, 2: 4.0}, "64": {1: 1.0}, "0": {1: 1.0, 2: 0.0}}}
    keys = {"a": ("x", "8"), "b": ("x", "64"), "c": ("x", "0"), "d": ("y", "8")}
    assert results_of_run(RoundResults(results, {}, rounds=2), keys) == {"a": pytest.approx(2.0)}

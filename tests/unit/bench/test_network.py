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
from bench.network.contenders import figures_of, our_key, our_name, step_key, their_key
from bench.network.everything import quantities
from bench.network.figures import figure_of, launch_figure
from bench.network.movement import TwoRuns, figures_of_run, movement, movement_row
from bench.network.points import (
    PointPair,
    agreement_lines,
    compared,
    point_row,
    steadiness,
)
from bench.network.quantity import NO_SIZE, Family, Quantity, Theirs
from bench.network.race import LEAST_LAUNCHES, MOST_LAUNCHES, MOST_SECONDS, race
from bench.network.tables import Table
from bench.rounds import Measured
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
    assert figure_of(PING_PONG, record(seconds=(1.0, 2.0, 6.0))) == 3.0
    rate = figure_of(NAMED["bandwidth, window 64"], record({"bytes_one_way": 8.0}, seconds=(2.0,)))
    assert rate == 4.0
    assert figure_of(NAMED["pairs, barrier"], record(slowest=(9.0,), mean=(4.0,))) == 4.0
    threads = NAMED["one thread of MPI_THREAD_MULTIPLE"]
    assert figure_of(threads, record(seconds=(3.0,))) == 1.5
    hidden = record(total=(12.0,), work=(8.0,), communication=(10.0,))
    assert figure_of(NAMED["bcast, share hidden"], hidden) == pytest.approx(0.6)


def test_the_slowest_rank_is_that_with_the_largest_mean_not_the_mean_of_the_slowest() -> None:
    ranks = record(seconds=(3.0, 3.0), rank_0=(3.0, 1.0), rank_1=(1.0, 3.5), late_rounds=(99.0,))
    assert figure_of(NAMED["barrier"], ranks) == 2.25


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
        figure_of(NAMED[name], point)


def test_machmeters_own_value_is_robust_where_the_mean_is_not() -> None:
    samples = (1.0,) * 39 + (1000.0,)
    assert launch_figure(PING_PONG, record(seconds=samples)) == 1.0
    assert figure_of(PING_PONG, record(seconds=samples)) > 25


def test_cells_become_figures_and_a_single_line_stands_for_no_size() -> None:
    figures = figures_of(Table(("t", "u"), {4: (1.0, 2.0)}, (0.1, 0.2)))
    theirs = Theirs("IMB-RMA", (), "u")
    assert figures[their_key(theirs, 4)] == figures[their_key(theirs, NO_SIZE)] == 2.0
    assert figures[step_key(theirs)] == 0.2
    two = figures_of(Table(("t",), {4: (1.0,), 8: (2.0,)}, (0.1,)))
    assert their_key(Theirs("IMB-RMA", (), "t"), NO_SIZE) not in two


def test_their_size_of_all_parts_stands_beside_ours_of_one() -> None:
    (osu, imb) = NAMED["reduce-scatter, float"].theirs
    assert (their_key(osu, 8), their_key(imb, 8)) == ("Max Latency 16", "t_max 8")


def test_pairs_are_made_of_rounds_that_both_sides_have() -> None:
    osu = PING_PONG.theirs[0]
    figures = {
        our_name(PING_PONG): {our_key(8): {1: 1.0, 2: 1.0, 3: 2.0}, our_key(64): {1: 1.0}},
        osu.command_name: {
            their_key(osu, 8): {2: 2.0, 3: 4.0, 4: 9.0},
            their_key(osu, 64): {1: 1.0},
            step_key(osu): {1: 0.01},
        },
    }
    (only,) = point_pairs([(PING_PONG, (osu,))], Measured(figures, {}, rounds=4))
    assert (only.size, only.rounds, only.step) == (8, (2, 3), 0.01)
    assert compared(only).ratio == pytest.approx(2.0)


def test_a_zero_of_theirs_is_no_figure_to_divide_by() -> None:
    assert not pair((1.0, 1.0), (1.0, 0.0)).comparable
    assert pair((0.1, 0.2), (0.0, 0.0), quantity=NAMED["bcast, share hidden"]).comparable


def test_the_row_says_verdict_and_steadiness() -> None:
    same = point_row(pair(STEADY, STEADY))
    assert (same.what, same.target, same.ratio) == ("ping-pong, 8 B : OSU", "same, stable", 1.0)
    slower = point_row(pair(tuple(2 * value for value in STEADY), STEADY))
    assert (slower.target, round(slower.ratio, 6)) == ("slower, stable", 0.5)
    assert point_row(pair(STEADY, (1.0, 1.5, 0.7, 1.0))).target == "unresolved, unsteady"
    assert point_row(pair(STEADY, STEADY, step=0.05)).target == "same, coarse"
    assert point_row(pair((1.0, 1.0), (1.0, 1.0))).target == "same, unsteady"


def test_a_definition_of_their_own_has_a_star_and_is_explained() -> None:
    put = NAMED["put, create"]
    assert point_row(pair(STEADY, STEADY, quantity=put)).what == "put, create, 8 B : OSU*"
    assert point_row(pair(STEADY, STEADY, quantity=put, program=1)).what.endswith(": IMB")
    lines = definition_lines([(put, put.theirs)])
    assert any(line.startswith("* OSU: two readings of the clock") for line in lines)


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
    assert "1 of 2 points stable; of these 2 ratios 1 lie within 3 % (50 %)" in threes
    assert "3 of 4 ratios stable; of these 3 ratios 2 lie within 3 %" in either
    assert "1 of 1 ratios stable; of these 1 ratios 0 lie within 3 %" in other


@given(st.lists(st.floats(0.5, 2.0), min_size=3, max_size=8), st.floats(0.01, 100))
def test_steadiness_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    plain = steadiness(pair(tuple(values), tuple(values), step=1e-3))
    scaled = [factor * value for value in values]
    other = steadiness(pair(tuple(scaled), tuple(scaled), step=1e-3 * factor))
    assert other.ours == pytest.approx(plain.ours, abs=1e-9)
    assert other.digit == pytest.approx(plain.digit)


def ticking(step: float) -> Callable[[], float]:
    now = [0.0]

    def clock() -> float:
        now[0] += step
        return now[0]

    return clock


def test_a_steady_side_ends_at_the_least_number_of_launches() -> None:
    noise = random.Random(3)
    sides = {"ours": lambda: 1.0, "theirs": lambda: noise.lognormvariate(0, 0.5)}
    laps = race(sides, random.Random(1), ticking(1.0))
    assert (len(laps["ours"].values), laps["ours"].reached) == (LEAST_LAUNCHES, True)
    assert (len(laps["theirs"].values), laps["theirs"].reached) == (MOST_LAUNCHES, False)
    assert laps["ours"].seconds == LEAST_LAUNCHES
    assert laps["theirs"].half_width > 0.02


def test_a_side_that_takes_too_long_ends_before_its_interval_is_narrow() -> None:
    noise = random.Random(3)
    laps = race({"slow": lambda: noise.random() + 0.01}, random.Random(1), ticking(MOST_SECONDS))
    assert (len(laps["slow"].values), laps["slow"].reached) == (1, False)


def test_a_value_that_is_no_time_ends_the_race() -> None:
    with pytest.raises(ValueError, match="theirs gave 0"):
        race({"theirs": lambda: 0.0}, random.Random(1), ticking(1.0))


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_a_change_is_the_same_in_both_directions(first: float, second: float) -> None:
    there, back = TwoRuns({"a": first}, {"a": second}), TwoRuns({"a": second}, {"a": first})
    assert there.change("a") == pytest.approx(back.change("a"))


def test_movement_is_told_of_points_that_both_sides_have() -> None:
    ours = TwoRuns({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.01, "b": 1.03, "c": 5.0})
    theirs = TwoRuns({"a": 1.0, "b": 1.0}, {"a": 1.10, "b": 1.02})
    row = movement_row("busy", movement(ours, theirs))
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


def test_movement_of_no_point_is_refused() -> None:
    with pytest.raises(ValueError, match="no point"):
        movement_row("busy", movement(TwoRuns({}, {}), TwoRuns({}, {})))


def test_a_run_is_the_geometric_mean_of_its_launches() -> None:
    figures = {"x": {"8": {1: 1.0, 2: 4.0}, "64": {1: 1.0}, "0": {1: 1.0, 2: 0.0}}}
    keys = {"a": ("x", "8"), "b": ("x", "64"), "c": ("x", "0"), "d": ("y", "8")}
    assert figures_of_run(Measured(figures, {}, rounds=2), keys) == {"a": pytest.approx(2.0)}

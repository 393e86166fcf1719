"""One geometric mean a group: its value, its interval, its verdict, and published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.matching.group_means import group_means
from machmeter.analysis.stats.student import mean_and_half_width
from machmeter.benchmarks.catalogue import BENCHMARKS, subject_of
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine_comparison import Basis, GroupMean, RelativeStanding
from machmeter.model.units import UNBOUNDED, is_unbounded
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine, printed

PAIR = Layout(ranks_per_node=2)
SIZES = (8, 64, 512, 4096)


def latency(value: float, size: int, values: list[float] | None = None) -> Estimate:
    one = made_up("network.latency", {"size": size}, PAIR, "latency", value, spread=0.01)
    if values is None:
        return one
    mean, half = mean_and_half_width([math.log(one) for one in values])
    numbers = tuple(range(1, len(values) + 1))
    return replace(
        one,
        launch_values=tuple(values),
        launch_numbers=numbers,
        rounds=numbers,
        launches=len(values),
        value=math.exp(mean),
        low=math.exp(mean - half),
        high=math.exp(mean + half),
    )


def barrier(value: float, wait: WaitPolicy, construct: str = "barrier") -> Estimate:
    layout = Layout(threads_per_rank=2, wait_policy=wait)
    return made_up("threads.sync", {"construct": construct}, layout, "overhead", value)


def groups(*sides: tuple[Estimate, ...]) -> tuple[GroupMean, ...]:
    a, b = (
        machine(name, *side, origin=side[0].origin) for name, side in zip("ab", sides, strict=True)
    )
    return compare_machines(a, b).groups


def test_the_mean_is_of_the_ratios_and_above_1_where_b_is_better() -> None:
    (mean,) = groups(
        tuple(latency(1e-6, size) for size in SIZES),
        tuple(
            latency(1e-6 / factor, size) for factor, size in zip((2, 2, 1, 4), SIZES, strict=True)
        ),
    )
    assert mean.group == "MPI latency"
    assert len(mean.results) == 4
    assert mean.ratio == pytest.approx(2)
    assert mean.low < 2 < mean.high
    assert mean.standing is RelativeStanding.BETTER
    assert mean.typical.by[Basis.AS_MEASURED].ratio == pytest.approx(2, rel=1e-6)


def test_each_benchmark_belongs_to_one_group_and_workloads_are_applications() -> None:
    assert {subject_of(one.name) for one in BENCHMARKS} > {"Memory latency", "OpenMP constructs"}
    assert subject_of("workload.hoomd") == "Applications" == subject_of("apps.heatflow")
    assert subject_of("threads.pairs") == "Core to core"


def test_the_interval_of_correlated_results_holds_equality_in_95_of_100() -> None:
    """Results of one launch vary together: taken as independent they would hold it far less."""
    rng = np.random.default_rng(5)
    held, repeats = 0, 300
    for _ in range(repeats):
        (mean,) = groups(_run(rng), _run(rng))
        held += mean.low <= 1 <= mean.high
    assert 0.92 <= held / repeats <= 0.985


def _run(rng: np.random.Generator, launches: int = 6) -> tuple[Estimate, ...]:
    of_launch = rng.normal(scale=0.1, size=launches)
    own = rng.normal(scale=0.03, size=(len(SIZES), launches))
    return tuple(
        latency(1e-6, size, np.exp(math.log(1e-6) + of_launch + noise).tolist())
        for size, noise in zip(SIZES, own, strict=True)
    )


def test_a_difference_of_one_group_of_many_has_to_hold_after_correction() -> None:
    def bandwidth(value: float) -> Estimate:
        return made_up("network.bandwidth", {"size": 8}, PAIR, "bandwidth_one_way", value, 0.03)

    def triad(value: float) -> Estimate:
        parameters = {"kernel": "triad", "size": 2**26}
        return made_up("memory.stream", parameters, Layout(), "stream_bandwidth", value, 0.03)

    alone = groups((latency(1e-6, 8),), (latency(0.991e-6, 8),))
    with_others = groups(
        (latency(1e-6, 8), bandwidth(1e9), triad(1e9), barrier(1e-6, WaitPolicy.ACTIVE)),
        (latency(0.991e-6, 8), bandwidth(1e9), triad(1e9), barrier(1e-6, WaitPolicy.ACTIVE)),
    )
    (mine,) = (one for one in with_others if one.group == "MPI latency")
    assert mine.p_value == pytest.approx(min(4 * alone[0].p_value, 1))


def test_launches_of_one_session_are_paired_by_round() -> None:
    noise = np.exp(np.random.default_rng(2).normal(scale=0.2, size=10))
    here = latency(1e-6, 8, (1e-6 * noise).tolist())
    there = latency(1e-6, 8, (0.9e-6 * noise * (1 + 0.001 * np.arange(10))).tolist())
    sides = [machine(f"r@{n}", one, runs=("r",)) for n, one in (("a", here), ("b", there))]
    (paired,) = compare_machines(*sides).groups
    (apart,) = groups((here,), (there,))
    assert paired.standing is RelativeStanding.BETTER
    assert apart.standing is RelativeStanding.INCONCLUSIVE
    assert paired.high - paired.low < (apart.high - apart.low) / 10


def test_a_published_value_leaves_the_mean_without_interval() -> None:
    stated = printed(latency(2e-6, 8), stated="nodes, ranks_per_node")
    (mean,) = groups((stated,), (latency(1e-6, 8),))
    assert mean.ratio == pytest.approx(2)
    assert is_unbounded(mean.high)
    assert math.isnan(mean.p_value)
    assert mean.standing is RelativeStanding.BETTER_AS_PRINTED


def test_a_setting_that_a_source_leaves_open_parts_the_mean_and_gives_no_verdict() -> None:
    stated = printed(barrier(2e-6, WaitPolicy.ACTIVE), stated="nodes, threads_per_rank")
    both = (barrier(1e-6, WaitPolicy.ACTIVE), barrier(40e-6, WaitPolicy.PASSIVE))
    found = {one.setting: one for one in groups((stated,), both)}
    assert {name: round(one.ratio, 3) for name, one in found.items()} == {
        "active wait": 2.0,
        "passive wait": 0.05,
    }
    assert {one.standing for one in found.values()} == {RelativeStanding.INCONCLUSIVE}


def test_no_group_has_no_mean() -> None:
    assert group_means((), paired=False) == ()


def test_a_published_value_without_a_ratio_in_one_setting_is_in_the_mean_of_none() -> None:
    both = ("for", "barrier")
    quoted = [
        printed(barrier(2e-6, WaitPolicy.ACTIVE, name), stated="nodes, threads_per_rank")
        for name in both
    ]
    here = [
        barrier(1e-6, wait, name)
        for name in both
        for wait in (WaitPolicy.ACTIVE, WaitPolicy.PASSIVE)
    ]
    here[-1] = replace(here[-1], low=-1e-6, resolved=False)
    found = {one.setting: one for one in groups(tuple(quoted), tuple(here))}
    assert found.keys() == {"active wait", "passive wait"}
    for mean in found.values():
        assert all("for against" in name for name in mean.results)
        assert (len(mean.results), mean.left_out) == (1, 1)


def test_shares_and_upper_bounds_are_in_no_mean() -> None:
    overlap = made_up("network.overlap", {"size": 8}, PAIR, "work_hidden", 0.5)
    bound = replace(barrier(1e-6, WaitPolicy.ACTIVE), low=-1e-6, resolved=False)
    assert groups((overlap, bound), (overlap, bound)) == ()


def test_a_mean_of_published_values_within_the_intervals_is_no_verdict() -> None:
    measured = replace(latency(1.05e-6, 8), low=0.8e-6, high=1.3e-6)
    (mean,) = groups((printed(latency(1e-6, 8), stated="nodes, ranks_per_node"),), (measured,))
    assert mean.ratio == pytest.approx(1 / 1.05)
    assert mean.standing is RelativeStanding.INCONCLUSIVE


def test_a_group_with_an_interval_is_there_once() -> None:
    alone = replace(latency(3e-6, 64), launches=1, low=0.0, high=UNBOUNDED)
    (mean,) = groups((latency(1e-6, 8), alone), (latency(2e-6, 8), alone))
    assert not is_unbounded(mean.high)
    assert mean.ratio == pytest.approx(0.5, rel=0.05)
    # The single value has a ratio, though none with an interval: it does not lack one.
    assert mean.left_out == 0


def test_sweeps_of_caches_do_not_outnumber_memory() -> None:
    def stream(size: int, value: float, level: MemoryLevel) -> Estimate:
        values = {"kernel": "triad", "stores": "temporal", "size": size}
        one = made_up("memory.stream", values, Layout(), "stream_bandwidth", value)
        return replace(one, memory_level=level)

    def side(in_caches: float) -> tuple[Estimate, ...]:
        swept = (stream(2**power, in_caches, MemoryLevel.CACHES) for power in (14, 15, 16))
        return (stream(2**30, 1e10, MemoryLevel.MEMORY), *swept)

    (mean,) = groups(side(5e10), side(10e10))
    assert len(mean.results) == 1
    assert mean.ratio == pytest.approx(1.0)
    # Of a larger cache, what is in memory of one machine is not of the other: either way round.
    larger = tuple(replace(one, memory_level=MemoryLevel.CACHES) for one in side(10e10)[1:])
    mixed = tuple(replace(one, memory_level=MemoryLevel.MEMORY) for one in side(5e10))
    for a, b in ((mixed, (side(1e10)[0], *larger)), ((side(1e10)[0], *larger), mixed)):
        (of_both,) = groups(a, b)
        assert len(of_both.results) == 1

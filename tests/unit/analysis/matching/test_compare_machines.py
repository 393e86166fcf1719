"""Machines beside one another: ratios, verdicts, bases, flips, refusals."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import (
    compare_machines,
    regressions,
    standing_of,
)
from machmeter.analysis.matching.matching import MOST_FITTING, MOST_REFUSALS
from machmeter.model.benchmark import Direction, Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import Parts
from machmeter.model.results.machine_comparison import Basis, Flip, RelativeStanding
from machmeter.model.units import UNBOUNDED
from machmeter.published.machine import published_results
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import code, machine, printed

PAIR = Layout(ranks_per_node=2)


def latency(value: float, size: int = 8, spread: float = 0.004) -> Estimate:
    return made_up("network.latency", {"size": size}, PAIR, "latency", value, spread)


def triad(
    value: float, threads: int, lies: MemoryLevel = MemoryLevel.MEMORY, size: int = 2**26
) -> Estimate:
    parameters: dict[str, Value] = {"kernel": "triad", "size": size}
    layout = Layout(threads_per_rank=threads)
    one = made_up("memory.stream", parameters, layout, "stream_bandwidth", value)
    return replace(one, memory_level=lies)


@given(ratio=st.floats(0.05, 20).filter(lambda r: abs(math.log(r)) > 0.05))
def test_half_the_latency_is_twice_as_good_and_says_so_both_ways(ratio: float) -> None:
    slow, fast = machine("slow", latency(1e-6 * ratio)), machine("fast", latency(1e-6))
    (figure,) = compare_machines(slow, fast).results
    (back,) = compare_machines(fast, slow).results
    assert figure.by[Basis.AS_MEASURED].ratio == pytest.approx(ratio, rel=1e-9)
    assert back.by[Basis.AS_MEASURED].ratio == pytest.approx(1 / ratio, rel=1e-9)
    assert standing_of(figure) is (RelativeStanding.BETTER if ratio > 1 else RelativeStanding.WORSE)
    low, high = (getattr(figure.by[Basis.AS_MEASURED], side) for side in ("low", "high"))
    assert low < ratio < high


@pytest.mark.parametrize(("factor", "count"), [(1.05, 1), (1.015, 0), (1.0, 0), (0.9, 0)])
def test_a_regression_is_behind_by_what_matters(factor: float, count: int) -> None:
    old = machine("a", latency(1e-6, spread=0.001))
    new = machine("b", latency(1e-6 * factor, spread=0.001))
    assert len(regressions(compare_machines(old, new))) == count


def test_a_point_is_set_beside_the_partner_that_its_run_gave_it() -> None:
    old, new = triad(10e9, 1), triad(12e9, 2)
    placed = replace(old, partner=new.point.key)
    assert compare_machines(machine("a", old), machine("b", new)).results == ()
    (figure,) = compare_machines(machine("a", placed), machine("b", new)).results
    assert (figure.a.point, figure.b.point) == (old.point, new.point)


def test_figures_of_one_run_are_paired_and_of_two_runs_are_not() -> None:
    here, there = latency(2e-6, spread=0.2), latency(1e-6, spread=0.2)
    one = compare_machines(machine("a", here, runs=("r",)), machine("b", there, runs=("r",)))
    two = compare_machines(machine("a", here), machine("b", there))
    assert (one.paired, two.paired) == (True, False)
    assert one.results[0].by[Basis.AS_MEASURED].paired
    # The launches were drawn alike, so that what they have in common leaves.
    assert one.results[0].by[Basis.AS_MEASURED].low > two.results[0].by[Basis.AS_MEASURED].low


def test_a_printed_value_gives_a_ratio_without_interval_and_no_verdict() -> None:
    paper = machine("paper", printed(latency(2e-6)), origin=Origin.PUBLISHED)
    (figure,) = compare_machines(paper, machine("here", latency(1e-6))).results
    ratio = figure.by[Basis.AS_MEASURED]
    assert figure.as_printed
    assert ratio.ratio == pytest.approx(2)
    assert (ratio.low, ratio.high) == (-UNBOUNDED, UNBOUNDED)
    assert math.isnan(ratio.p_value)
    assert figure.verdict is ComparisonVerdict.INCONCLUSIVE
    assert standing_of(figure) is RelativeStanding.BETTER_AS_PRINTED


def test_flags_and_qualifiers_of_a_source_stand_with_the_figure() -> None:
    flagged = printed(latency(2e-6), flag="451, not 100 to 200", qualifier="about")
    paper = machine("paper", flagged, origin=Origin.PUBLISHED)
    (figure,) = compare_machines(paper, machine("here", latency(1e-6))).results
    assert "paper's figure is contradicted: 451, not 100 to 200" in figure.notes
    assert "paper's figure: about" in figure.notes


def test_shares_are_set_apart_in_points() -> None:
    def hidden(name: str, share: float) -> Estimate:
        parameters: dict[str, Value] = {"size": 65536, "side": "send", "work_percent": 100}
        return made_up("network.overlap", parameters, PAIR, name, share)

    a, b = machine("a", hidden("work_hidden", 0.5)), machine("b", hidden("work_hidden", 0.8))
    (figure,) = compare_machines(a, b).results
    assert figure.by == {}
    assert figure.points == pytest.approx(0.3, rel=1e-4)
    assert figure.points_low < 0.3 < figure.points_high
    assert standing_of(figure) is RelativeStanding.BETTER


def test_many_looks_take_back_what_one_look_would_have_found() -> None:
    sizes = [2**n for n in range(20)]
    a = machine("a", *(latency(1e-6, size, 0.05) for size in sizes))
    apart = {8: 1.025}
    b = machine("b", *(latency(1e-6 * apart.get(s, 1.0), s, 0.05) for s in sizes))
    alone = compare_machines(
        machine("a", latency(1e-6, 8, 0.05)), machine("b", latency(1.025e-6, 8, 0.05))
    )
    assert standing_of(alone.results[0]) is RelativeStanding.WORSE
    among = next(f for f in compare_machines(a, b).results if f.a.point.get("size") == 8)
    assert standing_of(among) is RelativeStanding.INCONCLUSIVE
    assert among.by[Basis.AS_MEASURED].p_value > alone.results[0].by[Basis.AS_MEASURED].p_value


def test_whole_machines_are_compared_by_core_too_and_a_flip_is_told() -> None:
    big = machine("big", triad(90e9, 64), parts=Parts(1, 64, 800.0, 20_000, "EUR"))
    small = machine("small", triad(30e9, 4), parts=Parts(1, 4, 80.0, 1_000, "EUR"))
    found = compare_machines(big, small)
    by = found.results[0].by
    assert by[Basis.AS_MEASURED].ratio == pytest.approx(1 / 3)
    assert by[Basis.CORE].ratio == pytest.approx(16 / 3)
    assert by[Basis.WATT].ratio == pytest.approx(10 / 3)
    assert by[Basis.PRICE].ratio == pytest.approx(20 / 3)
    assert Basis.NODE not in by
    name = f"memory.stream: {found.results[0].name}"
    assert Flip(name, "as measured", "per core", "big", "small") in found.flips
    assert len(found.flips) == 3


def test_prices_in_two_currencies_are_not_divided() -> None:
    a = machine("a", triad(1e9, 2), parts=Parts(1, 2, 0.0, 10, "EUR"))
    b = machine("b", triad(1e9, 4), parts=Parts(1, 4, 0.0, 10, "USD"))
    assert set(compare_machines(a, b).results[0].by) == {Basis.AS_MEASURED, Basis.CORE}


def test_per_core_scales_ratio_and_interval_and_keeps_the_p_value_true() -> None:
    a = machine("a", triad(10e9, 2), parts=Parts(1, 2))
    b = machine("b", triad(20e9, 4), parts=Parts(1, 4))
    (figure,) = compare_machines(a, b).results
    core, whole = figure.by[Basis.CORE], figure.by[Basis.AS_MEASURED]
    assert core.ratio == pytest.approx(1.0)
    assert core.high / core.low == pytest.approx(whole.high / whole.low)
    assert core.verdict is ComparisonVerdict.SAME
    assert core.p_value > 0.9 > whole.p_value


def test_of_sizes_in_memory_the_largest_of_both_stand_beside_each_other() -> None:
    def chase(value: float, size: int, lies: MemoryLevel) -> Estimate:
        one = made_up("memory.latency", {"size": size}, Layout(), "latency", value)
        return replace(one, memory_level=lies)

    a = machine(
        "a", chase(1e-9, 2**12, MemoryLevel.CACHES), chase(90e-9, 2**26, MemoryLevel.MEMORY)
    )
    b = machine(
        "b",
        chase(2e-9, 2**12, MemoryLevel.CACHES),
        chase(30e-9, 2**26, MemoryLevel.CACHES),
        chase(100e-9, 2**27, MemoryLevel.MEMORY),
        chase(110e-9, 2**28, MemoryLevel.MEMORY),
    )
    sizes = {(f.a.point.get("size"), f.b.point.get("size")) for f in compare_machines(a, b).results}
    assert sizes == {(2**12, 2**12), (2**26, 2**26), (2**26, 2**28)}


def test_near_misses_are_listed_once_with_their_number_and_bounded() -> None:
    def pairs(definition: str, size: int) -> Estimate:
        parameters: dict[str, Value] = {"size": size, "definition": definition}
        return made_up("network.pairs", parameters, PAIR, "latency", 1e-6)

    a = machine("a", *(pairs("classic", s) for s in (8, 64)))
    b = machine("b", *(pairs("barrier", s) for s in (8, 64)))
    found = compare_machines(a, b)
    assert found.results == ()
    (refusal,) = found.refusals
    assert refusal.what == "network.pairs, Slowest pair (2 results)"
    assert refusal.reason == "definition classic against barrier"
    assert (found.only_a, found.only_b) == (2, 2)
    assert len(found.refusals) <= MOST_REFUSALS


def test_units_of_two_kinds_are_refused_by_name() -> None:
    parameters: dict[str, Value] = {"size": 8, "direction": "one-way", "window": 64}
    one, both = (
        made_up("network.bandwidth", parameters, PAIR, f"bandwidth_{ways}", 1e9)
        for ways in ("one_way", "both_ways")
    )
    (refusal,) = compare_machines(machine("a", one), machine("b", both)).refusals
    assert "one direction against payload bytes per second, both directions" in refusal.reason


def bandwidth(parameters: dict[str, Value]) -> Estimate:
    return made_up("network.bandwidth", parameters, PAIR, "bandwidth_one_way", 1e9)


def test_a_figure_that_leaves_too_much_open_stands_beside_none() -> None:
    sizes = [2**n for n in range(MOST_FITTING + 1)]
    ours = machine("ours", *(bandwidth({"size": size}) for size in sizes))
    vague = printed(bandwidth({}), stated="nodes, ranks_per_node")
    paper = machine("paper", vague, origin=Origin.PUBLISHED)
    found = compare_machines(paper, ours)
    assert found.results == ()
    assert any(f"matches {len(sizes)} results equally well" in one.reason for one in found.refusals)


def test_pairs_of_cpus_stand_beside_pairs_that_share_the_same_each_once() -> None:
    def visit(pair: str, shared: str, value: float) -> Estimate:
        parameters: dict[str, Value] = {"pair": pair, "visit": "read", "extent": "page"}
        layout = Layout(threads_per_rank=2)
        one = made_up("memory.pages", parameters, layout, "visit_time", value)
        return replace(one, pair_relation=shared)

    near = [f"0-{n}" for n in range(1, 9)]
    a = machine("a", *(visit(p, "L3", 1e-7) for p in near), visit("0-9", "board", 1e-6))
    b = machine(
        "b", *(visit(f"1-{n}", "L3", 2e-7) for n in range(2, 9)), visit("0-1", "board", 2e-6)
    )
    found = compare_machines(a, b)
    pairs = [(f.a.pair_relation, f.b.pair_relation) for f in found.results]
    assert sorted(pairs) == [("L3", "L3")] * 6 + [("L3", "L3"), ("board", "board")]
    assert (found.only_a, found.only_b) == (1, 0)


@pytest.mark.parametrize("shift", [0, 1])
def test_very_many_figures_are_matched_as_few_are(shift: int) -> None:
    few, many = 20, 300
    huge = Layout(ranks_per_node=2, page_bytes=2**21)

    def sweep(layout: Layout, first: int) -> list[Estimate]:
        return [
            made_up("network.latency", {"size": 2 * n + first}, layout, "latency", 1e-6)
            for n in range(many)
        ]

    ours, papers = sweep(huge, 0), [printed(one) for one in sweep(PAIR, shift)]
    large, small = (
        compare_machines(
            machine("a", *ours[:count]), machine("b", *papers[:count], origin=Origin.PUBLISHED)
        )
        for count in (many, few)
    )
    for found, count in ((large, many), (small, few)):
        assert len(found.results) == (0 if shift else count)
        assert all("2 MiB pages: not stated by b" in f.notes for f in found.results)
    assert bool(large.refusals) == bool(small.refusals)


def test_a_comparison_can_be_kept_to_a_group() -> None:
    a, b = (machine(n, latency(1e-6), triad(1e9, 1)) for n in "ab")
    kept = compare_machines(a, b, ["memory"])
    assert [f.a.point.benchmark for f in kept.results] == ["memory.stream"]
    assert len(compare_machines(a, b, ["memory", "network.latency"]).results) == 2


def test_the_largest_difference_of_each_benchmark_comes_first() -> None:
    a = machine("a", latency(1e-6, 8), latency(1e-6, 16), triad(1e9, 1))
    b = machine("b", latency(1.1e-6, 8), latency(0.2e-6, 16), triad(1e9, 1))
    found = [(f.a.point.benchmark, f.name) for f in compare_machines(a, b).results]
    assert found == [
        ("network.latency", "Latency, one way: 16 B"),
        ("network.latency", "Latency, one way: 8 B"),
        ("memory.stream", "Bandwidth, STREAM bytes"),
    ]


def test_a_comparison_is_plain_data() -> None:
    a, b = machine("a", latency(1e-6)), machine("b", latency(2e-6))
    found = compare_machines(a, b)
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found


def test_echo_beside_uv_1000_is_what_was_printed() -> None:
    found = compare_machines(published_results("uv1000"), published_results("echo"))
    ratios = [
        round(f.by[Basis.AS_MEASURED].ratio, 3)
        for f in found.results
        if f.a.point.benchmark == "workload.spec-omp2012"
    ]
    assert sorted(ratios) == [1.028, 1.484]


def test_comet_beside_gordon_is_compared_at_as_many_cores() -> None:
    found = compare_machines(published_results("gordon"), published_results("comet"))
    assert found.results
    assert all(f.as_printed for f in found.results)
    at_384 = next(
        f
        for f in found.results
        if f.a.point.benchmark == "workload.neuron" and f.a.point.layout.ranks == 384
    )
    # 183 s with MVAPICH2 on 24 nodes of Gordon, 144 s on 16 nodes of Comet.
    assert at_384.by[Basis.AS_MEASURED].ratio == pytest.approx(183 / 144)
    assert at_384.by[Basis.NODE].ratio == pytest.approx(183 * 24 / (144 * 16))


def test_code_times_are_not_compared_over_different_numbers_of_cores() -> None:
    a = machine("a", code("x", 10.0, Layout(ranks_per_node=16)), origin=Origin.PUBLISHED)
    b = machine("b", code("x", 5.0, Layout(ranks_per_node=24)), origin=Origin.PUBLISHED)
    found = compare_machines(a, b)
    assert found.results == ()
    assert found.refusals[0].reason == "16 ranks on 1 node against 24 ranks on 1 node"


@pytest.mark.parametrize("launches", [1, 10])
def test_higher_is_better_is_not_compared_with_lower_is_better(launches: int) -> None:
    one = latency(1e-6) if launches > 1 else printed(latency(1e-6))
    other = replace(one, direction=Direction.HIGHER)
    found = compare_machines(machine("a", one), machine("b", other))
    assert found.results == ()
    (refusal,) = found.refusals
    assert refusal.reason == "lower is better against higher is better"


def test_what_was_measured_in_one_launch_resolves_nothing() -> None:
    single = replace(printed(latency(2e-6)), origin=Origin.MEASURED, printed=None)
    (figure,) = compare_machines(machine("a", latency(1e-6)), machine("b", single)).results
    assert standing_of(figure) is RelativeStanding.INCONCLUSIVE

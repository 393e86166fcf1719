"""Which estimates a question means."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.rules.select import (
    TopologyFacts,
    blended,
    differ_only_in,
    geometric_mean,
    opposed,
    select,
    without_repeats,
)
from machmeter.analysis.stats.fields import value_of, values_of
from machmeter.model.benchmark import Value
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.plan.question import (
    FARTHEST,
    LARGEST,
    NEAREST,
    OTHER,
    OWN,
    SMALLEST,
    SMALLEST_TEAM,
    Selector,
)
from machmeter.model.results.estimate import Estimate
from tests.support.made_up.estimates import made_up

NOWHERE = TopologyFacts({}, {})


def visit(pair: str, value: float = 1e-7, **layout: int) -> Estimate:
    given = Layout(threads_per_rank=4, **layout)  # type: ignore[arg-type]
    parameters: dict[str, Value] = {"pair": pair}
    return made_up("memory.pages", parameters, given, "visit_time", value)


def pairs(symbol: str, kinds: dict[str, int], *having: str) -> list[Value]:
    found = select(Selector({"pair": symbol}), [visit(pair) for pair in having], kinds)
    return [value_of(estimate, "pair") for estimate in found]


def test_pairs_are_chosen_by_what_they_share() -> None:
    kinds = {
        "0-0": 0,
        "0-1": 1,
        "0-2": 2,
        "0-3": 5,
        "0-4": 4,
        "0-5": 3,
    }
    every = tuple(kinds)
    assert pairs(OWN, kinds, *every) == ["0-0"]
    assert pairs(OTHER, kinds, *every) == ["0-1", "0-2", "0-3", "0-4", "0-5"]
    assert pairs(NEAREST, kinds, *every) == ["0-1"]
    assert pairs(FARTHEST, kinds, *every) == ["0-3"]
    assert pairs(FARTHEST, kinds, "0-0", "0-2", "0-5") == ["0-5"]


def test_where_nothing_is_known_of_pairs_any_two_places_are_far() -> None:
    assert pairs(FARTHEST, {}, "0-0", "0-1", "1-0") == ["0-1", "1-0"]
    assert pairs(NEAREST, {}, "0-0") == []


def test_layout_fields_can_be_named_by_what_they_come_to() -> None:
    layout = Layout(threads_per_rank=4, inner_threads=2)
    estimate = made_up("apps.retrieval", {"queries": 18}, layout, "time", 1.0)
    assert value_of(estimate, "split") == "4 x 2"
    assert value_of(estimate, "threads") == 8
    assert value_of(estimate, "queries") == 18
    assert value_of(estimate, "absent") == ""


def test_zero_threads_and_the_words_mean_what_was_measured() -> None:
    def overhead(threads: int, chunk: int) -> Estimate:
        parameters: dict[str, Value] = {"schedule": "dynamic", "chunk": chunk}
        layout = Layout(threads_per_rank=threads)
        return made_up("threads.schedule", parameters, layout, "overhead", 1e-8)

    pool = [overhead(threads, chunk) for threads in (1, 2, 8) for chunk in (0, 1, 64)]
    (most,) = select(Selector({"chunk": LARGEST}, {"threads_per_rank": 0}), pool, {})
    assert (value_of(most, "chunk"), value_of(most, "threads")) == (64, 8)
    (least,) = select(Selector({"chunk": 0}, {"threads_per_rank": SMALLEST}), pool, {})
    assert (value_of(least, "chunk"), value_of(least, "threads")) == (0, 1)
    assert values_of("chunk", pool[::-1]) == (0, 1, 64)


def test_the_smallest_team_has_more_than_one_thread() -> None:
    pool = [visit("0-0", inner_threads=inner) for inner in (1, 2, 4)]
    (team,) = select(Selector(layout={"inner_threads": SMALLEST_TEAM}), pool, {})
    assert value_of(team, "inner_threads") == 2
    assert select(Selector(layout={"inner_threads": SMALLEST_TEAM}), pool[:1], {}) == []


def test_what_has_no_size_is_as_large_as_any() -> None:
    pool = [visit("0-0")]
    assert select(Selector({"size": LARGEST}), pool, {}) == pool


def test_what_is_named_on_neither_side_must_be_the_same_on_both() -> None:
    both_sides = (Selector({"pair": "0-1"}), Selector({"pair": "0-0"}))
    both = [visit("0-1", page_bytes=4096), visit("0-0", page_bytes=4096)]
    sides = opposed(*both_sides, [*both, visit("0-1", page_bytes=2**21)], NOWHERE)
    assert sides is not None
    assert [sides.candidate, sides.baseline] == both
    large = [visit("0-1", page_bytes=2**21), visit("0-0", page_bytes=2**21)]
    assert opposed(*both_sides, [*both, *large], NOWHERE) is None
    assert opposed(*both_sides, [both[0], large[1]], NOWHERE) is None


def test_two_sides_must_differ() -> None:
    one = Selector({"pair": "0-0"})
    assert opposed(one, one, [visit("0-0")], NOWHERE) is None


def test_bindings_that_are_not_known_to_be_the_same_are_compared() -> None:
    close, spread = Layout(threads_per_rank=2), Layout(threads_per_rank=2, binding=Binding.SPREAD)
    pool = [
        made_up("memory.pages", {"pair": "0-1"}, one, "visit_time", 1.0) for one in (close, spread)
    ]
    close_side, spread_side = (Selector(layout={"binding": b}) for b in ("close", "spread"))
    assert opposed(close_side, spread_side, pool, NOWHERE) is not None


def test_all_packages_are_left_out_where_they_use_the_cpus_of_one() -> None:
    everywhere, first, second = (Layout(ranks_per_node=2, package=one) for one in (-1, 0, 1))
    pool = [
        made_up("network.pairs", {"size": 8, "definition": "barrier"}, one, "latency", 1e-6)
        for one in (everywhere, first, second)
    ]
    near, far = Assignment(cpus=(((0,),), ((1,),))), Assignment(cpus=(((4,),), ((5,),)))
    spread = Assignment(cpus=(((0,),), ((4,),)))
    kept = without_repeats(pool, {everywhere: near, first: near, second: far})
    assert [value_of(one, "package") for one in kept] == [0, 1]
    assert without_repeats(pool, {everywhere: spread, first: near, second: far}) == pool
    assert without_repeats(pool, {}) == pool
    assert without_repeats(pool[:1], {everywhere: near}) == pool[:1]


def test_values_taken_side_by_side_are_blended() -> None:
    a, b = visit("0-1", 2e-7), visit("0-2", 8e-7)
    mean = blended([a, b], geometric_mean)
    assert mean is not None
    assert mean.value == pytest.approx(4e-7)
    assert mean.rounds == a.rounds
    assert mean.low < mean.value < mean.high
    by_hand = [math.sqrt(x * y) for x, y in zip(a.launch_values, b.launch_values, strict=True)]
    assert mean.launch_values == pytest.approx(by_hand)


def test_of_launches_that_share_no_round_nothing_is_blended() -> None:
    early = made_up("memory.pages", {"pair": "0-1"}, Layout(), "visit_time", 1.0, rounds=(1, 2, 3))
    late = made_up("memory.pages", {"pair": "0-2"}, Layout(), "visit_time", 1.0, rounds=(4, 5, 6))
    assert blended([early, late], geometric_mean) is None
    partly = replace(late, rounds=(3, 4, 5))
    shared = blended([early, partly], geometric_mean)
    assert shared is not None
    assert shared.launches == 1


@given(st.lists(st.floats(min_value=1e-12, max_value=1e12), min_size=1, max_size=20))
def test_a_geometric_mean_lies_within_its_values(values: list[float]) -> None:
    assert min(values) * (1 - 1e-9) <= geometric_mean(values) <= max(values) * (1 + 1e-9)


@given(st.permutations(range(5)))
def test_the_order_in_which_pairs_come_does_not_matter(ranks: list[int]) -> None:
    named = {f"0-{i + 1}": rank for i, rank in enumerate(ranks)}
    (farthest,) = pairs(FARTHEST, named, *named)
    (nearest,) = pairs(NEAREST, named, *named)
    assert named[str(farthest)] == 4
    assert named[str(nearest)] == 0


def test_points_differ_in_what_they_differ_in() -> None:
    pool = [visit("0-1"), visit("0-2")]
    assert differ_only_in(("pair",), pool)
    assert not differ_only_in(("size",), pool)
    splits = [
        made_up("apps.retrieval", {}, Layout(threads_per_rank=n, inner_threads=8 // n), "time", 1.0)
        for n in (1, 2, 8)
    ]
    assert differ_only_in(("split",), splits)

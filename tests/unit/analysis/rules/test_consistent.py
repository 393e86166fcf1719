"""Rule CONSISTENT: who is behind pairs that are worse, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.system.consistent import _median_interval
from machmeter.analysis.stats.student import mean_and_half_width
from machmeter.model.layout import Layout
from machmeter.model.plan.question import ConsistentRule, Question, Selector
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.units import is_unbounded
from machmeter.run.planning.rank_pairs import pairs_of_ranks
from machmeter.text.findings.pairs import host_of
from tests.support import questions
from tests.support.made_up.estimates import made_up

QUESTION = Question(
    text="Is the performance of all pairs uniform?",
    benchmark="network.consistency",
    metric="latency",
    rule=ConsistentRule(
        Selector({"size": 8}), consistent="fine", named="service it", levels="mind levels"
    ),
)
HOSTS = ("n1", "n2", "n3", "n4", "n5")
SPREAD = dict(zip(combinations(range(4), 2), (1.0, 1.2, 1.5, 1.7, 2.2, 2.6), strict=True))


def pairs(
    nodes: int,
    bad: int = -1,
    link: tuple[int, int] = (-1, -1),
    metric: str = "latency",
    spread: float = 0.004,
) -> list[Estimate]:
    """All pairs of `nodes`; those of `bad` and the link are three times worse."""
    found = []
    for one, other in combinations(range(nodes), 2):
        times = 3.0 if bad in (one, other) or (one, other) == link else 1.0
        value = 1e-6 * times if metric == "latency" else 1e10 / times
        made = made_up(
            "network.consistency",
            {"pair": f"{one}-{other}", "size": 8},
            Layout(nodes=nodes),
            metric,
            value,
            spread,
        )
        found.append(replace(made, launch_numbers=tuple(range(1, made.launches + 1))))
    return found


def answer(estimates: list[Estimate], hosts: tuple[str, ...] = HOSTS) -> Finding:
    question = replace(QUESTION, metric=estimates[0].metric)
    return questions.finding(question, estimates, TopologyFacts({}, {}, rank_hosts=hosts))


@pytest.mark.parametrize("metric", ["latency", "bandwidth"])
@pytest.mark.parametrize("bad", range(5))
def test_the_bad_host_is_named(bad: int, metric: str) -> None:
    finding = answer(pairs(5, bad, metric=metric))
    assert finding.answer.startswith(f"no, {HOSTS[bad]} is slow in 4 of its 4 pairs, 3.0")
    assert finding.answer.endswith("] worse than the typical pair: service it")
    assert finding.comparison is not None
    assert finding.comparison.low > 2.5
    assert finding.cases[0].details[0].startswith(f"{HOSTS[bad]}: ")
    assert HOSTS[bad] in finding.cases[0].evidence


def test_a_bad_link_is_named_as_one() -> None:
    finding = answer(pairs(5, link=(1, 3)))
    assert finding.answer.startswith("no, the link n2 to n4 is slow, 3.0")


def test_pairs_that_are_alike_are_said_to_be() -> None:
    finding = answer(pairs(5))
    assert finding.answer.startswith("yes, all 10 pairs within ")
    assert finding.status is AnswerStatus.DECIDED


def test_two_hosts_cannot_be_told_from_each_other() -> None:
    finding = answer(pairs(2, bad=0))
    assert finding.answer.startswith("inconclusive: one pair has no other to compare with")
    assert finding.status is AnswerStatus.INCONCLUSIVE


@pytest.mark.parametrize("spread", [0.15, 1.5])
def test_launches_that_differ_widely_blame_nobody(spread: float) -> None:
    draw = np.random.default_rng(5)
    blamed = 0
    for _ in range(60):
        noise = draw.normal(0, spread, (6, 6))
        made = launched(dict(zip(SPREAD, np.exp(noise).tolist(), strict=True)))
        said = answer(made).answer
        assert not said.startswith("yes")
        blamed += "is slow" in said
    assert blamed <= 6  # Expected of one in twenty, at most


def launched(values: Mapping[tuple[int, int], Sequence[float]]) -> list[Estimate]:
    """Pairs with these launch values, microseconds."""
    nodes = 1 + max(other for _, other in values)
    found = []
    for one in pairs(nodes):
        first, _, second = str(one.point.get("pair")).partition("-")
        if (int(first), int(second)) not in values:
            continue
        taken = tuple(1e-6 * value for value in values[int(first), int(second)])
        logs = [math.log(value) for value in taken]
        center, half = mean_and_half_width(logs)
        found.append(
            replace(
                one,
                value=math.exp(center),
                low=math.exp(center - min(half, 50)),
                high=math.exp(center + min(half, 50)),
                launches=len(taken),
                launch_values=taken,
                launch_numbers=tuple(range(1, len(taken) + 1)),
                rounds=tuple(range(1, len(taken) + 1)),
            )
        )
    return found


def test_one_disturbed_launch_is_no_slow_host() -> None:
    disturbed = [
        replace(one, launch_values=(one.launch_values[0] * 500, *one.launch_values[1:]))
        if "0" in str(one.point.get("pair"))
        else one
        for one in pairs(5)
    ]
    assert answer(disturbed).answer.startswith("yes, ")


def scaled(
    factors: Mapping[tuple[int, int], float], spread: float = 0.004, launches: int = 10
) -> list[Estimate]:
    """All pairs that `factors` name, so many times a microsecond, of the first launches."""
    nodes = 1 + max(other for _, other in factors)
    values = {
        (int(first), int(second)): [
            1e6 * value * factors[int(first), int(second)] for value in one.launch_values[:launches]
        ]
        for one in pairs(nodes, spread=spread)
        for first, _, second in [str(one.point.get("pair")).partition("-")]
        if (int(first), int(second)) in factors
    }
    return launched(values)


def two_racks(nodes: int, near: float) -> dict[tuple[int, int], float]:
    half = nodes // 2
    return {
        (one, other): near if (one < half) == (other < half) else 1.0
        for one, other in combinations(range(nodes), 2)
    }


@pytest.mark.parametrize("nodes", [4, 6, 8, 16])
def test_a_machine_of_several_levels_blames_nobody(nodes: int) -> None:
    answered = answer(scaled(two_racks(nodes, 1 / 3)), ()).answer
    assert answered.startswith("no: several levels, ")
    assert "not explained by one node: mind levels" in answered


def of_leaves(nodes: int, leaf: int, slow: int = -1) -> dict[tuple[int, int], float]:
    """The pairs of a sample, those between leaves 1.3 times worse, those of `slow` 1.5 times."""
    texts = (text.partition("-") for text in pairs_of_ranks(nodes))
    return {
        (one, other): (1.0 if one // leaf == other // leaf else 1.3)
        * (1.5 if slow in (one, other) else 1.0)
        for one, other in ((int(first), int(second)) for first, _, second in texts)
    }


def test_a_slow_host_below_leaf_switches_is_named_relative_to_its_level() -> None:
    finding = answer(scaled(of_leaves(64, 16, slow=9)), ())
    assert finding.answer.startswith("no, rank 9 is slow in 11 of its 11 pairs, 1.5")
    assert finding.comparison is not None
    assert finding.comparison.low > 1.4
    assert finding.comparison.high < 1.6


def test_leaf_switches_are_levels_with_a_usual_value_each() -> None:
    finding = answer(scaled(of_leaves(64, 16)), ())
    factors = list(of_leaves(64, 16).values())
    near, far = factors.count(1.0), factors.count(1.3)
    assert finding.answer.startswith(
        f"no: several levels, of {len(factors)} pairs {near} of 1.00 µs and {far} of 1.30 µs"
    )


def test_pairs_that_spread_widely_differ() -> None:
    finding = answer(scaled(SPREAD))
    assert finding.answer.startswith("no: pairs differ, all 6 pairs within 7")
    assert "by no single node" in finding.answer
    assert finding.status is AnswerStatus.DECIDED


@pytest.mark.parametrize(("spread", "launches"), [(0.004, 1), (0.5, 3)])
def test_few_or_scattered_launches_resolve_nothing(spread: float, launches: int) -> None:
    for factors in (SPREAD, dict.fromkeys(SPREAD, 1.0), two_racks(4, 0.9)):
        finding = answer(scaled(factors, spread, launches))
        assert finding.answer.startswith("inconclusive, ")
        assert finding.status is AnswerStatus.INCONCLUSIVE


@given(
    st.integers(1, 10).flatmap(
        lambda launches: st.lists(
            st.lists(st.floats(1.0, 2.0), min_size=launches, max_size=launches),
            min_size=6,
            max_size=6,
        )
    )
)
@settings(max_examples=80, deadline=None)
def test_pairs_that_spread_are_never_said_to_be_alike(values: list[list[float]]) -> None:
    said = answer(launched(dict(zip(SPREAD, values, strict=True)))).answer
    middles = [median(one) for one in values]
    if max(middles) > 1.22 * min(middles) or len(values[0]) == 1:
        assert not said.startswith("yes")


@given(st.integers(0, 3), st.lists(st.floats(1.0, 1.4), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_bad_host_among_others_that_spread_is_named(bad: int, factors: list[float]) -> None:
    by_pair = {
        pair: factor * (3.0 if bad in pair else 1.0)
        for pair, factor in zip(SPREAD, factors, strict=True)
    }
    said = answer(scaled(by_pair, spread=0.02)).answer
    assert said.startswith(f"no, {HOSTS[bad]} is slow in 3 of its 3 pairs, ")


def test_pairs_that_failed_leave_it_open_and_are_named() -> None:
    every = pairs(5)
    planned = tuple(one.point for one in every)
    question = replace(QUESTION, metric="latency")
    facts = TopologyFacts({}, {}, rank_hosts=HOSTS, planned_pairs=planned)
    complete = questions.finding(question, every, facts)
    assert complete.answer.startswith("yes, ")
    kept = [one for one in every if "2" not in str(one.point.get("pair"))]
    finding = questions.finding(question, kept, facts)
    assert finding.answer.startswith("inconclusive, 4 of 10 pairs have no result, all with n3: ")
    assert finding.status is AnswerStatus.INCONCLUSIVE
    one_less = questions.finding(question, every[1:], facts)
    assert "1 of 10 pairs have no result: n1 to n2: " in one_less.answer
    bad_too = questions.finding(question, pairs(5, bad=4)[1:], facts)
    assert bad_too.answer.startswith("no, n5 is slow in 4 of its 4 pairs, ")
    assert "1 of 10 pairs have no result: n1 to n2: service it" in bad_too.answer


def test_pairs_of_another_size_or_layout_are_not_missing() -> None:
    every = pairs(4)
    others = [replace(one.point, parameters=(("pair", "0-9"), ("size", 64))) for one in every] + [
        replace(one.point, layout=Layout(nodes=9)) for one in every
    ]
    facts = TopologyFacts({}, {}, planned_pairs=tuple(others))
    finding = questions.finding(QUESTION, every, facts)
    assert finding.answer.startswith("yes, ")


@pytest.mark.parametrize("launches", [6, 7, 10, 20])
def test_the_interval_of_a_median_holds_it_as_often_as_it_says(launches: int) -> None:
    draw = np.random.default_rng(launches)
    held = 0
    for _ in range(2000):
        low, high = _median_interval([float(v) for v in draw.lognormal(0, 0.3, launches)])
        held += low <= 1.0 <= high
    assert held >= 0.94 * 2000


def test_the_interval_of_one_launch_is_unbounded() -> None:
    low, high = _median_interval([1e-6])
    assert (low, is_unbounded(high)) == (0.0, True)
    low, high = _median_interval([1e-6, 1.2e-6])
    assert low < 1e-6
    assert high > 1.2e-6


def test_what_are_no_pairs_of_ranks_decides_nothing() -> None:
    one = pairs(3)[0]
    other = replace(one, point=replace(one.point, parameters=(("pair", "0-0"), ("size", 8))))
    assert answer([one, other]).status is AnswerStatus.UNDECIDABLE


@pytest.mark.parametrize(
    ("hosts", "name"),
    [
        (("a", "b"), "b"),
        (("a", "a"), "rank 1"),
        ((), "rank 1"),
        (("a", "b", "b"), "rank 1 on b"),
    ],
)
def test_hosts_are_named_where_ranks_have_their_own(hosts: tuple[str, ...], name: str) -> None:
    assert host_of(1, hosts) == name

"""Rule CONSISTENT: who is behind pairs that are worse, in words."""

from __future__ import annotations

from itertools import combinations

import pytest
from made_up_estimates import made_up
from msgspec.structs import replace

from machmeter.analysis.rules import answers
from machmeter.analysis.rules_consistent import host_of
from machmeter.analysis.rules_select import Places
from machmeter.model.estimate import Estimate, Finding, Standing
from machmeter.model.layout import Layout
from machmeter.model.study import Question, Rule, Selector

QUESTION = Question(
    text="Are all pairs alike?",
    benchmark="network.consistency",
    metric="latency",
    rule=Rule.CONSISTENT,
    candidate=Selector({"size": 8}),
    axes=("pair",),
    yes="fine",
    no="look after it",
    same="mind levels",
)
HOSTS = ("n1", "n2", "n3", "n4", "n5")


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
    (finding,) = answers((question,), estimates, Places({}, {}, rank_hosts=hosts))
    return finding


@pytest.mark.parametrize("metric", ["latency", "bandwidth"])
@pytest.mark.parametrize("bad", range(5))
def test_the_bad_host_is_named(bad: int, metric: str) -> None:
    finding = answer(pairs(5, bad, metric=metric))
    assert finding.answer.startswith(f"no, {HOSTS[bad]} is behind 4 of its 4 pairs, 3.0")
    assert finding.answer.endswith("] worse: look after it")
    assert finding.comparison is not None
    assert finding.comparison.low > 2.5
    assert finding.parts[0].startswith(f"{HOSTS[bad]}: ")
    assert HOSTS[bad] in finding.evidence


def test_a_bad_link_is_named_as_one() -> None:
    finding = answer(pairs(5, link=(1, 3)))
    assert finding.answer.startswith("no, the link of n2 and n4 is apart, 3.0")


def test_pairs_that_are_alike_are_said_to_be() -> None:
    finding = answer(pairs(5))
    assert finding.answer.startswith("yes, all 10 pairs within ")
    assert finding.standing is Standing.DECIDED


def test_two_hosts_cannot_be_told_from_each_other() -> None:
    finding = answer(pairs(2, bad=0))
    assert finding.answer.startswith("not resolved: there is one pair only")
    assert finding.standing is Standing.UNRESOLVED


def test_launches_that_differ_widely_blame_nobody() -> None:
    finding = answer(pairs(5, bad=2, spread=1.5))
    assert "behind" not in finding.answer


def test_one_disturbed_launch_is_no_slow_host() -> None:
    disturbed = [
        replace(one, launch_values=(one.launch_values[0] * 500, *one.launch_values[1:]))
        if "0" in str(one.point.get("pair"))
        else one
        for one in pairs(5)
    ]
    assert answer(disturbed).answer.startswith("yes, ")


def test_a_machine_of_several_levels_blames_nobody() -> None:
    near = {(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)}
    found = [
        replace(
            one,
            value=one.value / factor,
            launch_values=tuple(value / factor for value in one.launch_values),
        )
        for one in pairs(6)
        for first, _, second in [str(one.point.get("pair")).partition("-")]
        for factor in [3.0 if (int(first), int(second)) in near else 1.0]
    ]
    answered = answer(found, ()).answer
    assert "is behind" not in answered
    assert "the link of" not in answered


def test_what_are_no_pairs_of_ranks_decides_nothing() -> None:
    one = pairs(3)[0]
    other = replace(one, point=replace(one.point, parameters=(("pair", "0-0"), ("size", 8))))
    assert answer([one, other]).standing is Standing.UNDECIDABLE


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
    assert host_of(1, Places({}, {}, rank_hosts=hosts)) == name

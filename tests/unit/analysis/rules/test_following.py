"""Rules that follow a figure along one axis, on made-up curves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.question import (
    Band,
    FlatRule,
    GrowthRule,
    Question,
    Resource,
    Selector,
    SwitchRule,
    ThresholdRule,
)
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.variant import Variant
from machmeter.simulation.bands import with_band
from tests.support import questions
from tests.support.made_up.estimates import made_up
from tests.support.made_up.twins import made_up_twin

PAIR = Layout(ranks_per_node=2)
SIZES = tuple(2**power for power in range(23))


def answer(question: Question, estimates: list[Estimate]) -> Finding:
    return questions.finding(question, estimates)


SWITCH = Question(
    text="Where does the protocol switch?",
    benchmark="network.latency",
    metric="latency",
    rule=SwitchRule(
        Selector(), "size", slower="mind it", faster="no matter", none="nothing to mind"
    ),
    each=("mpi",),
)


def latencies(limit: int, layout: Layout = PAIR, spread: float = 0.004) -> list[Estimate]:
    """Eager messages up to `limit` bytes, beyond it 2 us more than the line, and a slower start."""
    return [
        curve_point(
            "network.latency",
            {"size": size},
            layout,
            "latency",
            5e-7 + 2e-10 * size if size <= limit else 2e-6 + 5e-7 + 1e-10 * (size + limit),
            spread,
        )
        for size in SIZES
    ]


def of_mpi(name: str, made: list[Estimate]) -> list[Estimate]:
    return [replace(one, point=replace(one.point, variant=Variant(name))) for one in made]


def curve_point(
    benchmark: str,
    parameters: dict[str, Value],
    layout: Layout,
    metric: str,
    value: float,
    spread: float = 0.004,
) -> Estimate:
    """An estimate of the launches that its whole curve was measured in."""
    made = made_up(benchmark, parameters, layout, metric, value, spread)
    return replace(made, launch_numbers=tuple(range(1, made.launches + 1)))


def test_a_switch_is_named_with_its_cost() -> None:
    finding = answer(SWITCH, latencies(8192))
    assert finding.status is AnswerStatus.DECIDED
    assert finding.answer.startswith("switch between 8 KiB and 16 KiB: +1.1")
    assert finding.answer.endswith("x): mind it")
    assert "[1." in finding.answer  # 2 us less 8 KiB of 0.1 ns
    assert finding.cases[0].details[0].startswith("1 B to 8 KiB: 50")
    assert len(finding.cases[0].details) == 2


def test_where_nothing_varies_a_switch_has_no_interval_of_zero_width() -> None:
    made = [
        curve_point(
            "network.latency",
            {"size": size},
            PAIR,
            "latency",
            5e-7 + 2e-10 * size + 2e-6 * (size > 8192),
            spread=0.0,
        )
        for size in SIZES
    ]
    alone = [
        replace(one, launches=1, launch_values=(one.value,), launch_numbers=(1,), rounds=(1,))
        for one in made
    ]
    twin = made_up_twin()
    finding = answer(SWITCH, [with_band(one, twin) for one in alone])
    assert finding.answer.startswith("switch between 8 KiB and 16 KiB: +2.00 µs (")


def test_a_curve_that_only_bends_has_no_jump() -> None:
    made = [
        curve_point(
            "network.latency",
            {"size": size},
            PAIR,
            "latency",
            1e-6 + 2e-10 * (size + max(0, size - 65536)),
        )
        for size in SIZES
    ]
    finding = answer(SWITCH, made)
    assert "change of slope between 64 KiB and 128 KiB, no significant jump" in finding.answer
    assert finding.answer.endswith(": no matter")


def test_one_line_has_no_switch() -> None:
    finding = answer(SWITCH, latencies(SIZES[-1]))
    assert finding.answer == "no switch from 1 B to 4 MiB: nothing to mind"


def test_each_library_has_its_own_switch() -> None:
    two = of_mpi("mpich", latencies(8192)) + of_mpi("openmpi", latencies(65536))
    finding = answer(SWITCH, two)
    assert "switch between 8 KiB and 16 KiB: " in finding.answer
    assert "for mpich" in finding.answer
    assert "between 64 KiB and 128 KiB" in finding.answer
    assert "(no matter)" in finding.answer
    assert finding.cases[1].details[0].startswith("1 B to 64 KiB: ")


def test_two_curves_at_once_are_not_one() -> None:
    two = of_mpi("mpich", latencies(8192)) + of_mpi("other", latencies(8192))
    finding = answer(replace(SWITCH, each=()), two)
    assert finding.status is AnswerStatus.UNDECIDABLE


def test_one_launch_decides_no_switch() -> None:
    alone = [
        replace(
            one,
            launches=1,
            launch_values=one.launch_values[:1],
            launch_numbers=(1,),
            rounds=one.rounds[:1],
        )
        for one in latencies(8192)
    ]
    finding = answer(SWITCH, alone)
    assert finding.status is AnswerStatus.INCONCLUSIVE
    assert finding.answer == "inconclusive, too few launches"


FLAT = Question(
    text="From which size on is bandwidth flat?",
    benchmark="network.bandwidth",
    metric="bandwidth_one_way",
    rule=FlatRule(
        Selector({"direction": "one-way"}), "size", flat="join up to it", rising="join all"
    ),
)


def bandwidths(half: float) -> list[Estimate]:
    return [
        curve_point(
            "network.bandwidth",
            {"size": size, "direction": "one-way", "window": 64},
            PAIR,
            "bandwidth_one_way",
            1e10 * size / (size + half),
        )
        for size in SIZES[10:]
    ]


@pytest.mark.parametrize(
    ("half", "words"),
    [
        (256, "flat from 16 KiB, 9.85 GB/s ["),
        (2.0**23, "still rising at 4 MiB, +66.7 % [66."),
    ],
)
def test_bandwidth_is_flat_or_still_rising(half: float, words: str) -> None:
    finding = answer(FLAT, bandwidths(half))
    assert finding.answer.startswith(words)
    assert finding.status is AnswerStatus.DECIDED
    assert "maximum at 4 MiB" in finding.cases[0].evidence


THRESHOLD = Question(
    text="From which size on do messages proceed?",
    benchmark="network.availability",
    metric="availability",
    rule=ThresholdRule(
        Selector(), "size", 0.5, reached="compute", never="wait", partly="mind the size"
    ),
    each=("mpi", "side"),
)


def availabilities(shares: Mapping[int, float], side: str = "send") -> list[Estimate]:
    return [
        curve_point(
            "network.availability",
            {"size": size, "side": side},
            PAIR,
            "availability",
            share,
            spread=0.02,
        )
        for size, share in shares.items()
    ]


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.1, 0.2, 0.7, 0.9), "send: from 4 KiB, 70.0 % ["),
        ((0.6, 0.7, 0.8, 0.9), "send: from 1 KiB on, at every value measured, 60.0 % ["),
        ((0.1, 0.2, 0.3, 0.4), "send: never up to 8 KiB, at most 40.0 % ["),
        ((0.1, 0.7, 0.8, 0.2), "send: only at 2 KiB and 4 KiB, 20.0 % ["),
        ((0.1, 0.2, 0.501, 0.9), "send: from 8 KiB, 90.0 % ["),
        ((0.1, 0.2, 0.3, 0.5), "send: inconclusive, unclear at 8 KiB"),
    ],
)
def test_the_first_value_from_which_on_the_bound_is_reached(
    shares: tuple[float, ...], words: str
) -> None:
    finding = answer(
        THRESHOLD, availabilities(dict(zip((1024, 2048, 4096, 8192), shares, strict=True)))
    )
    assert finding.answer.startswith(words)
    assert (finding.status is AnswerStatus.INCONCLUSIVE) == ("inconclusive" in words)


def test_what_may_be_reached_before_is_said() -> None:
    finding = answer(THRESHOLD, availabilities({1024: 0.1, 2048: 0.501, 4096: 0.9}))
    assert finding.answer.endswith("there, possibly from 2 KiB: compute")


def test_both_sides_are_answered_by_themselves() -> None:
    both = availabilities({1024: 0.1, 4096: 0.9}) + availabilities(
        {1024: 0.1, 4096: 0.2}, "receive"
    )
    finding = answer(THRESHOLD, both)
    assert "from 4 KiB for send, 90.0 %" in finding.answer
    assert "never up to 4 KiB for receive, at most 20.0 %" in finding.answer
    assert "(compute)" in finding.answer
    assert "(wait)" in finding.answer


def test_many_values_at_the_bound_are_not_called_reached_by_chance() -> None:
    wrong = 0
    for shift in range(40):
        shares = {1024 + shift * 64 + step: 0.5 for step in range(8)}
        made = [
            made_up(
                "network.availability",
                {"size": size, "side": "send"},
                PAIR,
                "availability",
                share,
                0.05,
                centered=False,
            )
            for size, share in shares.items()
        ]
        wrong += "inconclusive" not in answer(THRESHOLD, made).answer
    assert wrong <= 5


GROWTH = Question(
    text="What does one more peer take?",
    benchmark="network.startup",
    metric="memory",
    rule=GrowthRule(
        Selector(), "ranks", (Band(0.0, "little", "go on"), Band(128e3, "much", "share buffers"))
    ),
)


def memory(per_peer: float, spread: float = 1e-5) -> list[Estimate]:
    return [
        made_up(
            "network.startup",
            {"size": 8},
            Layout(ranks_per_node=ranks, oversubscribe=ranks > 2),
            "memory",
            40e6 + per_peer * ranks,
            spread,
        )
        for ranks in (2, 4, 8, 16)
    ]


def test_memory_of_a_peer_lies_in_a_band() -> None:
    much = answer(GROWTH, memory(256e3))
    assert much.answer.startswith("much, 256 kB [25")
    assert much.answer.endswith("per additional rank: share buffers")
    assert "with 2 ranks" in much.cases[0].evidence
    assert answer(GROWTH, memory(0)).answer.startswith("little, ")


def test_growth_that_may_be_of_two_bands_is_left_open() -> None:
    finding = answer(GROWTH, memory(128e3, 1e-3))
    assert finding.answer.startswith("inconclusive, little or much, ")
    assert finding.status is AnswerStatus.INCONCLUSIVE


def test_what_the_machine_lacks_is_said() -> None:
    question = replace(GROWTH, requires={Resource.NODES: 2})
    facts = TopologyFacts({}, {}, {Resource.NODES: 1})
    finding = questions.finding(question, memory(1e3), facts)
    assert finding.answer == "not answerable here: requires 2 nodes (1 available)"
    assert finding.status is AnswerStatus.UNDECIDABLE
    nothing = answer(question, [])
    assert nothing.answer == "not answered: this run measured too few values of ranks"


def test_a_few_sizes_decide_no_switch() -> None:
    few = [one for one in latencies(8192) if one.point.get("size") in {8, 1024, 2**20}]
    finding = answer(SWITCH, few)
    assert finding.status is AnswerStatus.INCONCLUSIVE
    assert finding.answer == "inconclusive, too few sizes, 6 needed"

"""What the cases of findings rest on, and what would change them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.plan.question import (
    Band,
    BestRule,
    BetterRule,
    CostRule,
    Question,
    Resource,
    Selector,
)
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from tests.support import questions
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.maker import unresolved

PAGES = Question(
    text="Do large pages pay?",
    benchmark="memory.allocation",
    metric="total",
    rule=BetterRule(
        Selector({"pages": "transparent"}),
        Selector({"pages": "base"}),
        yes="ask for them",
        no="leave them",
        same="as you like",
    ),
)
BANDS = replace(
    PAGES,
    rule=CostRule(
        Selector({"pages": "transparent"}),
        Selector({"pages": "base"}),
        (Band(0.0, "as much"), Band(1.3, "more", "mind it"), Band(3.0, "far more", "avoid it")),
    ),
)
BEST = replace(PAGES, rule=BestRule(Selector(), ("pages",)))


def total(
    pages: str, seconds: float, spread: float = 0.004, rounds: tuple[int, ...] = tuple(range(12))
) -> Estimate:
    parameters: dict[str, Value] = {"way": "map", "pages": pages, "size": 2**30}
    return made_up(
        "memory.allocation", parameters, Layout(), "total", seconds, spread, rounds=rounds
    )


def found(question: Question, *estimates: Estimate) -> Finding:
    return questions.finding(question, estimates)


def test_a_wide_difference_of_precise_figures_is_sure_and_says_what_would_change_it() -> None:
    finding = found(PAGES, total("transparent", 1.0), total("base", 2.0))
    (case,) = finding.cases
    assert (finding.confidence, case.doubts) == (Confidence.SURE, ())
    assert (case.answer.partition(",")[0], case.advice) == ("yes", "ask for them")
    assert case.comparison == finding.comparison
    assert case.launches == 12
    (change,) = finding.sensitivity
    assert change.startswith(
        "would change if the true ratio were below 1.02x "
        "(no difference; lower confidence limit: 1.9"
    )


def test_the_other_side_is_told_the_other_way_round() -> None:
    finding = found(PAGES, total("transparent", 2.0), total("base", 1.0))
    assert finding.sensitivity[0].startswith(
        "would change if the true ratio were above 0.98x (no difference; upper"
    )


def test_few_launches_are_never_sure() -> None:
    few = tuple(range(6))
    finding = found(PAGES, total("transparent", 1.0, rounds=few), total("base", 2.0, rounds=few))
    assert finding.confidence is Confidence.LIKELY
    assert finding.cases[0].doubts == ("only 6 launches (10 required)",)


def test_what_is_the_same_would_be_changed_by_a_difference() -> None:
    finding = found(PAGES, total("transparent", 1.0, 0.001), total("base", 1.001, 0.001))
    assert finding.answer.startswith("no difference")
    assert finding.confidence is Confidence.SURE
    assert finding.sensitivity[0].startswith(
        "would change if the true ratio were above 1.02x (a difference; upper"
    )


def test_what_is_open_says_how_many_launches_would_decide_it() -> None:
    finding = found(PAGES, total("transparent", 1.0, 0.2), total("base", 1.05, 0.2))
    assert (finding.status, finding.confidence) == (AnswerStatus.INCONCLUSIVE, Confidence.OPEN)
    assert finding.cases[0].doubts == ("the interval allows more than one answer",)
    assert "launches needed (12 done)" in finding.sensitivity[0]


def test_one_launch_takes_ten() -> None:
    one = (1,)
    finding = found(PAGES, total("transparent", 1.0, rounds=one), total("base", 2.0, rounds=one))
    assert finding.confidence is Confidence.OPEN
    assert finding.sensitivity == ("at least 10 launches needed (1 done)",)


def test_an_overhead_that_is_lost_in_noise_is_to_be_told_from_zero() -> None:
    finding = found(PAGES, unresolved(total("transparent", 1.0)), unresolved(total("base", 2.0)))
    assert finding.cases[0].doubts == ("candidate or baseline is not distinguishable from zero",)
    assert "to distinguish it from zero" in finding.sensitivity[0]


@pytest.mark.parametrize(
    ("ratio", "change"),
    [
        (1.2, "above 1.30x (more;"),
        (1.4, "below 1.30x (as much;"),
        (2.8, "above 3.00x (far more;"),
        (9.0, "below 3.00x (more;"),
    ],
)
def test_a_band_would_change_at_its_nearest_bound(ratio: float, change: str) -> None:
    finding = found(BANDS, total("transparent", ratio), total("base", 1.0))
    assert finding.sensitivity[0].startswith(f"would change if the true ratio were {change}")
    assert finding.cases[0].margin > 0


def test_between_two_bands_the_bound_between_them_is_to_be_decided() -> None:
    finding = found(BANDS, total("transparent", 1.32, 0.1), total("base", 1.0, 0.1))
    assert finding.answer.startswith("inconclusive, as much or more, ")
    assert "launches needed" in finding.sensitivity[0]


def test_the_best_names_the_rival_that_it_is_not_distinguishable_from() -> None:
    finding = found(
        BEST,
        total("base", 2.0),
        total("transparent", 1.0, 0.05),
        total("hugetlb-2m", 1.01, 0.05),
    )
    assert finding.status is AnswerStatus.DECIDED
    assert any("to distinguish" in change for change in finding.sensitivity)


def test_the_least_sure_case_speaks_for_the_finding() -> None:
    question = replace(PAGES, each=("threads_per_rank",))

    def with_threads(one: Estimate, threads: int) -> Estimate:
        layout = Layout(threads_per_rank=threads)
        return replace(one, point=replace(one.point, layout=layout))

    few = tuple(range(6))
    finding = found(
        question,
        *(with_threads(e, 1) for e in (total("transparent", 1.0), total("base", 2.0))),
        *(
            with_threads(e, 2)
            for e in (total("transparent", 1.0, rounds=few), total("base", 2.0, rounds=few))
        ),
    )
    words = {case.label: case.confidence for case in finding.cases}
    assert words == {"1 thread": Confidence.SURE, "2 threads": Confidence.LIKELY}
    assert finding.confidence is Confidence.LIKELY
    assert all(change.startswith("2 threads: ") for change in finding.sensitivity)


def test_published_figures_are_as_printed() -> None:
    printed = [
        replace(one, origin=Origin.PUBLISHED, launches=1)
        for one in (total("transparent", 1.0), total("base", 2.0))
    ]
    finding = found(PAGES, *printed)
    assert (finding.confidence, finding.sensitivity) == (Confidence.PUBLISHED, ())


def test_a_machine_that_lacks_something_is_told_how_much() -> None:
    question = replace(PAGES, requires={Resource.CORES: 4})
    finding = questions.finding(question, (), TopologyFacts({}, {}, {Resource.CORES: 2}))
    assert finding.status is AnswerStatus.UNDECIDABLE
    assert finding.answer == "not answerable here: requires 4 cores (2 available)"


def latency(size: int, seconds: float, nodes: int) -> Estimate:
    layout = Layout(nodes=nodes, ranks_per_node=2 // nodes)
    return made_up("network.latency", {"size": size}, layout, "latency", seconds)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [(1, "may differ between nodes"), (2, "may differ on another number of nodes: measured on 2")],
)
def test_figures_of_a_network_hold_for_its_number_of_nodes(nodes: int, said: str) -> None:
    question = Question(
        text="Is 8 B quicker?",
        benchmark="network.latency",
        metric="latency",
        rule=BetterRule(Selector({"size": 8}), Selector({"size": 64})),
    )
    finding = found(question, latency(8, 1e-6, nodes), latency(64, 2e-6, nodes))
    assert finding.sensitivity[-1].startswith(said)

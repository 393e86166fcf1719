"""Questions answered from estimates."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Layout, WaitPolicy
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    BetterRule,
    Question,
    Resource,
    Selector,
)
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import CaseEvidence, Finding
from machmeter.run.results.findings import answered
from machmeter.text.ratios import bounded_ratio_text
from tests.support import questions
from tests.support.fake_launcher import MIB
from tests.support.synthetic.maker import Maker, unresolved

PAGES = Question(
    text="Do large pages pay?",
    benchmark="memory.latency",
    metric="latency",
    rule=BetterRule(
        Selector({"size": LARGEST}, {"page_bytes": HUGE_PAGE}),
        Selector({"size": LARGEST}, {"page_bytes": BASE_PAGE}),
        yes="ask for them",
        no="leave them",
    ),
)


def answer(question: Question, estimates: Sequence[Estimate]) -> Finding:
    return questions.finding(question, estimates)


def latency(size: int, pages: int, value: float, spread: float = 0.005) -> Estimate:
    layout = Layout(page_bytes=pages)
    return Maker(size + pages).estimate(
        "memory.latency", {"size": size}, layout, "latency", value, spread
    )


@pytest.mark.parametrize(
    ("candidate", "spread", "expected"),
    [
        (100e-9, 0.005, ("yes", "ask for them")),
        (300e-9, 0.005, ("no", "leave them")),
        (200e-9, 0.002, ("no difference", "")),
        (200e-9, 0.5, ("inconclusive", "")),
    ],
)
def test_the_answer_follows_the_verdict(
    candidate: float, spread: float, expected: tuple[str, str]
) -> None:
    estimates = [
        latency(8192, HUGE_PAGE, 1e-9),
        latency(8192, BASE_PAGE, 1e-9),
        latency(64 * MIB, HUGE_PAGE, candidate, spread),
        latency(64 * MIB, BASE_PAGE, 200e-9, spread),
    ]
    finding = answer(PAGES, estimates)
    assert finding.comparison is not None
    verdict, _, more = finding.answer.partition(", ")
    ratio, _, advice = more.partition(": ")
    assert (verdict, advice) == expected
    assert ratio == bounded_ratio_text(finding.comparison)
    assert " ns against " in finding.cases[0].evidence


def test_above_one_is_better_also_where_lower_is_better() -> None:
    finding = answer(
        PAGES, [latency(64 * MIB, HUGE_PAGE, 100e-9), latency(64 * MIB, BASE_PAGE, 200e-9)]
    )
    assert finding.comparison is not None
    assert 1.9 < finding.comparison.low < finding.comparison.high < 2.1
    assert bounded_ratio_text(finding.comparison).startswith("2.0")


@pytest.mark.parametrize("kept", [[], [HUGE_PAGE], [BASE_PAGE]])
def test_one_side_alone_decides_nothing(kept: list[int]) -> None:
    finding = answer(PAGES, [latency(64 * MIB, pages, 1e-7) for pages in kept])
    assert finding.answer.startswith("not answered")
    assert finding.comparison is None


def test_a_selector_that_leaves_more_than_one_decides_nothing() -> None:
    vague = Question("?", "memory.latency", "latency", BetterRule(Selector(), Selector()))
    finding = answer(vague, [latency(64 * MIB, p, 1e-7) for p in (BASE_PAGE, HUGE_PAGE)])
    assert finding.answer.startswith("not answered")


def test_zero_threads_mean_the_most_that_were_measured() -> None:
    def overhead(threads: int, value: float) -> Estimate:
        return Maker(threads).estimate(
            "threads.sync",
            {"construct": "barrier"},
            Layout(threads_per_rank=threads),
            "overhead",
            value,
        )

    question = Question(
        "Does one thread pay less?",
        "threads.sync",
        "overhead",
        BetterRule(
            Selector(layout={"threads_per_rank": 1}), Selector(layout={"threads_per_rank": 0})
        ),
    )
    finding = answer(question, [overhead(1, 1e-7), overhead(2, 2e-7), overhead(8, 8e-7)])
    assert finding.comparison is not None
    assert 7.5 < finding.comparison.ratio < 8.5
    assert finding.answer.startswith("yes, 8.0")


def overhead_question() -> Question:
    def side(policy: str) -> Selector:
        return Selector({"construct": "barrier"}, {"wait_policy": policy})

    return Question("?", "threads.sync", "overhead", BetterRule(side("active"), side("passive")))


def overhead_of(policy: WaitPolicy) -> Estimate:
    layout = Layout(threads_per_rank=2, wait_policy=policy)
    return Maker(1).estimate("threads.sync", {"construct": "barrier"}, layout, "overhead", 1e-7)


def test_a_setting_is_told_where_it_gains_and_advice_is_none_where_it_is_the_default() -> None:
    rule = replace(
        PAGES.rule,
        yes="ask for them",
        settings=("THP=1",),
        by_default=Resource.HUGE_PAGES_BY_DEFAULT,
        yes_by_default="keep them",
    )
    question = replace(PAGES, rule=rule)

    def case(huge: float, default: int) -> CaseEvidence:
        pages = [latency(64 * MIB, HUGE_PAGE, huge), latency(64 * MIB, BASE_PAGE, 200e-9)]
        facts = TopologyFacts({}, {}, {Resource.HUGE_PAGES_BY_DEFAULT: default})
        return answered((question,), pages, facts)[0].cases[0]

    assert (case(100e-9, 0).advice, case(100e-9, 0).settings) == ("ask for them", ("THP=1",))
    assert (case(100e-9, 1).advice, case(100e-9, 1).settings) == ("keep them", ())
    assert case(300e-9, 0).settings == ()


def test_where_a_ratio_means_nothing_none_is_printed() -> None:
    active, passive = overhead_of(WaitPolicy.ACTIVE), overhead_of(WaitPolicy.PASSIVE)
    both = [unresolved(active), unresolved(passive)]
    finding = answer(overhead_question(), both)
    assert finding.answer == "inconclusive, not distinguishable from zero"
    assert finding.cases[0].evidence.startswith("barrier, 2 threads: < 12.0 ns against ")
    once = [replace(e, launch_values=(1e-7,), launches=1) for e in (active, passive)]
    once = [replace(e, launch_numbers=(1,), rounds=(1,)) for e in once]
    assert answer(overhead_question(), once).answer == "inconclusive, too few launches"


def test_among_many_questions_a_small_difference_may_be_chance() -> None:
    pages = [latency(64 * MIB, HUGE_PAGE, 196e-9, 0.012), latency(64 * MIB, BASE_PAGE, 200e-9)]
    alone = answer(PAGES, pages)
    assert alone.comparison is not None
    assert alone.comparison.p_value < 0.05
    assert alone.comparison.verdict is ComparisonVerdict.FASTER
    among = questions.findings((PAGES,) * 100, pages)[0]
    assert among.comparison is not None
    assert among.comparison.verdict is ComparisonVerdict.INCONCLUSIVE
    assert among.comparison.p_value == pytest.approx(min(1, 100 * alone.comparison.p_value))
    assert among.answer.endswith("not significant after correction for multiple comparisons")


def test_the_smallest_and_largest_pages_are_those_of_the_machine() -> None:
    question = replace(
        PAGES,
        rule=BetterRule(
            Selector({"size": LARGEST}, {"page_bytes": LARGEST}),
            Selector({"size": LARGEST}, {"page_bytes": SMALLEST}),
        ),
    )
    estimates = [latency(64 * MIB, 512 * MIB, 1e-7), latency(64 * MIB, 65536, 2e-7)]
    assert answer(question, estimates).answer.startswith("yes")
    assert answer(question, estimates[:1]).answer.startswith("not answered")

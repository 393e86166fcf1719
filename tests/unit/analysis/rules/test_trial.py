"""What decides where a ratio has one end only, which value is best, and what is said then."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.ranking import best_of
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.trial import ratio_of
from machmeter.analysis.stats.estimates import estimate
from machmeter.analysis.stats.launch_value import LaunchValue
from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, Layout, ProgressMode
from machmeter.model.plan.question import (
    LARGEST,
    Band,
    BestRule,
    BetterRule,
    CostRule,
    EfficiencyRule,
    Question,
    Resource,
    Selector,
    WaveRule,
)
from machmeter.model.point import make_point
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from tests.support import questions
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.maker import unresolved

SPLITS = Selector(layout={"threads": 0, "binding": "spread"})


def answer(
    question: Question, estimates: Sequence[Estimate], resources: dict[Resource, int] | None = None
) -> Finding:
    return questions.finding(question, estimates, TopologyFacts({}, {}, resources or {}))


def overhead(binding: Binding, value: float, openmp: str = "") -> Estimate:
    layout = Layout(threads_per_rank=2, binding=binding, openmp=openmp)
    return made_up("threads.sync", {"construct": "for"}, layout, "overhead", value)


def nearly_zero(estimate: Estimate) -> Estimate:
    """Not told from zero, at most 12 ns."""
    small = unresolved(estimate)
    assert small.low <= 0
    assert small.high == pytest.approx(12e-9)
    return small


PROGRESS = Question(
    text="Does a thread leave more for work?",
    benchmark="network.availability",
    metric="availability",
    rule=BetterRule(
        Selector(layout={"progress": ProgressMode.THREAD}),
        Selector(layout={"progress": ProgressMode.LIBRARY}),
        yes="let it",
        no="leave it",
        same="no matter",
    ),
)


def available(
    progress: ProgressMode, value: float, spread: float = 0.005, reserved: int = 0
) -> Estimate:
    """Ten launches around a share, also a negative one, with a spread in shares."""
    where = Layout(ranks_per_node=2, progress=progress, reserved_cores=reserved)
    draw = random.Random(str(progress))
    values = [value + draw.gauss(0, spread) for _ in range(10)]
    point = make_point("network.availability", {"size": 8, "side": "send"}, where)
    metric = find("network.availability").metric("availability")
    rounds = range(1, 11)
    taken = [LaunchValue(one, 200, 0, 0) for one in values]
    return estimate(point, metric, taken, rounds, 0.02, 10, 1, {}, rounds)


@pytest.mark.parametrize(
    ("library", "thread", "words"),
    [
        (-0.2, 0.5, "yes, +7"),
        (0.5, -0.2, "no, -"),
        (0.02, 0.03, "no difference, +"),
        (0.0, 0.0, "no difference, "),
    ],
)
def test_shares_are_compared_by_points(library: float, thread: float, words: str) -> None:
    finding = answer(
        PROGRESS, [available(ProgressMode.LIBRARY, library), available(ProgressMode.THREAD, thread)]
    )
    assert finding.answer.startswith(words)
    assert " points [" in finding.answer
    assert finding.status is AnswerStatus.DECIDED
    assert finding.comparison is None


def test_noisy_shares_are_not_resolved_and_say_how_far_they_may_be() -> None:
    noisy = [available(p, 0.3, 0.2) for p in (ProgressMode.LIBRARY, ProgressMode.THREAD)]
    finding = answer(PROGRESS, noisy)
    assert finding.answer.startswith("inconclusive, ")
    assert " points [-" in finding.answer


def test_reserved_cores_are_no_difference_beside_progress() -> None:
    both = [
        available(ProgressMode.LIBRARY, 0.2),
        available(ProgressMode.THREAD, 0.6, reserved=1),
    ]
    assert answer(PROGRESS, both).answer.startswith("yes, +")


def test_the_best_of_shares_is_ahead_by_points() -> None:
    question = replace(
        PROGRESS,
        rule=BestRule(
            Selector(),
            ("progress",),
            Selector(layout={"progress": ProgressMode.LIBRARY}),
            otherwise="let it",
        ),
    )
    finding = answer(
        question,
        [
            available(ProgressMode.LIBRARY, -0.2),
            available(ProgressMode.THREAD, 0.1),
            available(ProgressMode.RESERVED, 0.9, reserved=1),
        ],
    )
    assert " points [" in finding.answer
    assert "over no progress thread: let it" in finding.answer
    assert finding.answer.startswith(str(ProgressMode.RESERVED))


FAR = Question(
    text="Far?",
    benchmark="threads.sync",
    metric="overhead",
    rule=CostRule(
        Selector(layout={"binding": "spread"}),
        Selector(layout={"binding": "close"}),
        (Band(0.0, "as little", "anywhere"), Band(1.3, "more"), Band(10.0, "far more", "fewer")),
        (Band(0.0, "uniform", "as you like"),),
    ),
)


@pytest.mark.parametrize(
    ("far", "expected"),
    [
        (2e-6, "far more, at least 16"),
        (6e-8, "inconclusive, more or far more, at least "),
        (1e-8, "inconclusive, not distinguishable"),
    ],
)
def test_an_upper_bound_alone_decides_where_it_is_beyond_a_band(far: float, expected: str) -> None:
    near = nearly_zero(overhead(Binding.CLOSE, 1e-9))
    finding = answer(FAR, [near, overhead(Binding.SPREAD, far)])
    assert finding.answer.startswith(expected)
    assert finding.answer.endswith(": fewer") == expected.startswith("far more")


def test_a_cost_of_at_most_a_little_lies_in_the_first_band() -> None:
    far = nearly_zero(overhead(Binding.SPREAD, 1e-9))
    finding = answer(FAR, [far, overhead(Binding.CLOSE, 1e-6)])
    assert finding.answer.startswith("as little, at most 0.012x")
    assert finding.answer.endswith(": anywhere")


def test_a_bound_counts_the_same_from_either_side() -> None:
    small, large = nearly_zero(overhead(Binding.CLOSE, 1e-9)), overhead(Binding.SPREAD, 1e-6)
    gain, loss = ratio_of(small, large), ratio_of(large, small)
    assert gain.verdict is ComparisonVerdict.FASTER
    assert loss.verdict is ComparisonVerdict.SLOWER
    assert gain.low == pytest.approx(1 / loss.high)
    assert gain.p_value < 1e-6
    assert ratio_of(small, small).verdict is ComparisonVerdict.INCONCLUSIVE


def test_what_is_too_small_to_resolve_is_best_where_all_others_lie_above_its_bound() -> None:
    question = Question(
        text="Which runtime?",
        benchmark="threads.sync",
        metric="overhead",
        rule=BestRule(Selector(), ("openmp",), Selector(layout={"openmp": "libgomp"})),
    )
    slow = overhead(Binding.CLOSE, 1e-6, "libgomp")
    fast = nearly_zero(overhead(Binding.CLOSE, 1e-9, "libomp"))
    assert answer(question, [slow, fast]).answer.startswith("libomp, at least 8")
    both = [nearly_zero(slow), fast]
    assert answer(question, both).answer.startswith("inconclusive, between ")
    assert answer(question, both).cases[0].advice == ""


def spmv(schedule: str, value: float, spread: float = 0.004) -> Estimate:
    parameters: dict[str, Value] = {"schedule": schedule, "matrix": "ramp"}
    return made_up("sparse.spmv", parameters, Layout(), "flops", value, spread)


SCHEDULE = Question(
    text="Which schedule?",
    benchmark="sparse.spmv",
    metric="flops",
    rule=BestRule(
        Selector(),
        ("schedule",),
        Selector({"schedule": "static"}),
        advice={"guided": "balance at run time"},
    ),
)


def test_the_usual_value_is_kept_where_it_is_as_good_as_the_best() -> None:
    estimates = [spmv("static", 3.8e9, 0.1), spmv("guided", 3.9e9, 0.1), spmv("dynamic", 1e9)]
    finding = answer(SCHEDULE, estimates)
    assert "(tied with " in finding.answer
    assert " over dynamic" in finding.answer
    assert finding.answer.endswith(": keep static")
    assert " against 1.00 Gflop/s" in finding.cases[0].evidence


def test_the_best_is_not_beaten_in_the_rounds_that_both_were_measured_in() -> None:
    guided, static = spmv("guided", 2e9), spmv("static", 1.5e9)
    # Two early launches of static, when nothing else ran, were much faster than all later ones.
    early = replace(
        static,
        value=3e9,
        low=2.5e9,
        high=3.5e9,
        launches=12,
        launch_values=(9e9, 9e9, *static.launch_values),
        launch_numbers=(1, 2, *static.launch_numbers),
        rounds=(98, 99, *static.rounds),
    )
    assert early.value > guided.value
    assert best_of([early, guided]) is guided
    assert answer(SCHEDULE, [early, guided]).answer.startswith("guided, 1.33x [")


def test_a_question_alone_is_not_adjusted_for_what_else_is_asked() -> None:
    alone = Question(
        text="Bind?",
        benchmark="threads.sync",
        metric="overhead",
        rule=BetterRule(
            Selector(layout={"binding": "spread"}), Selector(layout={"binding": "close"})
        ),
        tested_alone=True,
    )
    few = [
        made_up(
            "threads.sync",
            {"construct": "for"},
            Layout(threads_per_rank=2, binding=binding),
            "overhead",
            value,
            0.03,
            rounds=(1, 2, 3, 4),
        )
        for binding, value in ((Binding.CLOSE, 2e-6), (Binding.SPREAD, 1.7e-6))
    ]
    others = [replace(alone, tested_alone=False)] * 200
    mine, other, *_ = questions.findings((alone, *others), few)
    assert mine.answer.startswith("yes, ")
    assert mine.cases[0].evidence.endswith("; tested separately, for its few launches")
    assert other.answer.startswith("inconclusive")


def heat(derivatives: int, outer: int, value: float, inner: int = 1) -> Estimate:
    binding = Binding.CLOSE if outer * inner == 1 else Binding.SPREAD
    layout = Layout(threads_per_rank=outer, inner_threads=inner, binding=binding)
    parameters: dict[str, Value] = {"derivatives": derivatives, "arrays": "slices"}
    return made_up("apps.heatflow", parameters, layout, "time", value)


def test_a_wave_model_takes_a_full_domain() -> None:
    question = Question(
        text="Waves?",
        benchmark="apps.heatflow",
        metric="time",
        rule=WaveRule(
            Selector({"derivatives": LARGEST}, {"threads_per_rank": 0, "inner_threads": 1}),
            Selector(layout={"inner_threads": 1}),
            "derivatives",
            (Band(0.0, "below"), Band(0.9, "at it"), Band(1.1, "above")),
        ),
    )
    measured = [heat(1, 1, 1.0), heat(4, 4, 2.0), heat(33, 16, 5.0)]
    for cores, words in ((4, "at it, "), (8, "not answered: ")):
        facts = TopologyFacts({}, {}, cores_per_domain=cores)
        assert questions.finding(question, measured, facts).answer.startswith(words)


def test_the_share_of_the_cores_is_that_of_the_best_split() -> None:
    question = Question(
        text="Share?",
        benchmark="apps.heatflow",
        metric="time",
        rule=EfficiencyRule(
            SPLITS,
            Selector(layout={"threads_per_rank": 1, "inner_threads": 1, "binding": "close"}),
            (Band(0.0, "less than half"), Band(0.5, "most"), Band(0.9, "nearly all")),
            ("split",),
        ),
    )
    splits = [heat(18, 16, 10.0), heat(18, 8, 8.0, inner=2), heat(18, 1, 16.0, inner=16)]
    finding = answer(question, [heat(18, 1, 100.0), *splits])
    assert finding.answer.startswith("most, parallel efficiency 78 % [")
    assert "12.5x on 16 threads, best: 8 x 2" in finding.answer


def test_one_domain_has_words_of_its_own() -> None:
    pair = [overhead(Binding.CLOSE, 1e-6), overhead(Binding.SPREAD, 2e-6)]
    assert answer(FAR, pair, {Resource.DOMAINS: 1}).answer.startswith("uniform, 2.00x")
    assert answer(FAR, pair, {Resource.DOMAINS: 2}).answer.startswith("more, 2.00x")


def test_what_a_machine_lacks_is_not_asked_of_it() -> None:
    question = replace(FAR, requires={Resource.CORES: 4})
    pair = [overhead(Binding.CLOSE, 1e-6), overhead(Binding.SPREAD, 2e-6)]
    assert answer(question, pair, {Resource.CORES: 2}).answer == (
        "not answerable here: requires 4 cores (2 available)"
    )
    assert answer(question, pair, {Resource.CORES: 2}).status is AnswerStatus.UNDECIDABLE
    assert answer(question, pair[:1], {Resource.CORES: 4}).answer.startswith("not answered: ")

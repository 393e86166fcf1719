"""The rules of questions, each on made-up estimates."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.outcome import BestOutcome
from machmeter.analysis.rules.ranking import best
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.analysis.rules.trial import band_of
from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.model.benchmark import Value
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.plan.question import (
    FARTHEST,
    LARGEST,
    OWN,
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
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Finding
from tests.support import questions
from tests.support.made_up.estimates import ROUNDS, made_up

BANDS = (
    Band(0.0, "uniform", "anywhere"),
    Band(1.3, "mildly NUMA", "near"),
    Band(3.0, "strongly NUMA", "bound"),
    Band(10.0, "software-shared memory", "own pages"),
)
REMOTE = Question(
    text="Uniform?",
    benchmark="memory.pages",
    metric="visit_time",
    rule=CostRule(
        Selector({"pair": FARTHEST, "size": LARGEST}),
        Selector({"pair": OWN, "size": LARGEST}),
        BANDS,
    ),
    source="somebody",
)
KINDS = {
    "0-0": 0,
    "8-8": 0,
    "0-1": 1,
    "0-8": 3,
    "8-0": 3,
    "0-4": 2,
}
ALL = Layout(threads_per_rank=16)


def answer(
    question: Question, estimates: Sequence[Estimate], resources: dict[Resource, int] | None = None
) -> Finding:
    return questions.finding(question, estimates, TopologyFacts(KINDS, {}, resources or {}))


def visit(pair: str, value: float, size: int = 2**24, spread: float = 0.004) -> Estimate:
    parameters: dict[str, Value] = {"pair": pair, "visit": "read", "size": size}
    return made_up("memory.pages", parameters, ALL, "visit_time", value, spread)


@pytest.mark.parametrize(
    ("remote", "expected"),
    [(1.1, "uniform"), (2.0, "mildly NUMA"), (6.0, "strongly NUMA"), (17.3, BANDS[3].name)],
)
def test_an_interval_within_a_band_names_it_and_its_advice(remote: float, expected: str) -> None:
    finding = answer(REMOTE, [visit("0-0", 1e-7), visit("0-8", remote * 1e-7)])
    advice = band_of(BANDS, remote).advice
    assert finding.answer.startswith(f"{expected}, ")
    assert finding.answer.endswith(f": {advice}")
    assert finding.comparison is not None
    assert finding.comparison.low <= remote * 1.01
    assert finding.comparison.high >= remote * 0.99
    assert finding.source == "somebody"


def test_an_interval_over_a_bound_allows_two_bands() -> None:
    finding = answer(REMOTE, [visit("0-0", 1e-7, spread=0.2), visit("0-8", 3e-7, spread=0.2)])
    assert finding.answer.startswith("inconclusive, mildly NUMA or strongly NUMA, ")


def test_a_band_is_named_only_where_it_holds_among_all_that_was_asked() -> None:
    near_a_bound = [visit("0-0", 1e-7, spread=0.02), visit("0-8", 3.1e-7, spread=0.02)]
    alone = answer(REMOTE, near_a_bound)
    assert alone.answer.startswith("strongly NUMA, ")
    among = questions.findings((REMOTE,) * 5000, near_a_bound, TopologyFacts(KINDS, {}))[0]
    assert among.answer.startswith("inconclusive, ")
    assert among.comparison is not None
    assert among.comparison.p_value > 0.05


def test_the_farthest_pairs_of_the_largest_set_count_by_geometric_mean() -> None:
    estimates = [
        visit("0-0", 1e-7),
        visit("8-8", 4e-7),
        visit("0-8", 8e-7),
        visit("8-0", 32e-7),
        visit("0-1", 1e-7),
        visit("0-4", 1e-7),
        visit("0-8", 1e-7, size=2**20),
        visit("0-0", 1e-7, size=2**20),
    ]
    finding = answer(REMOTE, estimates)
    assert finding.comparison is not None
    assert finding.comparison.ratio == pytest.approx(8, rel=0.01)
    assert finding.answer.startswith("strongly NUMA, 8.0")


def test_one_core_cannot_say_whether_memory_is_uniform() -> None:
    question = replace(REMOTE, requires={Resource.CORES: 2})
    finding = answer(question, [visit("0-0", 1e-7)], {Resource.CORES: 1})
    assert finding.answer == "not answerable here: requires 2 cores (1 available)"
    assert finding.comparison is None
    for estimates in ([visit("0-0", 1e-7)], []):
        many = answer(question, estimates, {Resource.CORES: 64})
        assert many.answer == "not answered: candidate or baseline was not measured in this run"


def test_cost_counts_bandwidth_upside_down() -> None:
    def rate(pair: str, value: float) -> Estimate:
        return made_up("memory.matrix", {"pair": pair}, ALL, "bandwidth", value)

    question = replace(
        REMOTE,
        benchmark="memory.matrix",
        metric="bandwidth",
        rule=CostRule(Selector({"pair": "other"}), Selector({"pair": OWN}), BANDS),
    )
    finding = answer(question, [rate("0-0", 40e9), rate("0-1", 10e9), rate("1-1", 40e9)])
    assert finding.answer.startswith("strongly NUMA, 4.0")


def spmv(
    schedule: str,
    value: float,
    matrix: str = "ramp",
    spread: float = 0.004,
    rounds: tuple[int, ...] = ROUNDS,
) -> Estimate:
    parameters: dict[str, Value] = {"schedule": schedule, "matrix": matrix}
    layout = Layout(threads_per_rank=2)
    return made_up("sparse.spmv", parameters, layout, "flops", value, spread, rounds=rounds)


SCHEDULE = Question(
    text="Which schedule?",
    benchmark="sparse.spmv",
    metric="flops",
    rule=BestRule(
        Selector(layout={"threads_per_rank": 0}),
        ("schedule",),
        Selector({"schedule": "static"}),
        advice={"balanced": "partition beforehand", "guided": "balance at run time"},
    ),
)


def test_the_best_value_is_named_with_its_gain_over_the_usual_one() -> None:
    estimates = [spmv("static", 1366e6), spmv("guided", 2566e6), spmv("balanced", 3914e6)]
    finding = answer(SCHEDULE, estimates)
    assert finding.answer.startswith("balanced, 2.87x [")
    assert finding.answer.endswith(" over static: partition beforehand")
    assert [line.partition(":")[0] for line in finding.cases[0].details] == [
        "balanced",
        "guided",
        "static",
    ]
    assert finding.comparison is not None
    assert finding.comparison.ratio == pytest.approx(3914 / 1366, rel=0.01)


def test_what_cannot_be_told_from_the_best_is_named_with_it() -> None:
    estimates = [
        spmv("static", 1366e6),
        spmv("dynamic", 3800e6, spread=0.1),
        spmv("guided", 3914e6, spread=0.1),
    ]
    finding = answer(SCHEDULE, estimates)
    first, other = sorted(("guided", "dynamic"), key=finding.answer.find)
    assert finding.answer.startswith(f"{first} (tied with {other}), ")


def test_one_that_is_tied_though_its_interval_excludes_1_says_why() -> None:
    names = ("static", "dynamic", "guided", "balanced", "auto")
    estimates = [spmv(name, 1e9 + at * 8e6, spread=0.02) for at, name in enumerate(names)]
    finding = answer(SCHEDULE, estimates)
    (case,) = finding.cases
    assert case.ranking is not None
    assert len(case.ranking.tied) == 4
    assert ["p = " in line for line in case.details] == [False, False, False, True, True]


def test_what_a_race_showed_to_be_slower_is_tied_with_nothing() -> None:
    estimates = [spmv(name, 1e9, spread=0.1) for name in ("static", "guided")]
    first, other = sorted(estimates, key=lambda one: -one.value)
    facts = TopologyFacts(KINDS, {}, dropped_out=frozenset({other.point}))
    finding = questions.finding(SCHEDULE, estimates, facts)
    assert finding.status is AnswerStatus.DECIDED
    assert finding.cases[0].chosen == {"schedule": str(first.point.get("schedule"))}
    assert "tied" not in finding.answer


def probability_in(estimates: Sequence[Estimate]) -> float | None:
    """Of the best of these, as the outcome of their case has it."""
    rule = SCHEDULE.rule
    assert isinstance(rule, BestRule)
    draft = best(rule, estimates, TopologyFacts(KINDS, {}))
    assert draft is not None
    outcome = draft.judge(draft.trials).outcome
    assert isinstance(outcome, BestOutcome)
    return outcome.probability


def test_a_few_rounds_after_a_race_give_no_probability() -> None:
    race, after = tuple(range(1, 12)), tuple(range(12, 12 + LEAST_ROUNDS))
    raced = [spmv(name, 1e9, spread=0.1, rounds=race + after) for name in ("static", "guided")]
    assert probability_in(raced) is not None
    assert probability_in([*raced, spmv("dynamic", 1e9, spread=0.1, rounds=after)]) is None


def test_a_ranking_has_every_candidate_once() -> None:
    values = {"static": 1e9, "dynamic": 1.001e9, "guided": 2e9, "balanced": 2e9}
    estimates = [spmv(name, value, spread=0.02) for name, value in values.items()]
    ranking = answer(SCHEDULE, estimates).cases[0].ranking
    assert ranking is not None
    first = {one["schedule"] for one in (ranking.best, *ranking.tied)}
    assert first == {"guided", "balanced"}
    assert {one["schedule"] for one in ranking.behind} == {"static", "dynamic"}
    open_one = answer(SCHEDULE, [spmv(name, 1e9, spread=0.1) for name in ("static", "guided")])
    still_open = open_one.cases[0].ranking
    assert still_open is not None
    assert (len(still_open.tied), still_open.behind) == (1, ())


def test_where_nothing_is_best_all_are_named() -> None:
    estimates = [spmv(name, 1e9, spread=0.1) for name in ("static", "guided")]
    finding = answer(SCHEDULE, estimates)
    assert finding.answer.startswith("inconclusive, between ")
    assert {"static", "guided"} <= set(re.findall(r"\w+", finding.answer))
    assert finding.cases[0].advice == ""
    alike = [spmv(name, 1e9, spread=0.001) for name in ("static", "guided")]
    assert answer(SCHEDULE, alike).answer.startswith("no significant difference, between ")
    assert answer(SCHEDULE, alike).answer.endswith(": keep static")


def test_the_setting_of_the_best_is_told_where_it_beats_the_usual_one() -> None:
    rule = replace(SCHEDULE.rule, settings={"guided": "OMP_SCHEDULE=guided"})
    question = replace(SCHEDULE, rule=rule)

    def settings(guided: float, spread: float = 0.004) -> tuple[str, ...]:
        both = [spmv("static", 1e9, spread=spread), spmv("guided", guided, spread=spread)]
        return answer(question, both).cases[0].settings

    assert settings(2e9) == ("OMP_SCHEDULE=guided",)
    assert settings(0.5e9) == ()
    assert settings(1.05e9, spread=0.2) == ()


def test_where_the_usual_value_is_best_it_is_compared_with_the_worst() -> None:
    estimates = [spmv("static", 4e9), spmv("guided", 3e9), spmv("dynamic", 2e9)]
    assert answer(SCHEDULE, estimates).answer.startswith("static, 2.0")
    assert "over dynamic" in answer(SCHEDULE, estimates).answer


def test_a_value_alone_is_not_best() -> None:
    assert answer(SCHEDULE, [spmv("static", 1e9)]).answer.startswith("not answered")


def test_cases_that_came_out_the_same_share_one_part_of_the_answer() -> None:
    rates = {"ramp": 2e9, "power-law": 3e9, "banded": 1e9}
    estimates = [
        spmv(schedule, rate if schedule == "guided" else 1e9, matrix)
        for matrix, rate in rates.items()
        for schedule in ("static", "guided")
    ]
    finding = answer(replace(SCHEDULE, each=("matrix",)), estimates)
    assert finding.answer.startswith("guided for ramp and power-law, 2.00x to 3.0")
    decided, _, others = finding.answer.partition("; ")
    assert decided.endswith(" (balance at run time)")
    assert others.startswith("no significant difference for banded, between ")
    assert others.endswith(" (keep static)")
    assert [case.label for case in finding.cases] == list(rates)
    assert finding.comparison is None


def heat(derivatives: int, outer: int, value: float, **layout: object) -> Estimate:
    given = Layout(threads_per_rank=outer, **layout)  # type: ignore[arg-type]
    parameters: dict[str, Value] = {"derivatives": derivatives, "arrays": "slices"}
    return made_up("apps.heatflow", parameters, given, "time", value)


WAVES = Question(
    text="At the model?",
    benchmark="apps.heatflow",
    metric="time",
    rule=WaveRule(
        Selector(
            {"derivatives": LARGEST},
            {"threads_per_rank": 0, "inner_threads": 1, "binding": "spread"},
        ),
        Selector(layout={"inner_threads": 1}),
        "derivatives",
        (Band(0.0, "below"), Band(0.9, "at it", "stop"), Band(1.1, "above")),
    ),
)


def test_the_wave_model_meets_the_measured_time() -> None:
    single, board, measured = heat(1, 1, 60.64), heat(8, 8, 131.07), 467.8
    whole = heat(320, 104, measured, binding=Binding.SPREAD)
    misleading = heat(8, 8, 500.0, binding=Binding.NONE)
    finding = answer(WAVES, [single, board, whole, misleading])
    assert finding.answer.startswith("at it, 97 % [")
    assert "speedup 41.5x, model 42.8x" in finding.answer
    assert "8 at once on one domain run at 46 % of the pace of one" in finding.answer
    assert finding.answer.endswith(": stop")


def test_without_the_time_of_a_full_domain_there_is_no_wave_model() -> None:
    whole = heat(320, 104, 467.8, binding=Binding.SPREAD)
    assert answer(WAVES, [whole]).answer.startswith("not answered: ")
    assert answer(WAVES, [heat(1, 1, 1.0)]).answer.startswith("not answered: ")


def test_efficiency_is_the_speed_up_over_the_threads() -> None:
    question = Question(
        text="Scales?",
        benchmark="apps.heatflow",
        metric="time",
        rule=EfficiencyRule(
            Selector(layout={"threads_per_rank": 0}),
            Selector(layout={"threads_per_rank": 1}),
            (Band(0.0, "less than half", "waves"), Band(0.5, "most")),
        ),
    )
    finding = answer(question, [heat(320, 1, 19404.3), heat(320, 8, 5242.67)])
    assert finding.answer.startswith("less than half, parallel efficiency 46 % [46, 46] (3.7")
    assert finding.answer.endswith("x on 8 threads): waves")
    assert answer(question, [heat(320, 8, 5242.67)]).answer.startswith("not answered")


def test_an_efficiency_over_ranks_says_ranks() -> None:
    question = Question(
        text="Scales?",
        benchmark="proxies.ring",
        metric="rate",
        rule=EfficiencyRule(
            Selector(layout={"ranks_per_node": LARGEST}),
            Selector(layout={"ranks_per_node": 1}),
            (Band(0.0, "less than half"), Band(0.5, "most")),
        ),
    )
    for threads, words in ((1, "on 2 ranks)"), (2, "on 4 threads over 2)")):
        layouts = [Layout(ranks_per_node=n, threads_per_rank=threads) for n in (1, 2)]
        both = [made_up("proxies.ring", {}, layout, "rate", 2) for layout in layouts]
        assert answer(question, both).answer.endswith(words)


def test_bindings_that_use_the_same_cpus_cannot_be_compared() -> None:
    near, far = (Layout(threads_per_rank=2, binding=b) for b in (Binding.CLOSE, Binding.SPREAD))
    estimates = [
        made_up("threads.sync", {"construct": "for"}, layout, "overhead", value)
        for layout, value in ((near, 1e-6), (far, 2e-6))
    ]
    question = Question(
        text="Across?",
        benchmark="threads.sync",
        metric="overhead",
        rule=BetterRule(
            Selector(layout={"binding": "spread"}), Selector(layout={"binding": "close"})
        ),
    )

    def found(cpus: tuple[tuple[int, ...], ...]) -> str:
        assigned = {near: Assignment((((0,), (1,)),)), far: Assignment((cpus,))}
        return questions.finding(question, estimates, TopologyFacts(KINDS, assigned)).answer

    assert found(((1,), (0,))) == "not answerable here: both placements use the same CPUs"
    assert found(((0,), (8,))).startswith("no, 0.5")


def test_few_launches_resolve_nothing() -> None:
    once = [
        made_up(
            "sparse.spmv", {"schedule": s}, Layout(threads_per_rank=2), "flops", v, 0.0, rounds=(1,)
        )
        for s, v in (("static", 1e9), ("guided", 2e9))
    ]
    assert answer(SCHEDULE, once).answer == "inconclusive, too few launches"
    assert len(ROUNDS) >= 10


def test_of_many_that_are_the_same_none_is_called_best_by_chance() -> None:
    def named_by_chance(run: int) -> bool:
        estimates = [
            made_up(
                "sparse.spmv",
                {"schedule": f"{run}.{value}"},
                Layout(threads_per_rank=2),
                "flops",
                1e9,
                spread=0.02,
                centered=False,
            )
            for value in range(8)
        ]
        return not answer(SCHEDULE, estimates).answer.startswith(("no significant", "inconclusive"))

    # One of eight is chosen after looking: without account of that 12 % would be named.
    assert sum(named_by_chance(run) for run in range(150)) <= 0.08 * 150

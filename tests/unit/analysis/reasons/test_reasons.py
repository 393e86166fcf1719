"""Each cause is named where the parts and messages show it, and not where they do not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.reasons.parts import part_changes
from machmeter.analysis.reasons.reasons import Cause, Reason, pair_of, reasons_of
from machmeter.analysis.rules.answer import answers
from machmeter.benchmarks.proxies.shared import COUNTED_PARTS
from machmeter.model.layout import Layout
from machmeter.model.plan.question import BetterRule, CountedParts, Phase, Question, Selector
from machmeter.model.results.estimate import Estimate
from tests.support.made_up.estimates import made_up

NAME = "proxies.lqcd"
SIZE = {"extent": 16, "iterations": 30, "scaling": "strong"}
MPI = Layout(ranks_per_node=16)
SMT = Layout(ranks_per_node=32, smt=2)
HYBRID = Layout(ranks_per_node=8, threads_per_rank=2)
RESERVED = Layout(ranks_per_node=15, reserved_cores=1)
TimeParts = tuple[float, float, float, float]
"""Seconds of computing, halo, collectives and the rest."""
BEFORE: TimeParts = (0.6, 0.2, 0.15, 0.05)


def measured(
    layout: Layout, times: TimeParts, messages: float, spread: float = 0.004, imbalance: float = 0
) -> list[Estimate]:
    """The results of a layout whose event takes the sum of these times."""
    whole = sum(times)
    values = {"rate": 1e9 / whole}
    values |= {
        metric: time / whole
        for metric, time in zip(COUNTED_PARTS.shares.values(), times[:3], strict=True)
        if time
    }
    if messages:
        values[COUNTED_PARTS.messages] = messages
    if imbalance:
        values[COUNTED_PARTS.imbalance] = imbalance
    return [
        # The whole varies from launch to launch, and its parts with it.
        made_up(NAME, SIZE, layout, name, value, spread if name == "rate" else 0.0)
        for name, value in values.items()
    ]


def found(
    layout: Layout,
    times: TimeParts,
    messages: float = 960.0,
    *,
    spread: float = 0.004,
    before: Layout = MPI,
    imbalance: tuple[float, float] = (0, 0),
) -> dict[Phase, Reason]:
    """The reasons for a layout against `before`, which takes a second and sends 960 messages;
    imbalance: of `before` and of the layout."""
    a = measured(layout, times, messages, spread, imbalance[1])
    b = measured(before, BEFORE, 960.0, spread, imbalance[0])
    (reasons,) = reasons_of([pair_of(a[0], b[0], [*a, *b], COUNTED_PARTS)])
    return {one.part: one for one in reasons}


@pytest.mark.parametrize(
    ("layout", "times", "messages", "part", "cause"),
    [
        (SMT, (0.45, 0.2, 0.15, 0.05), 1920, Phase.COMPUTE, Cause.LATENCY_HIDDEN),
        (SMT, (0.75, 0.2, 0.15, 0.05), 1920, Phase.COMPUTE, Cause.SMT_CONTENTION),
        (SMT, (0.6, 0.1, 0.15, 0.05), 1920, Phase.HALO, None),
        (SMT, (0.6, 0.2, 0.05, 0.05), 1920, Phase.COLLECTIVE, None),
        (SMT, (0.6, 0.3, 0.15, 0.05), 1920, Phase.HALO, Cause.MORE_MESSAGES),
        (SMT, (0.6, 0.3, 0.15, 0.05), 970, Phase.HALO, None),
        (SMT, (0.6, 0.2, 0.25, 0.05), 1920, Phase.COLLECTIVE, Cause.MORE_RANKS),
        (HYBRID, (0.45, 0.2, 0.15, 0.05), 480, Phase.COMPUTE, Cause.SHARED_DATA),
        (HYBRID, (0.75, 0.2, 0.15, 0.05), 480, Phase.COMPUTE, Cause.THREAD_SYNCHRONIZATION),
        (HYBRID, (0.6, 0.1, 0.15, 0.05), 480, Phase.HALO, Cause.FEWER_MESSAGES),
        (HYBRID, (0.6, 0.0, 0.15, 0.05), 0, Phase.HALO, None),
        (HYBRID, (0.6, 0.1, 0.15, 0.05), 950, Phase.HALO, None),
        (HYBRID, (0.6, 0.3, 0.15, 0.05), 480, Phase.HALO, Cause.ONE_COMMUNICATES),
        (HYBRID, (0.6, 0.2, 0.05, 0.05), 480, Phase.COLLECTIVE, Cause.FEWER_RANKS),
        (HYBRID, (0.6, 0.2, 0.25, 0.05), 480, Phase.COLLECTIVE, Cause.ONE_COMMUNICATES),
        (RESERVED, (0.64, 0.2, 0.15, 0.05), 900, Phase.COMPUTE, Cause.FEWER_CORES),
        (RESERVED, (0.45, 0.2, 0.15, 0.05), 900, Phase.COMPUTE, Cause.LESS_CONTENTION),
        (RESERVED, (0.6, 0.1, 0.15, 0.05), 900, Phase.HALO, Cause.FREE_CORE),
        (RESERVED, (0.6, 0.1, 0.15, 0.05), 400, Phase.HALO, Cause.FEWER_MESSAGES),
        (RESERVED, (0.6, 0.2, 0.05, 0.05), 900, Phase.COLLECTIVE, Cause.FREE_CORE),
        (RESERVED, (0.6, 0.3, 0.15, 0.05), 900, Phase.HALO, None),
        (RESERVED, (0.6, 0.2, 0.15, 0.15), 900, Phase.REST, None),
    ],
)
def test_the_part_that_changed_has_its_cause(
    layout: Layout, times: TimeParts, messages: float, part: Phase, cause: Cause | None
) -> None:
    reasons = found(layout, times, messages)
    assert {name: one.cause for name, one in reasons.items()} == {part: cause}
    assert (reasons[part].saved.value > 0) == (sum(times) < 1)


@pytest.mark.parametrize(
    ("imbalance", "cause"),
    [
        ((0.5, 0.5), Cause.CORES_CEDED),
        ((0.36, 0.4), Cause.CORES_CEDED),
        ((0.1, 0.5), Cause.LATENCY_HIDDEN),
        ((0.25, 0.25), Cause.LATENCY_HIDDEN),
    ],
)
def test_a_second_rank_on_a_core_gains_by_ranks_that_idle(
    imbalance: tuple[float, float], cause: Cause
) -> None:
    reasons = found(SMT, (0.4, 0.2, 0.15, 0.05), 1920, imbalance=imbalance)
    assert reasons[Phase.COMPUTE].cause is cause


def test_time_of_messages_that_is_waiting_is_called_so() -> None:
    # Of 0.6 s of computing the mean rank waits 0.2 s at an imbalance of 25 %, 0.03 s at 5 %.
    balanced = found(HYBRID, (0.6, 0.05, 0.15, 0.05), 480, imbalance=(0.25, 0.05))
    assert balanced[Phase.HALO].cause is Cause.LESS_WAITING
    worse = found(SMT, (0.6, 0.2, 0.3, 0.05), 1920, imbalance=(0.05, 0.25))
    assert worse[Phase.COLLECTIVE].cause is Cause.MORE_WAITING
    # Waiting that explains less than half of it is not behind it.
    little = found(HYBRID, (0.6, 0.05, 0.15, 0.05), 480, imbalance=(0.06, 0.05))
    assert little[Phase.HALO].cause is Cause.FEWER_MESSAGES


def test_messages_that_were_not_counted_of_one_side_are_behind_nothing() -> None:
    a = measured(HYBRID, (0.6, 0.1, 0.15, 0.05), 480)
    b = measured(MPI, BEFORE, 0)
    (one,) = reasons_of([pair_of(a[0], b[0], [*a, *b], COUNTED_PARTS)])
    assert [reason.cause for reason in one] == [None]
    # One rank has none to send.
    alone = measured(Layout(threads_per_rank=2), (0.6, 0, 0.15, 0.05), 0)
    pair = measured(Layout(ranks_per_node=2), BEFORE, 960)
    (other,) = reasons_of([pair_of(alone[0], pair[0], [*alone, *pair], COUNTED_PARTS)])
    assert [reason.cause for reason in other] == [Cause.FEWER_MESSAGES]


def test_a_change_is_shown_beyond_two_points_alone() -> None:
    assert found(SMT, (0.585, 0.2, 0.15, 0.05)) == {}
    assert list(found(SMT, (0.57, 0.2, 0.15, 0.05))) == [Phase.COMPUTE]


def test_p_values_are_adjusted_for_all_that_is_explained_together() -> None:
    a = measured(SMT, (0.5, 0.2, 0.15, 0.05), 960, 0.03)
    b = measured(MPI, BEFORE, 960, 0.03)
    one = pair_of(a[0], b[0], [*a, *b], COUNTED_PARTS)
    (alone,) = reasons_of([one])
    assert [reason.part for reason in alone] == [Phase.COMPUTE]
    among = reasons_of([one] * 40)
    assert among[0][0].saved.p_value > alone[0].saved.p_value


def test_nothing_is_said_of_parts_that_did_not_change() -> None:
    for layout in (SMT, HYBRID, RESERVED):
        assert found(layout, BEFORE) == {}
        # A difference of 1 % counts as none, one that is lost in the spread is not shown.
        assert found(layout, (0.59, 0.2, 0.15, 0.05)) == {}
    assert found(SMT, (0.5, 0.2, 0.15, 0.05), spread=0.4) == {}


def test_no_cause_where_two_fields_differ_or_one_is_lower() -> None:
    both = Layout(ranks_per_node=16, threads_per_rank=2, smt=2)
    assert [one.cause for one in found(both, (0.4, 0.2, 0.15, 0.05)).values()] == [None]
    (lower,) = found(MPI, (0.4, 0.2, 0.15, 0.05), before=SMT).values()
    assert lower.cause is None


def test_changes_add_up_to_that_of_the_whole() -> None:
    a = measured(HYBRID, (0.5, 0.1, 0.3, 0.02), 480)
    b = measured(MPI, BEFORE, 960)
    changes = part_changes(a[0], b[0], [*a, *b], COUNTED_PARTS)
    assert [one.part for one in changes] == list(Phase)
    whole = sum(one.saved.value for one in changes)
    assert whole == pytest.approx(1 - b[0].value / a[0].value, abs=2e-4)
    assert sum(one.before for one in changes) == pytest.approx(1)


def test_a_time_is_split_as_a_rate_is() -> None:
    counted = CountedParts({Phase.COMPUTE: "compute_share"}, "messages", "imbalance")
    a, b = measured(SMT, (0.4, 0.3, 0, 0), 9), measured(MPI, (0.6, 0.3, 0, 0), 9)
    rates = part_changes(a[0], b[0], [*a, *b], counted)
    times = [
        made_up(NAME, SIZE, one[0].point.layout, "time", whole)
        for one, whole in ((a, 0.7), (b, 0.9))
    ]
    by_time = part_changes(times[0], times[1], [*a, *b], counted)
    assert [one.part for one in by_time] == [Phase.COMPUTE, Phase.REST]
    for one, other in zip(rates, by_time, strict=True):
        assert one.saved.value == pytest.approx(other.saved.value, rel=0.02, abs=1e-4)


def test_one_launch_explains_nothing() -> None:
    a, b = measured(SMT, (0.4, 0.2, 0.15, 0.05), 9), measured(MPI, BEFORE, 9)
    single = replace(a[0], launches=1, launch_values=a[0].launch_values[:1], rounds=(1,))
    assert part_changes(single, b[0], [*a, *b], COUNTED_PARTS) == ()


def test_a_decided_answer_carries_its_reasons_and_an_open_one_none() -> None:
    question = Question(
        "Does SMT pay?",
        NAME,
        "rate",
        BetterRule(
            Selector({}, {"smt": 2, "ranks_per_node": 32}),
            Selector({}, {"smt": 1, "ranks_per_node": 16}),
        ),
        explained_by=COUNTED_PARTS,
    )

    def cases(times: TimeParts, spread: float) -> list[tuple[bool, list[Cause | None]]]:
        pool = [*measured(SMT, times, 9, spread), *measured(MPI, BEFORE, 9, spread)]
        (answer,) = answers((question,), pool)
        return [(one.decided, [of.cause for of in one.reasons]) for one in answer.cases]

    assert cases((0.4, 0.2, 0.15, 0.05), 0.004) == [(True, [Cause.LATENCY_HIDDEN])]
    assert cases((0.59, 0.2, 0.15, 0.05), 0.1) == [(False, [])]
    # No difference, since what one part saves another one costs.
    assert cases((0.49, 0.3, 0.15, 0.05), 0.0002) == [(True, [Cause.LATENCY_HIDDEN, None])]

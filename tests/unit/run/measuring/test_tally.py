"""Launch values by spec, point and metric."""

from __future__ import annotations

from machmeter.analysis.stats.stopping import expected_launches
from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import assign
from machmeter.model.plan.launch import (
    Check,
    Launch,
    LaunchOutcome,
    LaunchSpec,
    PointRecord,
    Record,
    Verdict,
)
from machmeter.run.measuring.tally import Tally, metrics_of
from machmeter.store.records import parse_record
from tests.support.fake_launcher import (
    PRECISION,
    latency_seconds,
    record_lines,
    small_spec,
    synthetic_machine,
)

SPEC = small_spec("small", 8192, 64 * 2**20)


def record_of(spec: LaunchSpec, number: int) -> Record:
    launch = Launch(number, spec, number, assign(spec.layout, synthetic_machine().topology))
    return parse_record(b"".join(record_lines(launch)))


def outcome(number: int, verdict: Verdict = Verdict.ACCEPTED, **dropped: str) -> LaunchOutcome:
    return LaunchOutcome(
        number, "small", verdict, (), (), 0, "", 1.0, round=number, dropped_points=dict(dropped)
    )


def filled(launches: int) -> Tally:
    tally = Tally(PRECISION)
    for number in range(1, launches + 1):
        tally.add(SPEC, outcome(number), record_of(SPEC, number))
    return tally


def test_estimates_come_in_the_order_of_the_points_with_their_launches() -> None:
    estimates = filled(4).estimates(SPEC)
    assert [e.point for e in estimates] == list(SPEC.points)
    for estimate in estimates:
        expected = latency_seconds(int(estimate.point.get("size")))
        assert abs(estimate.value / expected - 1) < 0.01
        assert estimate.low < estimate.value < estimate.high
        assert estimate.launch_numbers == estimate.rounds == (1, 2, 3, 4)
        assert estimate.reached


def test_fewer_launches_than_the_least_never_reach_the_precision() -> None:
    estimates = filled(PRECISION.least_launches - 1).estimates(SPEC)
    assert estimates
    assert not any(estimate.reached for estimate in estimates)


def test_nothing_of_a_launch_that_was_not_accepted_is_used() -> None:
    tally = filled(3)
    for verdict in set(Verdict) - {Verdict.ACCEPTED}:
        tally.add(SPEC, outcome(9, verdict), record_of(SPEC, 9))
    assert tally.accepted(SPEC) == 3
    assert all(estimate.launches == 3 for estimate in tally.estimates(SPEC))


def test_a_dropped_point_leaves_the_others_of_its_launch() -> None:
    tally = filled(3)
    first, second = SPEC.points
    tally.add(SPEC, outcome(7, **{first.key: "bad pages"}), record_of(SPEC, 7))
    assert tally.accepted(SPEC) == 4
    assert [e.launches for e in tally.estimates(SPEC)] == [3, 4]
    assert set(tally.by_launch(SPEC, first, "latency")) == {1, 2, 3}
    assert set(tally.by_launch(SPEC, second, "latency")) == {1, 2, 3, 7}
    assert len(tally.values(SPEC, second, "latency")) == 4


def test_specs_are_told_apart_by_name() -> None:
    tally = filled(3)
    other = small_spec("other", 8192)
    assert tally.accepted(other) == 0
    assert tally.estimates(other) == ()
    assert tally.values(other, other.points[0], "latency") == ()


def test_messages_of_no_bytes_have_a_rate_and_no_bandwidth() -> None:
    benchmark = find("network.bandwidth")
    facts = {"bytes_one_way": 0.0, "messages": 64.0}
    point = PointRecord({"size": 0}, {"seconds": (1e-6,)}, 1, Check(True, ""), facts)
    assert [metric.name for metric in metrics_of(benchmark, point)] == ["message_rate"]


def test_an_amount_needs_its_fact_and_no_series() -> None:
    startup = find("network.startup")

    def names(facts: dict[str, float], *series: str) -> list[str]:
        samples: dict[str, tuple[float, ...]] = dict.fromkeys(("init", *series), (0.5,))
        point = PointRecord({"size": 8}, samples, 1, Check(True, ""), facts)
        return [metric.name for metric in metrics_of(startup, point)]

    assert names({"memory_bytes": 1e7}) == ["init", "memory"]
    both = {"memory_bytes": 1e7, "memory_before_contact_bytes": 9e6}
    assert names(both, "contact") == ["init", "contact", "memory", "memory_before_contact"]
    assert names({"memory_bytes": 0.0}) == ["init"]


def test_estimates_follow_the_launches_and_the_points_they_are_of() -> None:
    tally = filled(3)
    before = tally.estimates(SPEC, primary_only=True)
    assert tally.estimates(SPEC, primary_only=True) is before
    fewer = small_spec("small", 8192)
    assert [e.point for e in tally.estimates(fewer, primary_only=True)] == list(fewer.points)
    tally.add(SPEC, outcome(4), record_of(SPEC, 4))
    after = tally.estimates(SPEC, primary_only=True)
    assert {e.launches for e in before} == {3}
    assert {e.launches for e in after} == {4}
    assert tally.expected_launches(SPEC) == max(map(expected_launches, after))

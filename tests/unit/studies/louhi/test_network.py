"""Study `louhi`: its plan holds what its questions need, and a made-up machine is found out."""

from __future__ import annotations

from functools import cache

from machmeter.model.layout import ProgressMode
from machmeter.model.point import Point
from machmeter.model.results.finding import Finding
from machmeter.studies.louhi.network import LOUHI
from tests.support.made_up.network_studies import (
    TWO_CORES,
    TWO_PACKAGES,
    about,
    found_in,
    machine_of,
    plan_of,
    problems_of,
    undecided,
)

SLOW_RANK = 5


def murska(point: Point, metric: str) -> float:
    """Eager up to 8 KiB, 4 MB too small for full bandwidth, no progress without a thread."""
    parameters = dict(point.parameters)
    size = int(parameters.get("size", 0))
    if point.benchmark == "network.latency":
        seconds = 1e-6 + 4e-10 * size if size <= 8192 else 8e-6 + 2e-10 * size
        seconds *= 0.8 if parameters["way"] == "persistent" else 1.0
        seconds *= 1.5 if parameters["buffers"] == "cold" else 1.0
        seconds *= 3.0 if parameters["data"] == "indexed" else 1.0
        return seconds * (0.5 if point.layout.page_bytes > 4096 else 1.0)
    if point.benchmark == "network.bandwidth":
        return 1e9 * size / (size + 2**21)
    if point.benchmark in ("network.availability", "network.overlap"):
        helped = point.layout.progress is not ProgressMode.LIBRARY or parameters["side"] == "send"
        return 0.9 if helped and size >= 32768 else 0.2
    if point.benchmark == "network.consistency":
        slow = str(SLOW_RANK) in str(parameters["pair"]).split("-")
        return (1e-6 if metric == "latency" else 1e-9) * (4 if slow else 1)
    if point.benchmark == "network.startup" and metric.startswith("memory"):
        return 4e7 + 256e3 * point.layout.ranks * (metric == "memory")
    return 1e-3


def consistent_bandwidth(point: Point, metric: str) -> float:
    value = murska(point, metric)
    return (
        1e-9 / value if (point.benchmark, metric) == ("network.consistency", "bandwidth") else value
    )


LARGE = machine_of(TWO_PACKAGES)
SMALL = machine_of(TWO_CORES)


@cache
def on_large() -> dict[str, Finding]:
    return found_in(plan_of(LOUHI, LARGE), LARGE, consistent_bandwidth)


@cache
def on_small() -> dict[str, Finding]:
    return found_in(plan_of(LOUHI, SMALL), SMALL, consistent_bandwidth)


def test_questions_and_experiments_name_what_there_is() -> None:
    assert problems_of(LOUHI) == []


def test_sixty_four_cores_decide_every_question() -> None:
    assert undecided(on_large()) == {}


def test_two_cores_say_what_they_lack() -> None:
    answers = undecided(on_small())
    assert all(answer.startswith("not answerable here: requires ") for answer in answers.values())
    assert sorted(answers) == sorted(
        question
        for question in on_small()
        for words in (
            "reserved core",
            "latency uniform over all pairs",
            "bandwidth uniform over all pairs",
        )
        if words in question
    )


def test_the_made_up_machine_is_found_out() -> None:
    for found in (on_small(), on_large()):
        assert about(found, "protocol switch").startswith("switch between 8 KiB and 8195 B: +5.3")
        assert about(found, "MPI calls").startswith("persistent for 8 B and 64 KiB, 1.25x: use")
        assert about(found, "from memory").startswith("some for 8 B and 64 KiB, 1.50x: reuse few")
        assert about(found, "non-contiguous").startswith("contiguous (tied with vec")
        assert "3.00x [" in about(found, "non-contiguous")
        assert about(found, "huge pages").startswith("yes for 64 KiB and 1 MiB, 2.00x: request")
        assert about(found, "is bandwidth flat").startswith("still rising at ")
        assert "from 32 KiB for send, 90.0 %" in about(found, "50 % available")
        assert "never up to 1 MiB for receive, at most 20.0 %" in about(found, "50 % available")
        assert "yes for 32 KiB, 128 KiB and 1 MiB" in about(found, "when sending")
        assert "yes for receive 32 KiB" in about(found, "progress thread improve")
        assert about(found, "progress thread improve").endswith(
            "+70.0 points (enable a progress thread for long messages)"
        )
        assert about(found, "each additional peer take?").startswith("much, 256 kB [")
        assert about(found, "before the first message").startswith("next to none")


def test_the_slow_rank_is_named_and_nobody_else() -> None:
    for words in ("latency uniform over all pairs", "bandwidth uniform over all pairs"):
        answer = about(on_large(), words)
        assert answer.startswith(f"no, rank {SLOW_RANK} is slow in ")
        assert " and " not in answer.partition("worse")[0]


def test_reserved_cores_for_all_leave_the_questions_of_progress() -> None:
    plan = plan_of(LOUHI, LARGE, reserved_cores=1)
    assert {point.layout.reserved_cores for point in plan.points} >= {1}
    assert undecided(found_in(plan, LARGE, consistent_bandwidth)) == {}


def test_a_launch_of_each_fits_many_times_into_the_budget() -> None:
    specs = [spec for spec in plan_of(LOUHI, SMALL).specs if spec.of_points]
    seconds = sum(0.5 + spec.seconds_per_point * len(spec.points) for spec in specs)
    assert 15 * seconds < LOUHI.budget_seconds


def test_several_nodes_are_asked_about_their_network() -> None:
    hosts = tuple(f"n{number}" for number in range(4))
    plan = plan_of(LOUHI, SMALL, hosts)
    found = found_in(plan, SMALL, lambda point, metric: 1.0 / (1 + point.layout.nodes))
    assert not [q for q, a in undecided(found).items() if "reserved" not in q], undecided(found)
    assert any(point.layout.nodes == 4 for point in plan.points)

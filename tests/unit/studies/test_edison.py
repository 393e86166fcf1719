"""Study `edison-network`: its plan holds both sides of its questions, and Edison is found out."""

from __future__ import annotations

import math
from functools import cache

from machmeter.model.layout import Binding, ProgressMode
from machmeter.model.point import Point
from machmeter.model.results.finding import Finding
from machmeter.studies.edison.network import EDISON_NETWORK
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


def edison(point: Point, metric: str) -> float:
    """What Austin et al. printed of Edison, as far as it can be put in a formula."""
    parameters, layout = dict(point.parameters), point.layout
    size = int(parameters.get("size", 0))
    match point.benchmark:
        case "network.pairs":
            far = layout.package == 1 or layout.binding is Binding.SPREAD or layout.ranks > 32
            met = 1.0 if parameters["definition"] == "barrier" else 0.8
            return met * (2.4e-6 if far else 1.5e-6)
        case "network.bandwidth":
            ways = 1.5 if parameters["direction"] == "both-ways" else 1.0
            return 1e7 * ways * layout.ranks / 2
        case "network.threads":
            return 1e7 * math.sqrt(layout.threads_per_rank)
        case "network.collective":
            begun = 1.2 if parameters["start"] == "barrier" else 1.0
            begun *= 0.5 if parameters["form"] == "persistent" else 1.0
            return 3e9 if metric == "injection" else 1e-5 * begun
        case "network.overlap":
            large = 0.9 if size >= 2**21 else 0.5
            hidden = {
                ProgressMode.LIBRARY: 0.4,
                ProgressMode.THREAD: 0.35,
                ProgressMode.RESERVED: large,
            }
            return hidden[layout.progress]
    return 0.5


LARGE = machine_of(TWO_PACKAGES)
SMALL = machine_of(TWO_CORES)


@cache
def on_large() -> dict[str, Finding]:
    return found_in(plan_of(EDISON_NETWORK, LARGE), LARGE, edison)


@cache
def on_small() -> dict[str, Finding]:
    return found_in(plan_of(EDISON_NETWORK, SMALL), SMALL, edison)


def test_questions_and_experiments_name_what_there_is() -> None:
    assert problems_of(EDISON_NETWORK) == []


def test_sixty_four_cores_decide_every_question_but_that_of_nodes() -> None:
    (lacking,) = undecided(on_large()).values()
    assert lacking == "not answerable here: requires 3 nodes (1 available)"


def test_two_cores_say_what_they_lack() -> None:
    answers = undecided(on_small())
    assert all(answer.startswith("not answerable here: requires ") for answer in answers.values())
    assert sorted(answers) == sorted(
        question
        for question in on_small()
        for words in (
            "Which socket",
            "neighboring cores",
            "all pairs communicate at once",
            "scale with the number of pairs",
            "scale with the threads",
            "as nodes are added",
            "more of its cores",
            "reserved core",
        )
        if words in question
    )


def test_edison_is_found_out() -> None:
    assert about(on_large(), "Which socket") == (
        "package 0 for 2 ranks, 4 ranks, 8 ranks, 16 ranks and 32 ranks, 1.60x: "
        "place the ranks that communicate most there"
    )
    assert about(on_large(), "neighboring cores").startswith("yes for 2 ranks, 4 ranks")
    assert about(on_large(), "all pairs communicate at once").startswith("some, 1.60x [")
    assert about(on_large(), "the number of pairs").startswith("yes, parallel efficiency 100 %")
    assert about(on_large(), "scale with the threads of a rank").startswith(
        "hardly for window 1 and window 64"
    )
    assert about(on_large(), "more of its cores").startswith("yes, 1.0")
    for found in (on_small(), on_large()):
        assert about(found, "both directions at once").startswith("somewhat more for 8 B, 8 KiB")
        assert about(found, "(classic definition)").startswith("lower than with a barrier")
        assert about(found, "the collective time").startswith("longer than with a synch")
        assert about(found, "form of a collective").startswith(
            "persistent for alltoall, bcast and allreduce, 2.00x"
        )
        assert about(found, "half of the computation").startswith(
            "never up to 4 MiB for send and receive"
        )


def test_a_reserved_core_helps_from_where_it_does() -> None:
    answer = about(on_large(), "reserved core improve overlap of messages")
    assert answer.startswith("yes for all 10 cases")
    assert "+10.0 to +50.0 points" in answer
    thread = about(on_large(), "a progress thread improve overlap of messages")
    assert thread.startswith("no for all 10 cases")


def test_all_to_all_that_drops_with_nodes_is_said_to() -> None:
    hosts = tuple(f"n{number}" for number in range(4))

    def dropping(point: Point, metric: str) -> float:
        value = edison(point, metric)
        drops = metric == "injection" and point.layout.nodes > 2
        return value / 1.5 if drops else value

    found = found_in(plan_of(EDISON_NETWORK, SMALL, hosts), SMALL, dropping)
    assert about(found, "as nodes are added").startswith(
        "it drops for 8 B, 1 KiB and 64 KiB, 1.50x"
    )


def test_reserved_cores_for_all_leave_the_questions_of_progress() -> None:
    found = found_in(plan_of(EDISON_NETWORK, LARGE, reserved_cores=2), LARGE, edison)
    assert list(undecided(found).values()) == [
        "not answerable here: requires 3 nodes (1 available)"
    ]
    assert about(found, "reserved core improve overlap").startswith(
        "yes for all 10 cases, +10.0 to +50.0"
    )
    assert about(found, "half of the computation").startswith(
        "never up to 4 MiB for send and receive"
    )


def test_one_node_and_two_leave_the_questions_of_pairs() -> None:
    plan = plan_of(EDISON_NETWORK, LARGE, ("n0", "n1"), nodes=(1, 2))
    assert {point.layout.nodes for point in plan.points if point.benchmark == "network.pairs"} == {
        1,
        2,
    }
    lacking = undecided(found_in(plan, LARGE, edison))
    assert list(lacking.values()) == ["not answerable here: requires 3 nodes (2 available)"]


def test_a_launch_of_each_fits_many_times_into_the_budget() -> None:
    specs = [spec for spec in plan_of(EDISON_NETWORK, SMALL).specs if spec.of_points]
    seconds = sum(0.5 + spec.seconds_per_point * len(spec.points) for spec in specs)
    assert 15 * seconds < EDISON_NETWORK.budget_seconds

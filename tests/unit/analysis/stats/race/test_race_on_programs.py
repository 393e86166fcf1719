"""What a race of real programs reports, and what it saves, by replays of exhaustive tables."""

from __future__ import annotations

import math
import random

import pytest

from tests.support.replayed_races import (
    LAUNCHES,
    Exploration,
    even_leader,
    explorations,
    replays,
)

TABLES = explorations()
ENOUGH = 100
by_program = pytest.mark.parametrize("table", TABLES, ids=[one.program for one in TABLES])


def test_there_are_six_programs_with_rounds_that_all_layouts_have() -> None:
    assert len(TABLES) >= 6
    for table in TABLES:
        assert {len(values) for values in table.seconds.values()} == {table.rounds}
        assert table.rounds >= LAUNCHES
        assert table.default in table.seconds


@by_program
def test_the_best_layout_is_among_those_that_are_left(table: Exploration) -> None:
    kept = [table.best in one.left for one in replays(table, ENOUGH, seed=1)]
    # 95 %, less what 100 replays may err by.
    assert sum(kept) / ENOUGH >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / ENOUGH)


@by_program
def test_the_leader_is_no_worse_than_of_as_many_launches_spread_evenly(table: Exploration) -> None:
    rng = random.Random(2)
    raced, evenly = [], []
    for one in replays(table, ENOUGH, seed=2):
        raced.append(table.regret(one.leader))
        evenly.append(table.regret(even_leader(table, one.launches, rng)))
    assert math.fsum(raced) / ENOUGH <= math.fsum(evenly) / ENOUGH + 0.002


def test_all_programs_together_take_fewer_launches() -> None:
    made = planned = 0
    for table in TABLES:
        every = list(replays(table, ENOUGH, seed=3))
        made += sum(one.launches for one in every)
        planned += len(every) * LAUNCHES * len(table.seconds)
    assert made < 0.9 * planned


def test_two_explorations_of_one_program_agree() -> None:
    """Of 40 pairs at most 2 report sets that have nothing in common."""
    disjoint = 0
    for number in range(40):
        table = TABLES[number % len(TABLES)]
        first, second = replays(table, 2, seed=100 + number)
        disjoint += not first.left & second.left
    assert disjoint <= 2

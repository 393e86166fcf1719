"""Rounds in which every contender is launched once, in random order."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

GIVE_UP_AFTER = 3
LEAST_ROUNDS = 3

Notify = Callable[[str], None]


class ContenderError(Exception):
    """A launch without a usable result, and why."""


class Contender(Struct, frozen=True):
    """Something that is launched. `start` takes the round number and returns results by metric.

    It raises ContenderError, or ValueError for unreadable output.
    """

    name: str
    start: Callable[[int], dict[str, float]]


class RoundResults(Struct):
    """Results by contender, metric and round; failures by contender, in order."""

    results: dict[str, dict[str, dict[int, float]]]
    failures: dict[str, list[str]]
    rounds: int = 0

    def values(self, contender: str, metric: str) -> dict[int, float]:
        """One value per round; failed rounds are missing."""
        return self.results.get(contender, {}).get(metric, {})

    def has(self, contender: str, metric: str) -> bool:
        """Whether there are enough values to compare."""
        return len(self.values(contender, metric)) >= 2

    def failure_lines(self) -> tuple[str, ...]:
        """Failures, one line per contender, with the last reason."""
        return tuple(
            f"{name}: {len(reasons)} launches failed, the last one: {reasons[-1]}"
            for name, reasons in self.failures.items()
        )


def measure_rounds(
    contenders: Sequence[Contender],
    rounds: int,
    budget_seconds: float,
    seed: int,
    notify: Notify,
    title: str,
) -> RoundResults:
    """Launch every contender once per round until all rounds are done or the budget is used up.

    At least three rounds (or all, if fewer) are done whatever the time. A contender is dropped
    after three failures in a row. The order of each round is drawn from `seed`.
    """
    measured = RoundResults({}, {})
    in_a_row = dict.fromkeys((c.name for c in contenders), 0)
    order = random.Random(f"{seed}:{title}")
    began = time.monotonic()
    for number in range(1, rounds + 1):
        elapsed = time.monotonic() - began
        per_round = elapsed / max(1, number - 1)
        if number > LEAST_ROUNDS and elapsed + per_round > budget_seconds:
            notify(f"{title}: budget used up after {number - 1} of {rounds} rounds")
            break
        left = f", about {per_round * (rounds - number + 1):.0f} s left" if number > 1 else ""
        notify(f"{title}: round {number} of {rounds}, {len(contenders)} launches{left}")
        running = [c for c in contenders if in_a_row[c.name] < GIVE_UP_AFTER]
        for contender in order.sample(running, len(running)):
            failed = _launch(contender, number, measured)
            in_a_row[contender.name] = in_a_row[contender.name] + 1 if failed else 0
        measured.rounds = number
    return measured


def _launch(contender: Contender, number: int, measured: RoundResults) -> bool:
    try:
        results = contender.start(number)
    except (ContenderError, ValueError) as error:
        measured.failures.setdefault(contender.name, []).append(str(error))
        return True
    for metric, value in results.items():
        by_round = measured.results.setdefault(contender.name, {}).setdefault(metric, {})
        by_round[number] = value
    return False

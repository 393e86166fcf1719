"""Rounds in which every contender is launched once, in random order."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

GIVE_UP_AFTER = 3
LEAST_ROUNDS = 3

Tell = Callable[[str], None]


class ContenderError(Exception):
    """A launch that gave no usable figure, and why."""


class Contender(Struct, frozen=True):
    """Something that is launched. `start` takes the number of the round and gives its figures.

    It raises ContenderError, or ValueError for an output it cannot read.
    """

    name: str
    start: Callable[[int], dict[str, float]]


class Measured(Struct):
    """Figures by contender, figure and round; failures by contender, in the order they came."""

    figures: dict[str, dict[str, dict[int, float]]]
    failures: dict[str, list[str]]
    rounds: int = 0

    def values(self, contender: str, figure: str) -> dict[int, float]:
        """One value a round; rounds that failed are missing."""
        return self.figures.get(contender, {}).get(figure, {})

    def has(self, contender: str, figure: str) -> bool:
        """Whether there are enough values to compare."""
        return len(self.values(contender, figure)) >= 2

    def failure_lines(self) -> tuple[str, ...]:
        """What failed, one line a contender, with its last reason."""
        return tuple(
            f"{name}: {len(reasons)} of its launches failed, the last one: {reasons[-1]}"
            for name, reasons in self.failures.items()
        )


def measure_rounds(
    contenders: Sequence[Contender],
    rounds: int,
    budget_seconds: float,
    seed: int,
    tell: Tell,
    title: str,
) -> Measured:
    """Launch every contender once a round until all rounds are done or the time is over.

    At least three rounds (or all that are asked) are done whatever the time. A contender is given
    up after three failures in a row. The order is drawn anew for each round from `seed`.
    """
    measured = Measured({}, {})
    in_a_row = dict.fromkeys((c.name for c in contenders), 0)
    order = random.Random(f"{seed}:{title}")
    began = time.monotonic()
    for number in range(1, rounds + 1):
        elapsed = time.monotonic() - began
        per_round = elapsed / max(1, number - 1)
        if number > LEAST_ROUNDS and elapsed + per_round > budget_seconds:
            tell(f"{title}: the time is over after {number - 1} of {rounds} rounds")
            break
        left = f", about {per_round * (rounds - number + 1):.0f} s left" if number > 1 else ""
        tell(f"{title}: round {number} of {rounds}, {len(contenders)} launches{left}")
        running = [c for c in contenders if in_a_row[c.name] < GIVE_UP_AFTER]
        for contender in order.sample(running, len(running)):
            failed = _launch(contender, number, measured)
            in_a_row[contender.name] = in_a_row[contender.name] + 1 if failed else 0
        measured.rounds = number
    return measured


def _launch(contender: Contender, number: int, measured: Measured) -> bool:
    try:
        figures = contender.start(number)
    except (ContenderError, ValueError) as error:
        measured.failures.setdefault(contender.name, []).append(str(error))
        return True
    for figure, value in figures.items():
        by_round = measured.figures.setdefault(contender.name, {}).setdefault(figure, {})
        by_round[number] = value
    return False

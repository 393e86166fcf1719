"""Races replayed on wall times of real programs: rounds of a table, drawn again and again.

`tests/data/explorations.json` has for each program the wall times of every layout in every round
that all of them have, from `machmeter explore --no-race`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.analysis.stats.race.dropping import race

DATA = Path(__file__).parents[1] / "data" / "explorations.json"
LAUNCHES = 10


class Exploration(Struct, frozen=True):
    """The table of one program; default: the layout in which nothing is set."""

    program: str
    command: str
    run: str
    default: str
    seconds: dict[str, tuple[float, ...]]

    @property
    def rounds(self) -> int:
        return len(next(iter(self.seconds.values())))

    def mean_log(self, layout: str) -> float:
        """Over the whole table, which stands for the truth."""
        values = self.seconds[layout]
        return math.fsum(map(math.log, values)) / len(values)

    @property
    def best(self) -> str:
        return min(self.seconds, key=self.mean_log)

    def regret(self, layout: str) -> float:
        """By how much it is slower than the best one, as a log ratio."""
        return self.mean_log(layout) - self.mean_log(self.best)


class Replay(Struct, frozen=True):
    """One race: who is left, who of them leads, and how many launches that took."""

    left: frozenset[str]
    leader: str
    launches: int


def explorations() -> tuple[Exploration, ...]:
    return msgspec.json.decode(DATA.read_bytes(), type=tuple[Exploration, ...])


def replays(table: Exploration, count: int, seed: int) -> Iterator[Replay]:
    """Races of ten rounds, each a round of the table drawn with replacement."""
    rng = random.Random(seed)
    for _ in range(count):
        drawn = _drawn(table, rng, LAUNCHES)
        dropped = race(drawn, higher_is_better=False, kept=(table.default,))
        last = {one.name: one.round for one in dropped}
        left = frozenset(drawn) - frozenset(last)
        yield Replay(
            left,
            min(left, key=lambda name: _mean(drawn[name])),
            sum(last.get(name, LAUNCHES) for name in drawn),
        )


def even_leader(table: Exploration, launches: int, rng: random.Random) -> str:
    """Who leads where as many launches are spread evenly."""
    drawn = _drawn(table, rng, max(1, launches // len(table.seconds)))
    return min(drawn, key=lambda name: _mean(drawn[name]))


def _drawn(table: Exploration, rng: random.Random, count: int) -> dict[str, dict[int, float]]:
    rounds = [rng.randrange(table.rounds) for _ in range(count)]
    return {
        name: {number: values[one] for number, one in enumerate(rounds, 1)}
        for name, values in table.seconds.items()
    }


def _mean(values: Mapping[int, float]) -> float:
    return math.fsum(map(math.log, values.values())) / len(values)

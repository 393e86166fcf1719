"""Estimates made up for tests, with a spread between launches, from one seed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import fmean

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import SHARE
from machmeter.model.variant import ONLY, Variant

LAUNCHES = 12


class Maker:
    """Makes estimates with a spread between launches, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._variant = ONLY

    @contextmanager
    def of_variant(self, variant: Variant) -> Iterator[None]:
        """What is made inside is of that variant."""
        self._variant = variant
        yield
        self._variant = ONLY

    def estimate(
        self,
        benchmark: str,
        parameters: dict[str, Value],
        layout: Layout,
        metric: str,
        value: float,
        spread: float = 0.01,
    ) -> Estimate:
        known = find(benchmark).metric(metric)
        name, title, unit, direction = known.name, known.title, known.unit, known.direction
        linear = unit == SHARE
        draws = [
            value + self.random.gauss(0, spread)
            if linear
            else value * math.exp(self.random.gauss(0, spread))
            for _ in range(LAUNCHES)
        ]
        middle = fmean(draws)
        half = self.random.uniform(1.2, 2.8) * spread / math.sqrt(LAUNCHES)
        low, high = (
            (middle - half, middle + half)
            if linear
            else (middle * math.exp(-half), middle * math.exp(half))
        )
        return Estimate(
            point=make_point(benchmark, parameters, layout, self._variant),
            metric=name,
            title=title,
            unit=unit,
            direction=direction,
            scale=Scale.LINEAR if linear else Scale.LOG,
            value=middle,
            low=low,
            high=high,
            launches=LAUNCHES,
            samples=200 * LAUNCHES,
            precision=half,
            target_precision=0.02,
            reached=half <= 0.02,
            resolved=True,
            launch_values=tuple(draws),
            launch_numbers=tuple(range(1, LAUNCHES + 1)),
            warmup_cut=5,
            rounds=tuple(range(1, LAUNCHES + 1)),
            outliers=self.random.randrange(9),
            batch=1,
            attributes={},
        )


def unresolved(one: Estimate) -> Estimate:
    """The same figure with an interval that holds zero."""
    return replace(
        one, value=2e-9, low=-8e-9, high=12e-9, precision=5.0, reached=False, resolved=False
    )

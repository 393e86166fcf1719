"""By how much each phase of a program's time differs between two layouts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.stats.comparison import (
    Difference,
    compare_shares,
    paired_positions,
)
from machmeter.model.benchmark import Direction
from machmeter.model.plan.question import CountedParts, Phase
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import SHARE


class PartChange(Struct, frozen=True):
    """What a layout saves or loses in one phase."""

    part: Phase
    """The phase."""
    before: float
    """What the baseline spends in it, as a share of its time."""
    saved: Difference
    """What the candidate saves, as a share of the time of the baseline (below 0: loses), with its
    95 % interval."""


def part_changes(
    candidate: Estimate, baseline: Estimate, pool: Sequence[Estimate], counted: CountedParts
) -> tuple[PartChange, ...]:
    """What the candidate saves in each phase of the time that one unit of work takes.

    Time per unit of work is 1 / rate (or the time itself, of a metric of which less is better); a
    phase's share of it, launch by launch, over the time of the baseline in the same round, or
    over its mean where launches are not paired. The differences of all phases add up to that of
    the whole. Compared as shares (`compare_shares`). Empty with fewer than two launches.

    pool: results of the same benchmark, the shares of both among them; a share that a launch did
    not record is 0.
    """
    if min(candidate.launches, baseline.launches) < 2:
        return ()
    sides = tuple(
        _Side(one, _times(one), _shares(one, pool, counted)) for one in (baseline, candidate)
    )
    pairs = [(j, i) for i, j in paired_positions(candidate, baseline)]
    if len(pairs) < max(2, min(candidate.launches, baseline.launches) / 2):
        pairs = []
    found = []
    for part in (*counted.shares, Phase.REST):
        b, a = _part(part, sides, pairs)
        if any(a.launch_values) or any(b.launch_values):
            found.append(PartChange(part, b.value, compare_shares(a, b, paired=bool(pairs))))
    return tuple(found)


class _Side(Struct, frozen=True):
    of: Estimate
    times: tuple[float, ...]
    """Seconds per unit of work, launch by launch."""
    shares: Mapping[Phase, tuple[float, ...]]
    """Of them, likewise."""


def _times(estimate: Estimate) -> tuple[float, ...]:
    if estimate.direction is Direction.LOWER:
        return estimate.launch_values
    return tuple(1 / value for value in estimate.launch_values)


def _shares(
    estimate: Estimate, pool: Sequence[Estimate], counted: CountedParts
) -> dict[Phase, tuple[float, ...]]:
    recorded = {
        one.metric: dict(zip(one.launch_numbers, one.launch_values, strict=True))
        for one in pool
        if one.point == estimate.point and one.metric in counted.shares.values()
    }
    found = {
        part: tuple(recorded.get(name, {}).get(n, 0.0) for n in estimate.launch_numbers)
        for part, name in counted.shares.items()
    }
    every = zip(*found.values(), strict=True)
    return found | {Phase.REST: tuple(1 - math.fsum(one) for one in every)}


def _part(
    part: Phase, sides: tuple[_Side, ...], pairs: Sequence[tuple[int, int]]
) -> tuple[Estimate, Estimate]:
    """The phase of baseline and candidate over the time of the baseline, launch by launch."""
    whole = sides[0].times
    mean = math.fsum(whole) / len(whole)
    found = []
    for position, side in enumerate(sides):
        of = [time * share for time, share in zip(side.times, side.shares[part], strict=True)]
        if pairs:
            values = tuple(of[pair[position]] / whole[pair[0]] for pair in pairs)
        else:
            values = tuple(one / mean for one in of)
        numbers = tuple(range(len(values)))
        found.append(
            replace(
                side.of,
                metric=part.value,
                unit=SHARE,
                direction=Direction.LOWER,
                scale=Scale.LINEAR,
                value=math.fsum(values) / len(values),
                launches=len(values),
                launch_values=values,
                launch_numbers=numbers,
                rounds=numbers,
            )
        )
    return found[0], found[1]

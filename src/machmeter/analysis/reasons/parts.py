"""By how much each part of a program's time differs between two layouts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.stats.comparison import (
    MARGIN_OF_SHARES,
    Difference,
    compare_shares,
    holm,
    verdict_of,
)
from machmeter.model.benchmark import Direction
from machmeter.model.plan.question import CountedParts, Phase
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.units import SHARE

_SIGNIFICANCE = 0.05


class PartChange(Struct, frozen=True):
    """What a layout saves or loses in one part of the time."""

    part: Phase
    """The part."""
    before: float
    """What the baseline spends in it, as a share of its time."""
    saved: Difference
    """What the candidate saves, as a share of the time of the baseline (below 0: loses), with its
    95 % interval; its p value is adjusted for the number of parts."""


def part_changes(
    candidate: Estimate, baseline: Estimate, pool: Sequence[Estimate], counted: CountedParts
) -> tuple[PartChange, ...]:
    """What the candidate saves in each part of the time that one unit of work takes.

    Time per unit of work is 1 / rate (or the time itself, of a metric of which less is better); a
    part's share of it, launch by launch, over the mean of the baseline. The differences of all
    parts add up to that of the whole. Paired and tested as shares (`compare_shares`), adjusted for
    the number of parts (Holm): what is not significant then, or within 2 points, is not shown to
    have changed. Empty with fewer than two launches.

    pool: results of the same benchmark, the shares of both among them; a share that a launch did
    not record is 0.
    """
    if min(candidate.launches, baseline.launches) < 2:
        return ()
    whole = math.fsum(_times(baseline)) / baseline.launches
    found = []
    for part in (*counted.shares, Phase.REST):
        a, b = (_part(one, part, pool, counted, whole) for one in (candidate, baseline))
        if any(a.launch_values) or any(b.launch_values):
            found.append(PartChange(part, b.value, compare_shares(a, b, paired=True)))
    adjusted = holm([one.saved.p_value for one in found])
    return tuple(
        PartChange(one.part, one.before, _judged(one.saved._replace(p_value=p_value)))
        for one, p_value in zip(found, adjusted, strict=True)
    )


def _judged(saved: Difference) -> Difference:
    verdict = verdict_of(saved.low, saved.high, MARGIN_OF_SHARES)
    if verdict is not ComparisonVerdict.SAME and saved.p_value > _SIGNIFICANCE:
        verdict = ComparisonVerdict.INCONCLUSIVE
    return saved._replace(verdict=verdict)


def _times(estimate: Estimate) -> tuple[float, ...]:
    """Seconds per unit of work, launch by launch."""
    if estimate.direction is Direction.LOWER:
        return estimate.launch_values
    return tuple(1 / value for value in estimate.launch_values)


def _part(
    estimate: Estimate,
    part: Phase,
    pool: Sequence[Estimate],
    counted: CountedParts,
    whole: float,
) -> Estimate:
    """A part of the time of an estimate over `whole`, launch by launch."""
    shares = {
        one.metric: dict(zip(one.launch_numbers, one.launch_values, strict=True))
        for one in pool
        if one.point == estimate.point and one.metric in counted.shares.values()
    }
    values = tuple(
        time / whole * _share(part, number, shares, counted.shares)
        for number, time in zip(estimate.launch_numbers, _times(estimate), strict=True)
    )
    return replace(
        estimate,
        metric=part.value,
        unit=SHARE,
        direction=Direction.LOWER,
        scale=Scale.LINEAR,
        value=math.fsum(values) / len(values),
        launch_values=values,
    )


def _share(
    part: Phase,
    launch: int,
    shares: Mapping[str, Mapping[int, float]],
    names: Mapping[Phase, str],
) -> float:
    if part in names:
        return shares.get(names[part], {}).get(launch, 0.0)
    return 1 - math.fsum(of.get(launch, 0.0) for of in shares.values())

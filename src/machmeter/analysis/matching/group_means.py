"""One geometric mean for each group of compared results, with its interval from launches."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.matching.between_runs import (
    DifferenceSpread,
    of_difference,
    values_of,
    wider,
)
from machmeter.analysis.matching.open_settings import quoted_key
from machmeter.analysis.matching.same_measurement import first_of_each
from machmeter.analysis.matching.standings import has_no_ratio, is_of_one_launch
from machmeter.analysis.stats.comparison import (
    MARGIN,
    combine_log_ratios,
    holm,
    linearized_logs,
    paired_positions,
    verdict_of,
)
from machmeter.analysis.stats.joint_mean import JointMean, Series, joint_mean
from machmeter.analysis.stats.student import CONFIDENCE, two_sided_p
from machmeter.benchmarks.catalogue import is_primary, subject_of
from machmeter.model.benchmark import Direction
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    GroupMean,
    RelativeStanding,
)
from machmeter.model.units import UNBOUNDED

_STANDINGS = {
    ComparisonVerdict.FASTER: RelativeStanding.BETTER,
    ComparisonVerdict.SLOWER: RelativeStanding.WORSE,
    ComparisonVerdict.SAME: RelativeStanding.SAME,
    ComparisonVerdict.INCONCLUSIVE: RelativeStanding.INCONCLUSIVE,
}
_DIFFERENT = (RelativeStanding.BETTER, RelativeStanding.WORSE)


def group_means(
    results: Sequence[ComparedResult], paired: bool, others: Sequence[MachineResults] = ()
) -> tuple[GroupMean, ...]:
    """The geometric mean of the ratios of each group (`subject_of`), the largest difference first.

    Each measurement counts once, with equal weight; of a benchmark that was measured with data in
    memory only those results count, not those of its caches; metrics that follow from another one,
    shares, and ratios without an interval beside those with one are not in it. The interval is
    Student's t on the logs of rounds (`joint_mean`), of the ratios where launches of both machines
    are paired by round, else of each machine (Welch); p values are adjusted for the number of
    groups (Holm). It holds the spread of launches, or where it is wider that of the mean between
    three or more others, runs of the machine that both are runs of. Where a machine was
    published there is no interval, and where its result fits several of the other machine,
    which differ in a setting that its source does not state, there is a mean for each value of
    that setting and no verdict.
    """
    first = first_of_each(results)
    counted = [
        one for number, one in enumerate(results) if first[number] == number and is_primary(one.a)
    ]
    counted = _of_largest_level(counted)
    tested = _adjusted(
        [
            _tested(group, of_group, paired, others)
            for group, of_group in _grouped([one for one in counted if _is_tested(one)]).items()
        ]
    )
    with_interval = {one.group for one in tested}
    printed = [
        _printed(group, setting, of_setting)
        for group, of_group in _grouped([one for one in counted if one.as_printed]).items()
        if group not in with_interval
        for setting, of_setting in _by_setting(of_group).items()
    ]
    means = [replace(one, left_out=_left_out(one, counted)) for one in (*tested, *printed)]
    return tuple(sorted(means, key=lambda one: -abs(math.log(one.ratio))))


def _of_largest_level(counted: Sequence[ComparedResult]) -> list[ComparedResult]:
    """Of a benchmark with data in memory only those: sweeps of caches would outnumber them."""
    in_memory = {one.a.point.benchmark for one in counted if _is_in_memory(one)}
    return [one for one in counted if one.a.point.benchmark not in in_memory or _is_in_memory(one)]


def _is_in_memory(one: ComparedResult) -> bool:
    """Whether one of the two is known to be, and neither is in a cache."""
    levels = {one.a.memory_level, one.b.memory_level}
    return MemoryLevel.MEMORY in levels and MemoryLevel.CACHES not in levels


def _left_out(mean: GroupMean, counted: Sequence[ComparedResult]) -> int:
    """How many results of its group and setting lack a ratio, there or in another setting."""
    lacking = {quoted_key(one) for one in counted if one.setting and has_no_ratio(one)}
    group = _grouped([one for one in counted if one.setting == mean.setting]).get(mean.group, [])
    return sum(
        has_no_ratio(one) or bool(one.setting and quoted_key(one) in lacking) for one in group
    )


def _grouped(results: Sequence[ComparedResult]) -> dict[str, list[ComparedResult]]:
    found: dict[str, list[ComparedResult]] = defaultdict(list)
    for one in results:
        found[subject_of(one.a.point.benchmark)].append(one)
    return found


def _is_tested(one: ComparedResult) -> bool:
    if one.points is not None or one.as_printed:
        return False
    found = one.by[Basis.AS_MEASURED]
    return found.is_bounded and found.degrees > 0


def _is_printed(one: ComparedResult) -> bool:
    if one.points is not None or not one.as_printed:
        return False
    ratio = one.by[Basis.AS_MEASURED].ratio
    return math.isfinite(ratio) and ratio > 0


def _tested(
    group: str,
    results: Sequence[ComparedResult],
    paired: bool,
    others: Sequence[MachineResults],
) -> GroupMean:
    center, variance, degrees = (_of_pairs if paired else _of_machines)(results)
    weights = _weights(results)
    sums = [
        math.fsum(weight * log for weight, log in zip(weights, logs, strict=True))
        for logs in values_of(others, [one.a for one in results])
    ]
    within, between = DifferenceSpread(variance, degrees), of_difference(sums, degrees)
    variance, degrees = wider(within, between)
    found = combine_log_ratios([center], [variance], [degrees], [1.0])
    p_value = two_sided_p(center, math.sqrt(variance), degrees)
    margin = math.log1p(MARGIN)
    verdict = verdict_of(_log(found.low), _log(found.high), margin)
    if verdict is not ComparisonVerdict.SAME and any(one.drifted for one in results):
        verdict = ComparisonVerdict.INCONCLUSIVE
    mean = _without_interval(group, "", results)
    return replace(
        mean,
        ratio=found.value,
        low=found.low,
        high=found.high,
        degrees=degrees,
        p_value=p_value,
        standing=_STANDINGS[verdict],
    )


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0 else -math.inf


def _weights(results: Sequence[ComparedResult]) -> list[float]:
    """Equal ones, turned so that above 0 the second machine is better."""
    share = 1 / len(results)
    return [share if one.a.direction is Direction.HIGHER else -share for one in results]


def _of_machines(results: Sequence[ComparedResult]) -> JointMean:
    weights = _weights(results)
    a, b = (
        joint_mean([_by_round(side) for side in sides], weights)
        for sides in ([one.a for one in results], [one.b for one in results])
    )
    variance = a.variance + b.variance
    if variance == 0:
        return JointMean(b.value - a.value, 0.0, a.degrees + b.degrees)
    parts = [(one.variance / variance) ** 2 / one.degrees for one in (a, b)]
    return JointMean(b.value - a.value, variance, 1 / math.fsum(parts))


def _of_pairs(results: Sequence[ComparedResult]) -> JointMean:
    return joint_mean([_ratios_by_round(one) for one in results], _weights(results))


def _by_round(one: Estimate) -> Series:
    """Logs of launch values; those of several launches in a round are averaged."""
    places = one.rounds or one.launch_numbers
    found: dict[int, list[float]] = defaultdict(list)
    for place, value in zip(places, linearized_logs(one), strict=True):
        found[place].append(value)
    if len(found) < 2:
        return dict(enumerate(linearized_logs(one)))
    return {place: math.fsum(values) / len(values) for place, values in found.items()}


def _ratios_by_round(one: ComparedResult) -> Series:
    a, b = linearized_logs(one.a), linearized_logs(one.b)
    places = one.b.rounds or one.b.launch_numbers
    found: dict[int, list[float]] = defaultdict(list)
    for j, i in paired_positions(one.b, one.a):
        found[places[j]].append(b[j] - a[i])
    return {place: math.fsum(values) / len(values) for place, values in found.items()}


def _adjusted(means: Sequence[GroupMean]) -> list[GroupMean]:
    p_values = holm([one.p_value for one in means])
    return [
        replace(
            one,
            p_value=p_value,
            standing=RelativeStanding.INCONCLUSIVE
            if one.standing in _DIFFERENT and p_value > 1 - CONFIDENCE
            else one.standing,
        )
        for one, p_value in zip(means, p_values, strict=True)
    ]


def _printed(group: str, setting: str, results: Sequence[ComparedResult]) -> GroupMean:
    mean = _without_interval(group, setting, results)
    if setting or any(is_of_one_launch(one) for one in results):
        return mean
    standing = RelativeStanding.SAME_AS_PRINTED
    if abs(math.log(mean.ratio)) > math.log1p(MARGIN):
        better = mean.ratio > 1
        standing = (
            RelativeStanding.BETTER_AS_PRINTED if better else RelativeStanding.WORSE_AS_PRINTED
        )
    # Values within the other's interval, or on both sides of it, make no verdict of their mean.
    agreeing = sum(one.standing is standing for one in results)
    if 2 * agreeing <= len(results):
        standing = RelativeStanding.INCONCLUSIVE
    return replace(mean, standing=standing)


def _without_interval(group: str, setting: str, results: Sequence[ComparedResult]) -> GroupMean:
    logs = [math.log(one.by[Basis.AS_MEASURED].ratio) for one in results]
    center = math.fsum(logs) / len(logs)
    nearest = min(range(len(logs)), key=lambda number: abs(logs[number] - center))
    return GroupMean(
        group=group,
        results=tuple(one.name for one in results),
        ratio=math.exp(center),
        low=0.0,
        high=UNBOUNDED,
        degrees=0.0,
        p_value=math.nan,
        standing=RelativeStanding.INCONCLUSIVE,
        typical=results[nearest],
        setting=setting,
    )


def _by_setting(results: Sequence[ComparedResult]) -> dict[str, list[ComparedResult]]:
    """Results by their open setting; a published value counts where it has a ratio in each."""
    without = {quoted_key(one) for one in results if one.setting and not _is_printed(one)}
    found: dict[str, list[ComparedResult]] = defaultdict(list)
    for one in results:
        if _is_printed(one) and not (one.setting and quoted_key(one) in without):
            found[one.setting].append(one)
    return found

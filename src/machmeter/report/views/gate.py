"""What an A/B run says first: whether a result became slower by more than the gate allows."""

from __future__ import annotations

import math
from collections import Counter

from msgspec import Struct

from machmeter.analysis.matching.compare_machines import (
    is_undecided,
    measurements,
    regressions,
    size_of,
)
from machmeter.analysis.stats.comparison import MARGIN, linearized_logs, paired_positions
from machmeter.model.benchmark import Direction
from machmeter.model.results.machine_comparison import (
    Basis,
    ComparedResult,
    MachineComparison,
    RelativeStanding,
)
from machmeter.model.results.run import RunResult
from machmeter.model.variant import Role
from machmeter.text.comparison import difference_text, excludes_equality
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import times_text
from machmeter.text.results import both_texts

GATE = 1 / (1 + MARGIN)
"""The ratio below which a result is slower by more than the gate allows."""


class Gate(Struct, frozen=True):
    """The verdict of an A/B run."""

    passed: bool
    """Whether no result is slower by more than 2 % (2 points), and there are results."""
    undecided: bool
    """Whether every result is inconclusive."""
    verdict: str
    """`Fails the gate: -O1 makes triad 7 % slower`."""
    consequence: str
    """The result with its pairs and its interval, and the exit code."""
    counts: str
    """`1 slower, 0 inconclusive, 3 faster or the same`."""
    old: str
    """The baseline by what differs."""
    new: str
    """The candidate by what differs."""
    deciding: ComparedResult | None = None
    """The worst regression; without one the result that is nearest to the gate."""


def gate_of(result: RunResult) -> Gate | None:
    """The verdict; None where the run has no baseline."""
    against = result.baseline
    if against is None or against.comparison is None:
        return None
    worse = regressions(against.comparison)
    passed = bool(against.comparison.results) and not worse
    deciding = max(worse, key=size_of) if worse else _nearest(against.comparison)
    new = plain(against.new_name, 80)
    who = "" if against.new_name == Role.CANDIDATE else f"`{new}`"
    nearest = "Nearest to the gate: " if passed and deciding else ""
    numbers = _numbers(deciding, passed=passed)
    undecided = is_undecided(against.comparison)
    return Gate(
        passed,
        undecided,
        _undecided(against.comparison)
        if undecided
        else _verdict(who, deciding, len(worse), passed=passed),
        f"{nearest}{numbers}{_exit_codes(passed=passed, undecided=undecided)}",
        _counts(against.comparison),
        plain(against.name, 80),
        new,
        deciding,
    )


def pair_ratios(one: ComparedResult) -> tuple[float, ...]:
    """Of each pair of launches the ratio, above 1 where the candidate was better."""
    old, new = linearized_logs(one.a), linearized_logs(one.b)
    sign = 1 if one.a.direction is Direction.HIGHER else -1
    pairs = paired_positions(one.b, one.a)
    return tuple(math.exp(sign * (new[j] - old[i])) for j, i in pairs)


def has_pairs(one: ComparedResult) -> bool:
    """Whether a ratio can be taken of each pair."""
    if one.points is not None or one.as_printed:
        return False
    return one.by[Basis.AS_MEASURED].is_bounded


def _nearest(comparison: MachineComparison) -> ComparedResult | None:
    """The result whose interval ends lowest among those that have one."""
    bounded = [one for one in measurements(comparison.results) if has_pairs(one)]
    return min(bounded, key=lambda one: one.by[Basis.AS_MEASURED].high, default=None)


def _undecided(comparison: MachineComparison) -> str:
    """What is said where every result is inconclusive."""
    count = count_text(len(measurements(comparison.results)), "result is", "results are")
    return f"Undecided: {count} inconclusive"


def _exit_codes(*, passed: bool, undecided: bool) -> str:
    if undecided:
        return (
            "More launches can decide: `--budget`, `--min-launches`. The exit code is 0 with "
            "`--fail-on regression`, 1 with `--fail-on undecided`."
        )
    return f"With `--fail-on regression` the exit code is {int(not passed)}."


def _verdict(who: str, deciding: ComparedResult | None, worse: int, *, passed: bool) -> str:
    if deciding is None:
        how = "no result was measured for both" if not passed else "no ratio has an interval"
        return f"{'Passes' if passed else 'Fails'} the gate: {how}"
    if passed:
        return "Passes the gate: no result is significantly slower by more than 2 %"
    name = plain(deciding.name, 80)
    much = f"{_share(deciding)} slower" if deciding.points is None else "worse"
    more = f", and {count_text(worse - 1, 'other result', 'other results')} slower"
    said = f"{who} makes {name} {much}" if who else f"{name} is {much}"
    return f"Fails the gate: {said}{more * (worse > 1)}"


def _share(one: ComparedResult) -> str:
    """How much longer it takes, or how much less it does: `7 %`, `2.34x`."""
    return _slower(one.by[Basis.AS_MEASURED].ratio, one.a.direction)


def _slower(ratio: float, direction: Direction) -> str:
    if ratio <= 0.5:
        return times_text(1 / ratio)
    share = 1 - ratio if direction is Direction.HIGHER else 1 / ratio - 1
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


def _numbers(one: ComparedResult | None, *, passed: bool) -> str:
    if one is None:
        return ""
    values = " → ".join(both_texts(one.a, one.b))
    if not has_pairs(one):
        return f"{plain(one.name, 80)}: {values}, {difference_text(one)}. "
    pairs = count_text(len(pair_ratios(one)), "pair of launches", "pairs of launches")
    ratio = one.by[Basis.AS_MEASURED]
    least = ""
    if one.standing is RelativeStanding.INCONCLUSIVE and excludes_equality(one):
        least = " Not significant after correction for the number of results."
    elif ratio.high < 1 and not passed:
        least = f" At least {_slower(ratio.high, one.a.direction)} slower at 95 % confidence;"
        least += " the gate is 2 %."
    return (
        f"{plain(one.name, 80)}, {pairs}, baseline and candidate in turn: {values}, "
        f"{difference_text(one)}.{least} "
    )


def _counts(comparison: MachineComparison) -> str:
    own = measurements(comparison.results)
    standings = Counter(one.standing for one in own)
    slower = standings[RelativeStanding.WORSE]
    unknown = standings[RelativeStanding.INCONCLUSIVE]
    faster = standings[RelativeStanding.BETTER]
    same = len(own) - slower - unknown - faster
    return f"{slower} slower, {unknown} inconclusive, {same} the same, {faster} faster"

"""Results as text: a value with its unit, its interval and how precise it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from machmeter.analysis.curves.described_caches import described_caches
from machmeter.model.machine import Cache, Topology
from machmeter.model.origin import Origin
from machmeter.model.results.curves import Knee, LastCache
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import printed_text, unit_as_text
from machmeter.model.units import (
    SECONDS,
    SHARE,
    Unit,
    UnitScale,
    common_scale,
    format_bytes,
    format_value,
    is_unbounded,
    named_scale,
)
from machmeter.text.numbers import NO_INTERVAL, NOTHING, count_text, interval_text, quantity_text
from machmeter.text.plain import plain


def scale_of_both(a: Estimate, b: Estimate) -> UnitScale | None:
    """The unit in which two values that stand side by side are written; that of a printed one is as
    it is printed. None where each has its own.
    """
    if a.unit != b.unit or a.unit.whole:
        return None
    values = [one.value if one.resolved else one.high for one in (a, b)]
    printed = [one.printed.unit for one in (a, b) if one.printed and one.as_printed]
    if printed:
        return named_scale(unit_as_text(printed[0]), values, a.unit)
    return common_scale(values, a.unit)


def both_texts(a: Estimate, b: Estimate) -> tuple[str, str]:
    """Two values that stand side by side, in one unit: `0.819 µs`, `10.9 µs`."""
    scale = scale_of_both(a, b)
    return short_value_text(a, scale), short_value_text(b, scale)


def value_text(estimate: Estimate, scale: UnitScale | None = None) -> str:
    """`18.2 GB/s`; an overhead not significantly above zero as its upper bound, `< 12.0 ns`.

    What others printed keeps their digits, their unit and what they say of it: `about 43.37 µs`.
    scale: the unit to use (None: the one that suits the value).
    """
    if estimate.printed and estimate.as_printed:
        return plain(printed_text(estimate.printed), 120)
    if not estimate.resolved:
        if not estimate.is_bounded:
            return "unknown"
        return f"< {_in_unit(max(estimate.high, 0.0), estimate.unit, scale)}"
    return _in_unit(estimate.value, estimate.unit, scale)


def _in_unit(value: float, unit: Unit, scale: UnitScale | None) -> str:
    return scale.text(value) if scale else format_value(value, unit)


def result_interval_text(estimate: Estimate, scale: UnitScale | None = None) -> str:
    """The 95 % interval on the scale of the value, `[18.0, 18.4]`; a dash where there is none."""
    if not estimate.resolved:
        return NOTHING
    if estimate.origin is Origin.SIMULATED and not estimate.is_bounded:
        return "error unknown"
    if scale and estimate.is_bounded:
        return scale.interval(estimate.low, estimate.high, estimate.value)
    return interval_text(estimate.low, estimate.high, estimate.value, estimate.unit)


def interval_heading(estimates: Iterable[Estimate]) -> str:
    """What the intervals of results are: of launches, or of a model that states them."""
    simulated = any(one.origin is Origin.SIMULATED for one in estimates)
    return "error band" if simulated else "95 % interval"


def short_value_text(estimate: Estimate, scale: UnitScale | None = None) -> str:
    """As `value_text`, but long times in whole seconds, as tables of applications print them."""
    long = estimate.unit == SECONDS and estimate.value >= 1000 and estimate.resolved
    if long and not estimate.as_printed:
        return f"{estimate.value:,.0f} s"
    return value_text(estimate, scale)


def value_with_interval(estimate: Estimate | None, scale: UnitScale | None = None) -> str:
    """`18.2 GB/s [18.0, 18.4]`; a dash for what was not measured."""
    if estimate is None:
        return NOTHING
    interval = result_interval_text(estimate, scale)
    value = value_text(estimate, scale)
    return value if interval == NOTHING else f"{value} {interval}"


def half_width_of(estimate: Estimate) -> str:
    """`±1.3 %`, or why there is none.

    A share is itself in percent, so its half width is in percentage points.
    """
    if estimate.origin is Origin.SIMULATED:
        known = not is_unbounded(estimate.precision)
        return f"±{100 * estimate.precision:.1f} {_half_width_unit(estimate)}" * known or "unknown"
    if estimate.launches == 1:
        return "unknown: one launch"
    if estimate.below_zero:
        return "below zero: the reference may be biased"
    if not estimate.resolved:
        return "not significantly above zero"
    if is_unbounded(estimate.precision):
        return "unknown"
    return f"±{100 * estimate.precision:.1f} {_half_width_unit(estimate)}"


def precision_text(estimate: Estimate) -> str:
    """`±1.3 %`, and the target precision where it was not met."""
    reached = half_width_of(estimate)
    if estimate.reached or not reached.startswith("±"):
        return reached
    unit = _half_width_unit(estimate)
    return f"{reached}, target ±{100 * estimate.target_precision:g} {unit} not met"


def _half_width_unit(estimate: Estimate) -> str:
    return "points" if estimate.unit == SHARE else "%"


def result_text(estimate: Estimate) -> str:
    """Value, interval and launches in one phrase."""
    parts = [value_text(estimate)]
    if estimate.resolved:
        parts.append(result_interval_text(estimate))
    launches = count_text(estimate.launches, "launch", "launches")
    return f"{' '.join(parts)}, {launches}, {precision_text(estimate)}"


def pages_text(key: str) -> str:
    """A page size in bytes, written as text, as a person reads it: `4096` is `4 KiB`."""
    return format_bytes(int(key)) if key.isdecimal() and len(key) < 19 else plain(key, 40)


def level_texts(knees: Sequence[Knee], topology: Topology) -> tuple[str, ...]:
    """The names of the levels of the memory hierarchy: `L1 32 KiB, to 45 KiB` where a cache is
    described that ends there, else `level 2, to 2 MiB`; `memory, …`."""
    caches = described_caches(knees, topology.caches)
    return tuple(
        _level_text(number, knee, cache)
        for number, (knee, cache) in enumerate(zip(knees, caches, strict=True), 1)
    )


def _level_text(number: int, knee: Knee, cache: Cache | None) -> str:
    if knee.size_bytes == 0:
        return "memory, all larger sizes"
    end = format_bytes(knee.size_bytes)
    if cache is None:
        return f"level {number}, to {end}"
    name = cache_text(cache)
    return name if cache.size_bytes == knee.size_bytes else f"{name}, to {end}"


def cache_text(cache: Cache) -> str:
    """A described cache in short: `L1 32 KiB`."""
    return f"L{cache.level} {format_bytes(cache.size_bytes)}"


def level_range_text(knee: Knee) -> str:
    """Where a level ends over launches; empty where all agree: `2 MiB to 4 MiB over launches`."""
    if not knee.size_bytes or knee.size_low_bytes == knee.size_high_bytes:
        return ""
    low, high = format_bytes(knee.size_low_bytes), format_bytes(knee.size_high_bytes)
    return f"{low} to {high} over launches"


def last_cache_text(cache: LastCache) -> str:
    """The last cache, first what sizes follow: `32 MiB as described (measured 4 MiB, ...)`."""
    described, size = format_bytes(cache.described), format_bytes(cache.size)
    measured = f"measured {format_bytes(cache.measured)}" if cache.measured else ""
    if cache.low != cache.high:
        measured += f", {format_bytes(cache.low)} to {format_bytes(cache.high)} over launches"
    if cache.size == cache.described:
        return f"{size} as described" + (f" ({measured})" if measured else "")
    if not (measured or cache.runs):
        return f"{size}, a guess"
    said = f"described {described}" if cache.described else "none described"
    return f"{size} ({'; '.join(filter(None, (measured, said)))})"


def earlier_runs_text(cache: LastCache) -> str:
    """Which earlier runs of the machine a size was chosen with; empty for none."""
    if not cache.runs:
        return ""
    runs = "run" if len(cache.runs) == 1 else "runs"
    agreed = "settled" if cache.settled else "the largest until three runs agree"
    return f"cache size with earlier {runs} {', '.join(cache.runs)}: {agreed}"


def knee_text(knee: Knee) -> str:
    """The latency of a level with its interval, which one launch does not give."""
    low, high = knee.low_seconds, knee.high_seconds
    text = quantity_text(knee.latency_seconds, low, high, SECONDS)
    return f"{text} ({NO_INTERVAL})" if is_unbounded(high) else text

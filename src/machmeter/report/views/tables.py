"""The tables of the page: plain text in rows and columns, each with a caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from machmeter.analysis.rules.system.nodes import NODE
from machmeter.analysis.stats.noise import DETOUR
from machmeter.model.layout_fields import FIELDS
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import SECONDS, format_value
from machmeter.report.table import Table, TableRow
from machmeter.text.hardware.devices import range_text, reasons_text, state_text
from machmeter.text.labels import point_columns
from machmeter.text.numbers import NO_INTERVAL, count_text, duration_text, ratio_parts
from machmeter.text.plain import plain
from machmeter.text.ratios import times_text
from machmeter.text.results import (
    half_width_of,
    interval_heading,
    result_interval_text,
    value_text,
)

MAX_OUTCOMES = 100
MAX_CPUS = 64


def estimate_table(
    title: str, estimates: Sequence[Estimate], most_rows: int, hosts: Sequence[str] = ()
) -> Table:
    """Every result of a benchmark; what is the same in every row stands in the note.

    hosts: names of nodes in their order, shown with their numbers.
    """
    shown = estimates[:most_rows]
    columns_of = [_columns(e, hosts) for e in shown]
    names = list(dict.fromkeys(name for row in columns_of for name in row))
    varying = [n for n in names if len({row.get(n, "") for row in columns_of}) > 1]
    constant = [n for n in names if n not in varying]
    several = len({e.title for e in shown}) > 1
    columns = [*varying, *(["metric"] if several else [])] or ["metric"]
    rows, keys = [], []
    for one, row in zip(shown, columns_of, strict=True):
        where = [row.get(n, "–") for n in varying]
        order = [_number_of(one, n) for n in varying]
        if several or not varying:
            where.append(one.title)
            order.append(None)
        rows.append((*where, *_measured(one)))
        keys.append((*order, *_sort_keys(one)))
    first = len(columns)
    return Table(
        caption=f"{title}: {count_text(len(estimates), 'result', 'results')}",
        columns=(*columns, "value", interval_heading(shown), "precision", "launches", "outliers"),
        rows=tuple(rows),
        numeric=(first, first + 1, first + 3, first + 4),
        note=_table_note(estimates, shown, [(n, columns_of[0][n]) for n in constant]),
        keys=tuple(keys),
    )


def _number_of(one: Estimate, name: str) -> float | None:
    """The value of a parameter that is a number: a size in bytes sorts as a size."""
    value = dict(one.point.parameters).get(name)
    return value if isinstance(value, int | float) else None


def _sort_keys(one: Estimate) -> tuple[float, ...]:
    """Those of `_measured`."""
    value = one.value if one.resolved else one.high
    return (value, one.low, one.precision, one.launches, one.outliers)


def _columns(estimate: Estimate, hosts: Sequence[str]) -> dict[str, str]:
    layout, node = estimate.point.layout, dict(estimate.point.parameters).get(NODE)
    host = {}
    if isinstance(node, int) and 0 <= node < len(hosts):
        host["host"] = plain(hosts[node], 40)
    # What a column of the layout says already is not said twice.
    attributes = {
        f"{name.replace('_', ' ')} seen" if name in FIELDS else name: plain(text, 80)
        for name, text in estimate.attributes.items()
        if str(getattr(layout, name, "")).lower() != text.lower()
    }
    return point_columns(estimate.point) | host | attributes


def _measured(one: Estimate) -> TableRow:
    return (
        value_text(one),
        result_interval_text(one),
        half_width_of(one),
        str(one.launches),
        f"{one.outliers:,} of {one.samples:,}",
    )


def _table_note(
    every: Sequence[Estimate], shown: Sequence[Estimate], constant: list[tuple[str, str]]
) -> str:
    parts = []
    if constant:
        same = ", ".join(f"{name} {text}" for name, text in constant)
        parts.append(f"The same in every row: {same}.")
    batches = [e.batch for e in shown if e.batch > 1]
    if batches:
        parts.append(
            f"{count_text(len(batches), 'result was', 'results were')} timed in batches of up to "
            f"{max(batches):,} events, because one event is too short for the clock."
        )
    below = sum(e.below_zero for e in every)
    if below:
        overheads = count_text(below, "overhead is", "overheads are")
        parts.append(
            f"{overheads} significantly below zero: the test was faster than its reference, by "
            "chance (1 in 40 of zero overheads) or because the reference is biased; the bound "
            "shown is the half width of the interval."
        )
    if len(shown) < len(every):
        parts.append(
            f"{len(shown):,} of {len(every):,} results are shown; "
            "`machmeter export RUN --format csv` writes all of them."
        )
    return " ".join(parts)


def noise_table(result: RunResult) -> Table:
    """OS noise by CPU, the most disturbed first."""
    worst_first = sorted(result.noise, key=lambda n: -n.p99_slowdown)
    shown = worst_first[:MAX_CPUS]
    left = len(worst_first) - len(shown)
    return Table(
        "OS noise: fixed-work intervals, timed on every CPU before and after the launches",
        ("host", "CPU", "intervals", "median", "99th percentile", "slowest", "detours"),
        tuple(
            (
                plain(n.host, 80),
                str(n.cpu),
                f"{n.quanta:,}",
                times_text(n.median_slowdown),
                times_text(n.p99_slowdown),
                times_text(n.worst_slowdown),
                f"{n.detours:,}",
            )
            for n in shown
        ),
        (1, 2, 3, 4, 5, 6),
        "Times are relative to the fastest tenth of the same CPU; a detour is an interval of more "
        f"than {DETOUR:g} times that. A launch times the CPUs that its threads run on: a CPU of "
        "more launches has more intervals."
        + (f" {left} CPUs with less noise are left out." if left else "")
        + _steal_text(result),
    )


def device_table(result: RunResult) -> Table:
    """The state of devices before and after points; without rows where none was measured."""
    return Table(
        "Devices before / after points",
        (
            *("benchmark", "device", "host CPUs", "points", "SM clock", "memory clock"),
            *("temperature", "power", "power limit", "mean power", "clock event reasons"),
        ),
        tuple(
            (
                plain(one.benchmark, 80),
                plain(one.device, 80),
                one.host_cpus.value,
                f"{one.points:,}",
                state_text(one, "sm_clock_hz"),
                state_text(one, "memory_clock_hz"),
                state_text(one, "temperature_celsius"),
                state_text(one, "power_w"),
                range_text(one.power_limit_w, "power_limit_w"),
                range_text(one.mean_power_w, "mean_power_w"),
                plain(reasons_text(one)) or "none known",
            )
            for one in result.device_uses or ()
        ),
        (3,),
        "From the least to the most over all points of accepted launches, read outside what is "
        "timed: before a point a device may be idle, and after it the check has ended. Mean power "
        "is energy over time of points that last a second or more, with their preparation and "
        "check. Host CPUs are near where Linux lists them beside the device (`local_cpulist`).",
    )


def _steal_text(result: RunResult) -> str:
    if not result.steal:
        return ""
    host, share = max(result.steal.items(), key=lambda item: item[1])
    taken = f" Steal: other guests took {100 * share:.1f} % of CPU time during launches"
    return f"{taken}." if len(result.steal) == 1 else f"{taken} on {plain(host, 80)}, the most."


def drift_table(result: RunResult) -> Table:
    """The reference kernel at the end of the run over that at its start."""
    rows = []
    for d in result.drift:
        value, interval = ratio_parts(d.ratio, d.low, d.high)
        times = (format_value(one, SECONDS) for one in (d.start_seconds, d.end_seconds))
        rows.append((d.part, *times, value, interval or NO_INTERVAL))
    return Table(
        "Drift: a reference kernel of fixed work at start and end of the run",
        ("part", "start", "end", "end over start", "95 % interval"),
        tuple(rows),
        (1, 2, 3, 4),
    )


def uncounted_table(result: RunResult) -> Table:
    """Launches that were not accepted, each with its reasons."""
    bad = [o for o in result.outcomes if o.verdict is not Verdict.ACCEPTED]
    shown = bad[:MAX_OUTCOMES]
    left = len(bad) - len(shown)
    return Table(
        "Launches not accepted",
        ("launch", "configuration", "verdict", "why", "exit code"),
        tuple(
            (
                str(o.launch),
                plain(o.spec, 120),
                o.verdict.value,
                plain("; ".join(o.reasons) or "no reason was recorded", 600),
                str(o.exit_code),
            )
            for o in shown
        ),
        (0, 4),
        f"{left} more are in the store." if left else "",
    )


def dropped_table(result: RunResult) -> Table:
    """Points of accepted launches that may not be used."""
    rows = [
        (plain(key, 200), str(o.launch), plain(why, 400))
        for o in result.outcomes
        for key, why in o.dropped_points.items()
    ]
    return Table(
        "Points discarded in accepted launches",
        ("point", "launch", "why"),
        tuple(rows[:MAX_OUTCOMES]),
        (1,),
    )


def skipped_table(result: RunResult) -> Table:
    """What was requested and cannot run on this machine."""
    return Table(
        "Requested, but not available on this machine",
        ("configuration", "reason"),
        tuple((plain(s.what, 200), plain(s.reason, 400)) for s in result.plan.skipped),
    )


def time_table(result: RunResult) -> Table:
    """How the wall time was spent."""
    use = result.time_use
    parts = (
        ("launches: timed parts", use.timed),
        ("launches: start, allocation, warm-up, checks", use.launches - use.timed),
        ("set-up, planning, statistics", use.wall - use.launches),
        ("whole run", use.wall),
    )
    whole = use.wall or 1.0
    return Table(
        "Wall time",
        ("part", "time", "share"),
        tuple((name, duration_text(s), f"{100 * s / whole:.0f} %") for name, s in parts),
        (1, 2),
    )


RUN_TABLES: tuple[Callable[[RunResult], Table], ...] = (
    uncounted_table,
    dropped_table,
    skipped_table,
)

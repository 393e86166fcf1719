"""Charts of OpenMP: constructs, array clauses, schedules, nested regions."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.model.layout import WaitPolicy
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import (
    positive,
    size,
    threads,
    usual,
    usually_bound,
    values_of,
)
from machmeter.report.drawing.axes import log_axis, size_axis, thread_axis
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.heat import multiples
from machmeter.report.drawing.panel import Panel, stack
from machmeter.report.drawing.panels import curves, dots, scaled_rows
from machmeter.text.layouts import binding_text, split_text, threads_text
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

_BOUNDS = "Test minus reference, paired. Arrow: an upper bound, the overhead is below resolution."


_NESTS = {"inner-parallel": "inner parallel region", "inner-barrier": "inner barrier"}


_LEFT_OUT = "Overheads below resolution are left out; the table has their bounds."


def sync_charts(section: Section) -> list[Chart]:
    """Every construct on all threads; runtimes and bindings side by side; over threads."""
    estimates = section.estimates
    plain_ones = usual(estimates)
    charts = [_constructs(extreme(plain_ones, "threads"))]
    everywhere = extreme(estimates, "threads")
    if len({_runtime(e) for e in everywhere}) > 1:
        charts.append(_side_by_side(usually_bound(everywhere), "runtimes", "OpenMP runtime"))
    bound = [e for e in everywhere if _runtime(e) == _runtime(plain_ones[0])]
    if len({e.point.layout.binding for e in bound}) > 1:
        charts.append(_side_by_side(bound, "bindings", "binding"))
    if len({threads(e) for e in positive(plain_ones)}) > 2:
        charts.append(_over_threads(plain_ones))
    return charts


def _construct(estimate: Estimate) -> str:
    return str(value_of(estimate, "construct"))


def _policy(estimate: Estimate) -> str:
    return f"{estimate.point.layout.wait_policy.value} wait"


def _runtime(estimate: Estimate) -> str:
    return plain(estimate.point.layout.openmp, 40) or "as linked"


def _bound(estimate: Estimate) -> str:
    return binding_text(estimate.point.layout.binding)


def _constructs(estimates: tuple[Estimate, ...]) -> Chart:
    scaled = scaled_rows(estimates, _construct, _policy)
    policies = list(dict.fromkeys(_policy(e) for e in estimates))
    rows = [row for row in scaled.rows if row["low"] > 0]
    x = log_axis(f"overhead, {scaled.symbol}", rows)
    return draw(
        "threads-sync-constructs",
        f"Overhead by construct, {count_text(threads(estimates[0]), 'thread', 'threads')}",
        "Overhead of each OpenMP construct on a logarithmic axis with 95 % intervals, for each "
        "wait policy.",
        dots(rows, x, values_of(estimates, "construct"), policies),
        _BOUNDS,
    )


def _side_by_side(estimates: Sequence[Estimate], name: str, what: str) -> Chart:
    """Constructs by runtime or binding, one panel a wait policy."""
    choose = _runtime if name == "runtimes" else _bound
    names = list(dict.fromkeys(choose(e) for e in estimates))
    panels = []
    for policy in dict.fromkeys(_policy(e) for e in estimates):
        found = [e for e in estimates if _policy(e) == policy]
        scaled = scaled_rows(found, _construct, choose)
        rows = [row for row in scaled.rows if row["low"] > 0]
        x = log_axis(f"overhead, {policy}, {scaled.symbol}", rows)
        panels.append(dots(rows, x, values_of(found, "construct"), names))
    every = count_text(threads(estimates[0]), "thread", "threads")
    return draw(
        f"threads-sync-{name}",
        f"Overhead by construct and {what}, {every}",
        f"Overhead of each OpenMP construct on a logarithmic axis with 95 % intervals, for each "
        f"{what}; one panel a wait policy.",
        stack(*panels),
        _BOUNDS,
    )


def _over_threads(estimates: Sequence[Estimate]) -> Chart:
    drawn = sorted(positive(estimates), key=threads)
    scaled = scaled_rows(drawn, threads, _policy)
    rows = [row | {"panel": _construct(e)} for row, e in zip(scaled.rows, drawn, strict=True)]
    seen = {e.point.layout.wait_policy for e in drawn}
    policies = [f"{policy.value} wait" for policy in WaitPolicy if policy in seen]
    x = thread_axis([threads(e) for e in drawn])
    y = log_axis(f"overhead, {scaled.symbol}", rows)
    return draw(
        "threads-sync-threads",
        "Overhead over threads",
        "Overhead of each OpenMP construct over the number of threads on logarithmic axes with "
        "95 % bands, a small panel a construct, one curve a wait policy.",
        multiples(rows, x, y, values_of(estimates, "construct"), policies),
        f"All panels have the same axes. {_LEFT_OUT}",
    )


def array_charts(section: Section) -> list[Chart]:
    """Overhead over the size of the array, one curve a clause, on all threads."""
    found = positive(usual(extreme(section.estimates, "threads")))
    if not found:
        return []
    ordered = sorted(found, key=size)
    scaled = scaled_rows(ordered, size, lambda e: str(value_of(e, "clause")))
    x = size_axis([size(e) for e in ordered], "array of each thread")
    y = log_axis(f"overhead, {scaled.symbol}", scaled.rows)
    return [
        draw(
            "threads-arrays",
            f"Overhead of array clauses, {count_text(threads(found[0]), 'thread', 'threads')}",
            "Overhead of a region that gives each thread its own array, over the size of the "
            "array on logarithmic axes with 95 % bands, one curve a clause.",
            curves(scaled.rows, x, y, values_of(section.estimates, "clause")),
            _LEFT_OUT,
        )
    ]


def schedule_charts(section: Section) -> list[Chart]:
    """Cost of one iteration by schedule and chunk, for each number of threads."""
    found = usual(section.estimates)
    if not found:
        return []
    scaled = scaled_rows(found, _handed_out, _threads)
    rows = [row for row in scaled.rows if row["low"] > 0]
    names = list(dict.fromkeys(_threads(e) for e in found))
    return [
        draw(
            "threads-schedule",
            "Overhead of one iteration by schedule",
            "Overhead of one iteration of a parallel loop on a logarithmic axis with 95 % "
            "intervals, for each schedule and chunk size and each number of threads.",
            dots(
                rows,
                log_axis(f"overhead of one iteration, {scaled.symbol}", rows),
                list(dict.fromkeys(_handed_out(e) for e in found)),
                names,
            ),
            _BOUNDS,
        )
    ]


def _handed_out(estimate: Estimate) -> str:
    schedule, chunk = value_of(estimate, "schedule"), value_of(estimate, "chunk")
    return f"{schedule}, chunk {chunk}" if chunk else str(schedule)


def _threads(estimate: Estimate) -> str:
    return threads_text(estimate.point.layout)


def nested_charts(section: Section) -> list[Chart]:
    """Every split of all cores, by binding; one panel a runtime, one chart a construct."""
    widest = extreme(section.estimates, "threads")
    bindings = list(dict.fromkeys(_bound(e) for e in widest))
    charts = []
    for construct in values_of(widest, "construct"):
        panels: list[Panel] = []
        of_construct = where(widest, "construct", construct)
        for runtime in dict.fromkeys(_runtime(e) for e in of_construct):
            found = [e for e in of_construct if _runtime(e) == runtime]
            scaled = scaled_rows(found, _teams, _bound)
            rows = [row for row in scaled.rows if row["low"] > 0]
            x = log_axis(f"OpenMP {runtime}, {scaled.symbol}", rows)
            splits = list(dict.fromkeys(_teams(e) for e in found))
            panels.append(dots(rows, x, splits, bindings))
        name = _NESTS.get(construct, construct)
        charts.append(
            draw(
                f"threads-nested-{construct}",
                f"Overhead of an {name} by split",
                f"Overhead of an {name} on a logarithmic axis with 95 % intervals, for each split "
                "of all cores into outer x inner threads and each binding; one panel a runtime.",
                stack(*panels),
                _BOUNDS,
            )
        )
    return charts


def _teams(estimate: Estimate) -> str:
    return split_text(estimate.point.layout)

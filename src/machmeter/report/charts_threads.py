"""Charts of `threads.sync`: overhead by construct, and over threads."""

from __future__ import annotations

from machmeter.model.estimate import Estimate
from machmeter.model.layout import WaitPolicy
from machmeter.model.run import RunResult
from machmeter.report.drawing import Chart, draw
from machmeter.report.figures import most_threads, parameter
from machmeter.report.panels import curves, dots, log_axis, log_x, scaled_rows, stack, thread_axis
from machmeter.report.words import count_text


def sync_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Every construct on all threads; over threads where three counts or more were measured."""
    charts = [_constructs(most_threads(estimates))]
    if len({_threads(e) for e in estimates}) > 2:
        charts.append(_over_threads(estimates))
    return charts


def _construct(estimate: Estimate) -> str:
    return str(parameter(estimate, "construct"))


def _policy(estimate: Estimate) -> str:
    return f"{estimate.point.layout.wait_policy.value} wait"


def _threads(estimate: Estimate) -> int:
    return estimate.point.layout.threads


def _constructs(estimates: tuple[Estimate, ...]) -> Chart:
    scaled = scaled_rows(estimates, _construct, _policy)
    constructs = list(dict.fromkeys(_construct(e) for e in estimates))
    policies = list(dict.fromkeys(_policy(e) for e in estimates))
    rows = [row for row in scaled.rows if row["low"] > 0]
    x = log_x(f"overhead, {scaled.symbol}", rows)
    return draw(
        "threads-sync-constructs",
        f"Overhead by construct, {count_text(_threads(estimates[0]), 'thread', 'threads')}",
        "Overhead of each OpenMP construct on a logarithmic axis with 95 % intervals, for each "
        "wait policy.",
        dots(rows, x, constructs, policies),
        "Test minus reference, paired. Arrow: an upper bound, the overhead is not resolved.",
    )


def _over_threads(estimates: tuple[Estimate, ...]) -> Chart:
    constructs = list(dict.fromkeys(_construct(e) for e in estimates))
    panels = []
    for policy in WaitPolicy:
        known = [e for e in estimates if e.point.layout.wait_policy is policy and e.resolved]
        drawn = [e for e in known if e.low > 0]
        if not drawn:
            continue
        scaled = scaled_rows(drawn, _threads, _construct)
        title = f"{policy.value} wait, {scaled.symbol}"
        x = thread_axis([_threads(e) for e in drawn])
        panels.append(curves(scaled.rows, x, log_axis(title, scaled.rows), constructs, height=220))
    return draw(
        "threads-sync-threads",
        "Overhead over threads",
        "Overhead of each OpenMP construct over the number of threads on logarithmic axes with "
        "95 % bands, one panel a wait policy.",
        stack(*panels),
        "Overheads that are not resolved are left out; the table has their bounds.",
    )

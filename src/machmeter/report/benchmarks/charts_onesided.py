"""Charts of one-sided operations, by MPI and by OpenSHMEM: time, bandwidth, rate."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.charts_collectives import operation_of
from machmeter.report.benchmarks.curve_charts import Words, curve_chart, multiple_chart
from machmeter.report.benchmarks.selection import (
    first_choices,
    number,
    of_metric,
    parameter,
    plain_choices,
    positive,
    size,
    size_phrase,
)
from machmeter.report.drawing.axes import log_x
from machmeter.report.drawing.chart import Chart, draw
from machmeter.report.drawing.panels import Panel, dots, scaled_rows, stack
from machmeter.text.labels import (
    OUTSTANDING,
    RANKS,
    SIZE,
    Name,
    distinguishing_label,
    few,
    names_of,
)

_SYNCHRONIZED = ("operation", "synchronization", "window", "target")


def transfer_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of the smallest, bandwidth over the size, rate over what is outstanding."""
    benchmark = estimates[0].point.benchmark.replace(".", "-")
    smallest = min(map(size, estimates), default=0)
    small = [e for e in estimates if size(e) == smallest]
    plain = plain_choices(estimates, "operation")
    words = Words(
        f"{benchmark}-bandwidth",
        "One-sided bandwidth by size",
        "Bandwidth over the size of one operation, with the most operations outstanding, on "
        "logarithmic axes; below, the 95 % interval in percent of the value.",
        "bandwidth",
    )
    many = _most_outstanding(of_metric(plain, "bandwidth"))
    return [
        *_times(benchmark, small, size_phrase(small[0])),
        *curve_chart(words, many, SIZE),
        *_rates(benchmark, of_metric(plain, "rate")),
    ]


def atomic_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of one operation by itself, and rate over what is outstanding."""
    benchmark = estimates[0].point.benchmark.replace(".", "-")
    plain = plain_choices(estimates, "operation")
    return [*_times(benchmark, estimates, ""), *_rates(benchmark, of_metric(plain, "rate"))]


def shmem_alltoall_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of an all-to-all by size, a curve for each number of processing elements."""
    words = Words(
        "shmem-alltoall",
        "OpenSHMEM all-to-all by size",
        "Time of the slowest processing element in an all-to-all over the bytes for each peer on "
        "logarithmic axes; below, the 95 % interval in percent of the value.",
        "slowest",
    )
    injected = Words(
        "shmem-alltoall-injection",
        "OpenSHMEM all-to-all: injected by each node",
        "Bytes per second that each node injects over the number of processing elements on "
        "logarithmic axes; below, the 95 % interval in percent of the value.",
        "injected by each node",
    )
    return [
        *curve_chart(words, of_metric(estimates, "time"), SIZE),
        *curve_chart(injected, of_metric(estimates, "injection"), RANKS),
    ]


def _most_outstanding(estimates: Sequence[Estimate]) -> list[Estimate]:
    most = max((number(e, "outstanding") for e in estimates), default=0)
    return [e for e in estimates if number(e, "outstanding") == most]


def _times(benchmark: str, estimates: Sequence[Estimate], at: str) -> list[Chart]:
    """Time until one operation is complete: a line a case, a panel for what the target does."""
    alone = [e for e in positive(of_metric(estimates, "time")) if number(e, "outstanding") <= 1]
    kept, left = few(alone, distinguishing_label(alone, but=_SYNCHRONIZED))
    if not kept:
        return []
    name = distinguishing_label(kept, but=_SYNCHRONIZED)
    case = _case_of(kept)
    panels: list[Panel] = []
    targets = list(dict.fromkeys(parameter(e, "target") for e in kept))
    for target in targets:
        found = [e for e in kept if parameter(e, "target") == target]
        scaled = scaled_rows(found, case, name)
        of_target = f", target {target}" if len(targets) > 1 else ""
        x = log_x(f"time{of_target}, {scaled.symbol}", scaled.rows)
        panels.append(dots(scaled.rows, x, names_of(found, case), names_of(kept, name)))
    sized = f", {at}" if at else ""
    text = (
        "Time until one operation is complete, for each operation and way to synchronize, with "
        "95 % intervals."
    )
    title = f"One operation by itself{sized}"
    note = f"With one operation outstanding. {left}".strip()
    return [draw(f"{benchmark}-time", title, text, stack(*panels), note)]


def _case_of(estimates: Sequence[Estimate]) -> Name:
    """Operation, with how it is synchronized where that differs, and windows that are not plain."""
    synchronized = len({parameter(e, "synchronization") for e in estimates}) > 1
    plain = first_choices(estimates[0].point.benchmark).get("window")

    def case(estimate: Estimate) -> str:
        window = parameter(estimate, "window")
        parts = (
            operation_of(estimate),
            str(parameter(estimate, "synchronization")) if synchronized else "",
            "" if window in {None, plain} else f"{window} window",
        )
        return ", ".join(part for part in parts if part)

    return case


def _rates(benchmark: str, rates: Sequence[Estimate]) -> list[Chart]:
    """Rate over what is outstanding, a panel a size, where there are sizes."""
    words = Words(
        f"{benchmark}-rate",
        "Operation rate by operations outstanding",
        "Operations per second over the number of operations begun before their completion is "
        "waited for, a small panel an operation, with 95 % bands.",
        "rate",
    )
    smallest = min(map(size, rates), default=0)
    found = [e for e in rates if size(e) == smallest]
    return multiple_chart(words, found, OUTSTANDING, operation_of, ("operation",))

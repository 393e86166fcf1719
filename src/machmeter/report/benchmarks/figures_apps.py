"""The figures of the applications and of sparse linear algebra that matter."""

from __future__ import annotations

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.figure import Headline, figure
from machmeter.report.benchmarks.selection import (
    best,
    most_threads,
    of_metric,
    parameter,
    threads,
    where,
)


def spmv(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The rate with uneven rows on all threads, shared out as usual and balanced."""
    rates = most_threads(of_metric(estimates, "flops"))
    uneven = where(rates, "matrix", "power-law") or rates
    figures = []
    for schedule in ("static", "balanced"):
        found = best(where(uneven, "schedule", schedule))
        figures += figure(f"SpMV, {schedule}", found, ("schedule", "nonzeros"))
    return figures or figure("SpMV", best(rates))


def application(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """The largest problem on one thread, and under the best layout of all threads."""
    times = of_metric(estimates, "time")
    largest = [e for e in times if problem(e) == max(map(problem, times))]
    title = estimates[0].point.benchmark.partition(".")[2].capitalize()
    alone = best(e for e in largest if threads(e) == 1)
    fastest = best(largest)
    figures = figure(f"{title}, best split", fastest, _WITHOUT)
    if alone != fastest:
        figures += figure(f"{title}, one thread", alone, _WITHOUT)
    return figures


_WITHOUT = ("images", "cells")


def problem(estimate: Estimate) -> tuple[int, ...]:
    """How much work a point of an application is, to be compared within one application."""
    amounts = (parameter(estimate, n) for n in ("queries", "images", "derivatives", "cells"))
    return tuple(amount for amount in amounts if isinstance(amount, int))

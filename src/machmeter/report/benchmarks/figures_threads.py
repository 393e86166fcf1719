"""The figures of the thread benchmarks that matter, without those over pairs of cores."""

from __future__ import annotations

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.figure import Headline, figure
from machmeter.report.benchmarks.selection import best, most_threads, parameter, size, usual, where
from machmeter.text.labels import point_label
from machmeter.text.layouts import layout_text


def sync(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """A barrier of all threads, by wait policy."""
    everywhere = usual(most_threads(estimates))
    figures = []
    for one in where(everywhere, "construct", "barrier") or everywhere[:1]:
        text = f"{layout_text(one.point.layout)}, {one.point.layout.wait_policy.value} wait"
        construct = parameter(one, "construct") or one.title
        figures.append(Headline(f"{construct} overhead".capitalize(), text, one))
    return figures


def arrays(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """A copy of the largest array for each of all threads."""
    everywhere = usual(most_threads(estimates))
    copies = where(everywhere, "clause", "firstprivate") or everywhere
    largest = max(copies, key=size, default=None)
    return figure("Private copy of an array", largest)


def schedule(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """An iteration handed out by itself, statically and dynamically."""
    everywhere = usual(most_threads(estimates))
    single = where(everywhere, "chunk", 1) or everywhere
    figures = []
    for kind in ("static", "dynamic"):
        for found in where(single, "schedule", kind)[:1]:
            figures += figure(f"Iteration, {kind}", found, ("schedule",))
    return figures


def nested(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """An inner region on all threads: with the runtime as linked, and the cheapest."""
    regions = where(estimates, "construct", "inner-parallel") or estimates
    nesting = [e for e in most_threads(regions) if e.point.layout.inner_threads > 1]
    if not nesting:
        return []
    linked = usual([e for e in nesting if not e.point.layout.openmp])
    first = linked[0] if linked else None
    fastest = best(nesting)
    figures = figure("Inner region, runtime as linked", first, ("construct",))
    if fastest and fastest != first:
        text = point_label(fastest, ("construct",))
        figures.append(Headline("Inner region, cheapest", text, fastest))
    return figures

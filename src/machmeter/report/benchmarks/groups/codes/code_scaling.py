"""A code of a set over the threads of one process."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.scaling.series import grows_with_threads
from machmeter.analysis.scaling.steps import gain_of, times
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Benchmark
from machmeter.model.interval import Interval
from machmeter.model.layout import Binding
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import Problem
from machmeter.report.benchmarks.selection import of_metric
from machmeter.text.layouts import binding_text

_BINDINGS = (Binding.CLOSE, Binding.SPREAD)


class CodeScaling(Struct, frozen=True):
    """One code of a set under one binding, over threads."""

    name: str
    """Of the benchmark."""
    title: str
    """Of the benchmark."""
    stands_for: str
    """The kind of program that it stands for."""
    binding: Binding
    """Where its threads are."""
    problem: Problem
    """Whether its work grows with them."""
    rates: tuple[Estimate, ...]
    """By rising number of threads."""

    @property
    def threads(self) -> tuple[int, ...]:
        """Their numbers."""
        return tuple(one.point.layout.threads for one in self.rates)

    @property
    def placed(self) -> str:
        """Where its threads are, and that its work grows with them where it does."""
        return binding_text(self.binding) + ", weak" * (self.problem is Problem.GROWING)

    @property
    def efficiencies(self) -> tuple[Interval, ...]:
        """Rate over that of the fewest threads, over the ratio of their numbers."""
        base = self.rates[0]
        fewest = base.point.layout.threads
        return (
            Interval(1.0, 1.0, 1.0),
            *(
                times(gain_of(one, base).ratio, fewest / one.point.layout.threads)
                for one in self.rates[1:]
            ),
        )


def scalings_of(
    name: str, estimates: Sequence[Estimate], own: Sequence[Benchmark]
) -> list[CodeScaling]:
    """A code over the threads of one process, for each problem and binding; none of fewer than two
    numbers of threads. own: benchmarks that a study has of its own."""
    declared = known(name, own)
    if declared is None:
        return []
    mine = [one for one in estimates if one.point.benchmark == name and one.resolved]
    # Lines are of points that differ in their threads alone.
    works: dict[Problem, dict[Hashable, list[Estimate]]] = {}
    for one in of_metric(mine, "rate"):
        if one.point.layout.ranks == 1:
            grows = grows_with_threads(one.point)
            problem = Problem.GROWING if grows else Problem.FIXED
            of_problem = works.setdefault(problem, {})
            layout = replace(one.point.layout, threads_per_rank=1, binding=Binding.CLOSE)
            equal = (one.point.parameters, layout, one.point.variant)
            of_problem.setdefault(equal, []).append(one)
    return [
        CodeScaling(name, declared.title, declared.stands_for, binding, problem, over_threads)
        for problem, of_problem in works.items()
        for binding in _BINDINGS
        if len(over_threads := _over_threads(max(of_problem.values(), key=len), binding)) > 1
    ]


def _over_threads(rates: Sequence[Estimate], binding: Binding) -> tuple[Estimate, ...]:
    """By rising number of threads; one thread is the same under every binding."""
    by_threads: dict[int, Estimate] = {}
    for one in sorted(rates, key=lambda rate: rate.point.layout.binding is not binding):
        layout = one.point.layout
        if layout.binding is binding or layout.threads == 1:
            by_threads.setdefault(layout.threads, one)
    return tuple(by_threads[threads] for threads in sorted(by_threads))

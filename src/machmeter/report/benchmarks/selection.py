"""Picking estimates: of one benchmark, one metric, one parameter value; the best, the widest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import Direction
from machmeter.model.layout import BASE_PAGE, Binding, ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes, is_unbounded


def estimates_of(result: RunResult, benchmark: str, metric: str = "") -> tuple[Estimate, ...]:
    """The estimates of one benchmark (and metric), in the order of the run."""
    return tuple(
        e for e in result.estimates if e.point.benchmark == benchmark and metric in {"", e.metric}
    )


def of_metric(estimates: Iterable[Estimate], name: str) -> tuple[Estimate, ...]:
    """Those of one metric."""
    return tuple(e for e in estimates if e.metric == name)


def where(estimates: Iterable[Estimate], name: str, *values: object) -> tuple[Estimate, ...]:
    """Those whose parameter `name` has one of the values."""
    return tuple(e for e in estimates if parameter(e, name) in values)


def parameter(estimate: Estimate, name: str) -> str | int | None:
    """A parameter's value, None where the point has none of that name."""
    return dict(estimate.point.parameters).get(name)


def number(estimate: Estimate, name: str) -> int:
    """A parameter that is a number; 0 where the point has none of that name."""
    value = parameter(estimate, name)
    return value if isinstance(value, int) else 0


def size(estimate: Estimate) -> int:
    """The parameter `size`, bytes; 0 where the point has none."""
    return number(estimate, "size")


def threads(estimate: Estimate) -> int:
    """Threads of the estimate's layout, those of inner teams included."""
    return estimate.point.layout.threads


def size_phrase(estimate: Estimate) -> str:
    """The parameter `size` in words: `64 KiB`."""
    return format_bytes(size(estimate))


def fewest_ranks(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those that ran on the fewest ranks, whatever the number of nodes."""
    every = tuple(estimates)
    fewest = min((e.point.layout.ranks for e in every), default=0)
    return tuple(e for e in every if e.point.layout.ranks == fewest)


def values_of(estimates: Iterable[Estimate], name: str) -> list[str]:
    """The values of a parameter as text, each once, in the order of the run."""
    return list(dict.fromkeys(str(parameter(e, name)) for e in estimates))


def positive(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those that a logarithmic axis can show with their intervals: resolved, above zero."""
    return tuple(
        e for e in estimates if e.resolved and e.value > 0 and (e.low > 0 or is_unbounded(e.high))
    )


def best(estimates: Iterable[Estimate]) -> Estimate | None:
    """The best one by its metric's direction; unresolved ones do not count."""
    known = [e for e in estimates if e.resolved]
    if not known:
        return None
    higher = known[0].direction is Direction.HIGHER
    return (max if higher else min)(known, key=lambda e: e.value)


def most_threads(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those that ran on the most threads."""
    every = tuple(estimates)
    most = max((threads(e) for e in every), default=0)
    return tuple(e for e in every if threads(e) == most)


def usual(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those under the plainest layout that is among them.

    Base pages, the runtime and the allocator as linked, all packages, progress left to the MPI
    library, threads close: where none has one of these, the first value found takes its place.
    """
    found = _preferring(estimates, lambda e: e.point.layout.page_bytes, BASE_PAGE)
    found = _preferring(found, lambda e: e.point.layout.openmp, "")
    found = _preferring(found, lambda e: e.point.layout.allocator, "")
    found = _preferring(found, lambda e: e.point.layout.package, -1)
    found = _preferring(found, lambda e: e.point.layout.progress, ProgressMode.LIBRARY)
    return usually_bound(found)


def usually_bound(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those bound close, or as the first of them is."""
    return _preferring(estimates, lambda e: e.point.layout.binding, Binding.CLOSE)


def plain_choices(estimates: Sequence[Estimate], *but: str) -> tuple[Estimate, ...]:
    """Those with the catalogue's first value of every parameter that is a choice.

    Parameters named in `but` keep all their values; where no estimate has the first value, the
    first one found takes its place.
    """
    found = tuple(estimates)
    for name, first in first_choices(found[0].point.benchmark if found else "").items():
        if name not in but:
            found = _preferring(found, lambda e: parameter(e, name), first)  # noqa: B023
    return found


def first_choices(benchmark: str) -> dict[str, object]:
    """By parameter; of a benchmark that the catalogue lacks (of another version) none."""
    for known in BENCHMARKS:
        if known.name == benchmark:
            return {p.name: p.values[0] for p in known.parameters if p.choices}
    return {}


def _preferring(
    estimates: Sequence[Estimate], choose: Callable[[Estimate], object], wanted: object
) -> tuple[Estimate, ...]:
    values = list(dict.fromkeys(choose(e) for e in estimates))
    kept = wanted if wanted in values else next(iter(values), wanted)
    return tuple(e for e in estimates if choose(e) == kept)

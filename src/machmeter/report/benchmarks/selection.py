"""Picking estimates: of one benchmark, one metric, one parameter value; the best, the widest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from machmeter.analysis.stats.fields import extreme, value_of, where
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Direction, Value
from machmeter.model.display import LayoutFilter, Selection
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Binding, ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import BUS_BYTES_PER_SECOND, Unit
from machmeter.report.views.axis import number

SMALL_MESSAGE = 8
_PLAINEST: tuple[tuple[str, Value], ...] = (
    ("page_bytes", BASE_PAGE),
    ("openmp", ""),
    ("allocator", ""),
    ("package", -1),
    ("progress", ProgressMode.LIBRARY),
)


def estimates_of(result: RunResult, benchmark: str, metric: str = "") -> tuple[Estimate, ...]:
    """The estimates of one benchmark (and metric), in the order of the run."""
    return tuple(
        e for e in result.estimates if e.point.benchmark == benchmark and metric in {"", e.metric}
    )


def of_metric(estimates: Iterable[Estimate], name: str) -> tuple[Estimate, ...]:
    """Those of one metric."""
    return tuple(e for e in estimates if e.metric == name)


def of_unit(estimates: Iterable[Estimate], unit: Unit) -> tuple[Estimate, ...]:
    """Those of one unit."""
    return tuple(e for e in estimates if e.unit == unit)


def memory_traffic(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Rates on the memory bus, of the largest arrays: smaller ones may be in a cache."""
    return extreme(of_unit(estimates, BUS_BYTES_PER_SECOND), "size")


def size(estimate: Estimate) -> int:
    """The parameter `size`, bytes; 0 where the point has none."""
    return number(estimate, "size")


def threads(estimate: Estimate) -> int:
    """Threads of the estimate's layout, those of inner teams included."""
    return estimate.point.layout.threads


def values_of(estimates: Iterable[Estimate], name: str) -> list[str]:
    """The values of a parameter as text, each once, in the order of the run."""
    return list(dict.fromkeys(str(value_of(e, name)) for e in estimates))


def positive(estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Those that a logarithmic axis can show with their intervals: resolved, above zero."""
    return tuple(
        e for e in estimates if e.resolved and e.value > 0 and (e.low > 0 or not e.is_bounded)
    )


def best(estimates: Iterable[Estimate]) -> Estimate | None:
    """The best one by its metric's direction; those below resolution do not count."""
    known = [e for e in estimates if e.resolved]
    if not known:
        return None
    higher = known[0].direction is Direction.HIGHER
    return (max if higher else min)(known, key=lambda e: e.value)


def usual(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those under the plainest layout that is among them.

    Base pages, the runtime and the allocator as linked, all packages, progress left to the MPI
    library, threads close: where none has one of these, the first value found takes its place.
    """
    found = tuple(estimates)
    for name, plain in _PLAINEST:
        found = _preferring(found, name, plain)
    return usually_bound(found)


def usually_bound(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those bound close, or as the first of them is."""
    return _preferring(estimates, "binding", Binding.CLOSE)


def plain_choices(estimates: Sequence[Estimate], *but: str) -> tuple[Estimate, ...]:
    """Those with the catalogue's first value of every parameter that is a choice.

    Parameters named in `but` keep all their values; where no estimate has the first value, the
    first one found takes its place.
    """
    found = tuple(estimates)
    for name, first in first_choices(found[0].point.benchmark if found else "").items():
        if name not in but:
            found = _preferring(found, name, first)
    return found


def first_choices(benchmark: str) -> dict[str, Value]:
    """By parameter; of a benchmark that the catalogue lacks (of another version) none."""
    declared = known(benchmark)
    return {p.name: p.values[0] for p in declared.parameters if p.choices} if declared else {}


def select(estimates: Sequence[Estimate], chosen: Selection) -> tuple[Estimate, ...]:
    """What a declaration selects, before it is narrowed to the largest or smallest."""
    found = tuple(estimates)
    if not found:
        return ()
    declared = known(found[0].point.benchmark)
    metrics = chosen.metrics or (declared.metrics[0].name if declared else found[0].metric,)
    found = tuple(e for e in found if e.metric in metrics)
    for name, value in chosen.where:
        found = where(found, name, value)
    for name, value in chosen.prefer:
        found = where(found, name, value) or found
    for one in chosen.layouts:
        found = _LAYOUTS[one](found)
    return plain_choices(found, *chosen.vary) if chosen.plain else found


def narrowed(estimates: Sequence[Estimate], chosen: Selection) -> tuple[Estimate, ...]:
    """Of what was selected the largest, smallest or small points, as declared."""
    found = tuple(estimates)
    for names, choose in ((chosen.largest, max), (chosen.smallest, min)):
        for name in names:
            found = extreme(found, name, choose)
    if chosen.small:
        sizes = {size(e) for e in found if value_of(e, "size") != ""}
        wanted = min((s for s in sizes if s >= SMALL_MESSAGE), default=max(sizes, default=0))
        found = where(found, "size", wanted) if sizes else found
    return found


_LAYOUTS: dict[LayoutFilter, Callable[[Sequence[Estimate]], tuple[Estimate, ...]]] = {
    LayoutFilter.MOST_THREADS: lambda found: extreme(found, "threads"),
    LayoutFilter.ONE_THREAD: lambda found: where(found, "threads", 1),
    LayoutFilter.NESTED: lambda found: tuple(e for e in found if e.point.layout.inner_threads > 1),
    LayoutFilter.MOST_RANKS: lambda found: extreme(found, "ranks"),
    LayoutFilter.FEWEST_RANKS: lambda found: extreme(found, "ranks", min),
    LayoutFilter.USUAL: usual,
    LayoutFilter.NO_HUGE_PAGES: lambda found: tuple(
        e for e in found if e.point.layout.page_bytes != HUGE_PAGE
    ),
    LayoutFilter.LINKED_RUNTIME: lambda found: where(found, "openmp", ""),
    LayoutFilter.LINKED_ALLOCATOR: lambda found: where(found, "allocator", "") or tuple(found),
}


def _preferring(estimates: Sequence[Estimate], name: str, wanted: Value) -> tuple[Estimate, ...]:
    """Those with the value that is wanted, or the first one that is among them."""
    values = [value_of(e, name) for e in estimates]
    return where(estimates, name, wanted if wanted in values else next(iter(values), wanted))

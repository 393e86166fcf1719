"""Picking estimates: of one benchmark, one metric, one parameter value; the best, the widest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from machmeter.model.benchmark import Direction
from machmeter.model.estimate import Estimate
from machmeter.model.layout import BASE_PAGE, Binding
from machmeter.model.run import RunResult
from machmeter.model.units import is_unbounded
from machmeter.report.words import layout_text, parameter_text


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

    Base pages, the runtime and the allocator as linked, threads close: where none has one of
    these, the first value found takes its place.
    """
    found = _preferring(estimates, lambda e: e.point.layout.page_bytes, BASE_PAGE)
    found = _preferring(found, lambda e: e.point.layout.openmp, "")
    found = _preferring(found, lambda e: e.point.layout.allocator, "")
    return usually_bound(found)


def usually_bound(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Those bound close, or as the first of them is."""
    return _preferring(estimates, lambda e: e.point.layout.binding, Binding.CLOSE)


def _preferring(
    estimates: Sequence[Estimate], choose: Callable[[Estimate], object], wanted: object
) -> tuple[Estimate, ...]:
    values = list(dict.fromkeys(choose(e) for e in estimates))
    kept = wanted if wanted in values else next(iter(values), wanted)
    return tuple(e for e in estimates if choose(e) == kept)


def circumstances(estimate: Estimate, without: tuple[str, ...] = ()) -> str:
    """Parameters and layout of an estimate in one phrase: `triad, nontemporal, 2 threads`."""
    parts = [
        _parameter_phrase(name, value)
        for name, value in estimate.point.parameters
        if name not in without
    ]
    return ", ".join([*parts, layout_text(estimate.point.layout)])


def _parameter_phrase(name: str, value: str | int) -> str:
    text = parameter_text(name, value)
    return text if isinstance(value, str) or name == "size" else f"{name} {text}"

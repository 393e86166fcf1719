"""Labels of results: parameters and layout as text, and what distinguishes some from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.explore import OF_DESCRIPTION
from machmeter.model.benchmark import Value
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.text.layouts import layout_columns, layout_phrases, layout_text, ranks_text
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain


def parameter_text(name: str, value: Value) -> str:
    """A parameter's value; sizes (in bytes) with their binary prefix."""
    if name == "size" and isinstance(value, int):
        return format_bytes(value)
    return plain(str(value), 80)


# Parameters of one name read alike, those that are numbers and those that are text.
_DECLARED = {
    (parameter.name, parameter.kind.is_number): parameter
    for parameter in (*(one for b in BENCHMARKS for one in b.parameters), OF_DESCRIPTION)
}


def parameter_phrase(name: str, value: Value) -> str:
    """A parameter as text that stands without its name: `window 64`, `hot buffers`."""
    text = parameter_text(name, value)
    declared = _DECLARED.get((name, isinstance(value, int)))
    if declared and declared.counted[0] and isinstance(value, int):
        return count_text(value, *declared.counted)
    if declared and declared.phrase:
        return declared.phrase.format(text)
    named = isinstance(value, str) or name == "size"
    return text if named else f"{name.replace('_', ' ')} {text}"


def point_label(
    estimate: Estimate, without: tuple[str, ...] = (), *, of_ranks: bool = False
) -> str:
    """Parameters and layout of an estimate in one phrase: `triad, nontemporal, 2 threads`;
    of_ranks: as of `layout_text`."""
    parts = [
        parameter_phrase(name, value)
        for name, value in estimate.point.parameters
        if name not in without
    ]
    point = estimate.point
    return ", ".join([*parts, layout_text(point.layout, point.variant, of_ranks=of_ranks)])


Name = Callable[[Estimate], str]


def point_columns(point: Point) -> dict[str, str]:
    """Every parameter and part of the layout as text, by the names that tables have for them.

    A parameter may have the name of a part of the layout, and says more (`pages`).
    """
    own = {name: parameter_text(name, value) for name, value in point.parameters}
    layout = layout_columns(point.layout, point.variant)
    return own | {name: text for name, text in layout.items() if name not in own}


def distinguishing_label(
    estimates: Iterable[Estimate], without: Iterable[str] = (), alone: str | None = None
) -> Name:
    """Names each result by what varies among `estimates`, by the names of `point_columns`.

    without: what does not count. Where nothing varies, `alone` is the name, or the number of ranks
    and nodes.
    """
    every = [point_phrases(e.point) for e in estimates]
    left_out = set(without)
    names = dict.fromkeys(name for known in every for name in known if name not in left_out)
    varying = [n for n in names if len({known.get(n) for known in every}) > 1]

    def name_of(estimate: Estimate) -> str:
        known = point_phrases(estimate.point)
        parts = [known[name] for name in varying if known.get(name)]
        return ", ".join(parts) or (ranks_text(estimate.point.layout) if alone is None else alone)

    return name_of


def names_of(estimates: Iterable[Estimate], name: Name) -> list[str]:
    """Each name once, in the order of the estimates."""
    return list(dict.fromkeys(name(e) for e in estimates))


def point_phrases(point: Point) -> dict[str, str]:
    """Parameters and layout as text that stands alone, keyed as `point_columns` does."""
    parameters = {name: parameter_phrase(name, value) for name, value in point.parameters}
    layout = layout_phrases(point.layout, point.variant)
    return parameters | {name: text for name, text in layout.items() if name not in parameters}

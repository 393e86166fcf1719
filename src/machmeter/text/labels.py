"""Labels of results: parameters and layout in words, and what tells some from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from machmeter.model.benchmark import Value
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import (
    format_bytes,
)
from machmeter.text.layouts import (
    layout_columns,
    layout_phrases,
    layout_text,
    ranks_text,
    threads_text,
)
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain


def parameter_text(name: str, value: Value) -> str:
    """A parameter's value; sizes (in bytes) with their binary prefix."""
    if name == "size" and isinstance(value, int):
        return format_bytes(value)
    return plain(str(value), 80)


_PHRASES = {
    "size": "{}",
    "outstanding": "{} outstanding",
    "work_percent": "work {} % of communication",
    "buffers": "{} buffers",
    "start": "start by {}",
    "side": "{} side",
    "target": "target {}",
    "pair": "pair {}",
}


def parameter_phrase(name: str, value: Value) -> str:
    """A parameter in words that stand without its name: `window 64`, `hot buffers`."""
    text = parameter_text(name, value)
    if name == "direction":
        return text.replace("-", " ")
    if name == "window" and isinstance(value, str):
        return f"{text} window"
    if name in _PHRASES:
        return _PHRASES[name].format(text)
    return text if isinstance(value, str) else f"{name} {text}"


def point_label(estimate: Estimate, without: tuple[str, ...] = ()) -> str:
    """Parameters and layout of an estimate in one phrase: `triad, nontemporal, 2 threads`."""
    parts = [
        parameter_phrase(name, value)
        for name, value in estimate.point.parameters
        if name not in without
    ]
    return ", ".join([*parts, layout_text(estimate.point.layout, estimate.point.variant)])


MOST_CURVES = 10


Name = Callable[[Estimate], str]


class Axis(Struct, frozen=True):
    """What curves and tables run along.

    of: its value; text: that value in words; stands_for: the circumstances that it takes the place
    of, by the names of parameters and of `words.layout_columns`.
    """

    name: str
    of: Callable[[Estimate], int]
    text: Callable[[Estimate], str]
    stands_for: tuple[str, ...]


def _ranks(estimate: Estimate) -> int:
    return estimate.point.layout.ranks


def _pairs(estimate: Estimate) -> int:
    return estimate.point.layout.ranks // 2


def _threads(estimate: Estimate) -> int:
    return estimate.point.layout.threads_per_rank


def _nodes(estimate: Estimate) -> int:
    return estimate.point.layout.nodes


def _counted(name: str, one: str, many: str) -> Axis:
    return Axis(name, lambda e: _number(e, name), lambda e: count_text(_number(e, name), one, many),
                (name,))  # fmt: skip


def _number(estimate: Estimate, name: str) -> int:
    value = dict(estimate.point.parameters).get(name)
    return value if isinstance(value, int) else 0


def _size(estimate: Estimate) -> int:
    return _number(estimate, "size")


SIZE = Axis("size", _size, lambda e: format_bytes(_size(e)), ("size",))
# The largest number of ranks may be more than there are cores: that does not begin a new curve.
RANKS = Axis("ranks", _ranks, lambda e: count_text(_ranks(e), "rank", "ranks"),
             ("ranks per node", "oversubscribed"))  # fmt: skip
PAIRS = Axis("pairs", _pairs, lambda e: count_text(_pairs(e), "pair", "pairs"),
             ("ranks per node", "oversubscribed"))  # fmt: skip
THREADS = Axis("threads", _threads, lambda e: threads_text(e.point.layout),
               ("threads per rank",))  # fmt: skip
NODES = Axis("nodes", _nodes, lambda e: count_text(_nodes(e), "node", "nodes"), ("nodes",))
WINDOW = _counted("window", "in flight", "in flight")
OUTSTANDING = _counted("outstanding", "outstanding", "outstanding")
WORK = Axis("work_percent", lambda e: _number(e, "work_percent"),
            lambda e: f"{_number(e, 'work_percent')} %", ("work_percent",))  # fmt: skip


def point_columns(point: Point) -> dict[str, str]:
    """Every parameter and part of the layout as text, by the names that tables have for them."""
    return {
        **{name: parameter_text(name, value) for name, value in point.parameters},
        **layout_columns(point.layout, point.variant),
    }


def distinguishing_label(
    estimates: Iterable[Estimate], *axes: Axis, but: tuple[str, ...] = (), alone: str | None = None
) -> Name:
    """Names each estimate by what varies among `estimates`, apart from the axes and `but`.

    Where nothing varies, `alone` is the name, or the number of ranks and nodes.
    """
    every = [point_phrases(e.point) for e in estimates]
    without = {name for axis in axes for name in axis.stands_for} | set(but)
    names = dict.fromkeys(name for known in every for name in known if name not in without)
    varying = [n for n in names if len({known.get(n) for known in every}) > 1]

    def name_of(estimate: Estimate) -> str:
        known = point_phrases(estimate.point)
        parts = [known[name] for name in varying if known.get(name)]
        return ", ".join(parts) or (ranks_text(estimate.point.layout) if alone is None else alone)

    return name_of


def few(estimates: Sequence[Estimate], name: Name) -> tuple[tuple[Estimate, ...], str]:
    """The estimates of as many names as a chart can hold, and words about what is left out."""
    names = list(dict.fromkeys(name(e) for e in estimates))
    kept = set(names[:MOST_CURVES])
    left = len(names) - len(kept)
    note = f"{left} more in the table." if left else ""
    return tuple(e for e in estimates if name(e) in kept), note


def names_of(estimates: Iterable[Estimate], name: Name) -> list[str]:
    """Each name once, in the order of the estimates."""
    return list(dict.fromkeys(name(e) for e in estimates))


def point_phrases(point: Point) -> dict[str, str]:
    """Circumstances in words that stand alone, keyed as `circumstances_of` does."""
    parameters = {name: parameter_phrase(name, value) for name, value in point.parameters}
    return {**parameters, **layout_phrases(point.layout, point.variant)}

"""Names of curves: of all circumstances of an estimate, those that tell it from the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.text.selection import number, size
from machmeter.text.words import (
    binding_text,
    count_text,
    layout_columns,
    parameter_phrase,
    parameter_text,
    plain,
    threads_text,
)

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
    return Axis(name, lambda e: number(e, name), lambda e: count_text(number(e, name), one, many),
                (name,))  # fmt: skip


SIZE = Axis("size", size, lambda e: format_bytes(size(e)), ("size",))
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
WORK = Axis("work_percent", lambda e: number(e, "work_percent"),
            lambda e: f"{number(e, 'work_percent')} %", ("work_percent",))  # fmt: skip


def circumstances_of(point: Point) -> dict[str, str]:
    """Every parameter and part of the layout as text, by the names that tables have for them."""
    return {
        **{name: parameter_text(name, value) for name, value in point.parameters},
        **layout_columns(point.layout, point.variant),
    }


def told_apart(
    estimates: Iterable[Estimate], *axes: Axis, but: tuple[str, ...] = (), alone: str | None = None
) -> Name:
    """Names each estimate by what varies among `estimates`, apart from the axes and `but`.

    Where nothing varies, `alone` is the name, or the number of ranks and nodes.
    """
    every = [phrases(e.point) for e in estimates]
    without = {name for axis in axes for name in axis.stands_for} | set(but)
    names = dict.fromkeys(name for known in every for name in known if name not in without)
    varying = [n for n in names if len({known.get(n) for known in every}) > 1]

    def name_of(estimate: Estimate) -> str:
        known = phrases(estimate.point)
        parts = [known[name] for name in varying if known.get(name)]
        return ", ".join(parts) or (_place(estimate.point.layout) if alone is None else alone)

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


def phrases(point: Point) -> dict[str, str]:
    """Circumstances in words that stand alone, keyed as `circumstances_of` does."""
    parameters = {name: parameter_phrase(name, value) for name, value in point.parameters}
    return {**parameters, **_layout_phrases(point)}


def _layout_phrases(point: Point) -> dict[str, str]:
    layout = point.layout
    library = layout.progress is ProgressMode.LIBRARY
    reserved = layout.reserved_cores
    return {
        "nodes": count_text(layout.nodes, "node", "nodes"),
        "ranks per node": count_text(layout.ranks, "rank", "ranks"),
        "threads per rank": threads_text(layout),
        "pages": f"{format_bytes(layout.page_bytes)} pages",
        "binding": binding_text(layout.binding),
        "reserved cores": count_text(reserved, "reserved core", "reserved cores")
        if reserved and layout.progress is not ProgressMode.RESERVED
        else "",
        "oversubscribed": "oversubscribed" if layout.oversubscribe else "one rank a core",
        "progress": "no progress thread" if library else layout.progress.value,
        "package": "all packages" if layout.package < 0 else f"package {layout.package}",
        "MPI": plain(point.variant.mpi, 40) or "only MPI",
    }


def _place(layout: Layout) -> str:
    ranks = count_text(layout.ranks, "rank", "ranks")
    return f"{layout.nodes} nodes, {ranks}" if layout.nodes > 1 else ranks

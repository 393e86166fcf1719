"""What curves and the columns of a table run along."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from machmeter.analysis.stats.fields import value_of
from machmeter.model.display import Along
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.text.layouts import threads_text
from machmeter.text.numbers import count_text


class Axis(Struct, frozen=True):
    """An axis that results have a place on."""

    name: str
    """In a heading: `message size`."""
    of: Callable[[Estimate], int]
    """The place of a result."""
    text: Callable[[Estimate], str]
    """That place as text."""
    replaces: tuple[str, ...]
    """The parameters and columns of the layout that it takes the place of."""

    def varies(self, estimates: Sequence[Estimate]) -> bool:
        """Whether results have several places on it."""
        return len({self.of(e) for e in estimates}) > 1


def number(estimate: Estimate, name: str) -> int:
    """A parameter that is a number; 0 where the point has none of that name."""
    value = value_of(estimate, name)
    return value if isinstance(value, int) else 0


def _counted(of: Callable[[Estimate], int], name: str, one: str, many: str, *replaces: str) -> Axis:
    return Axis(name, of, lambda e: count_text(of(e), one, many), replaces or (name,))


def _parameter(name: str) -> Callable[[Estimate], int]:
    return lambda estimate: number(estimate, name)


SIZE = Axis("size", _parameter("size"), lambda e: format_bytes(number(e, "size")), ("size",))
# The largest number of ranks may be more than there are cores: that does not begin a new curve.
RANKS = _counted(
    lambda e: e.point.layout.ranks, "ranks", "rank", "ranks", "ranks per node", "oversubscribed"
)
PAIRS = _counted(
    lambda e: e.point.layout.ranks // 2,
    "pairs",
    "pair",
    "pairs",
    "ranks per node",
    "oversubscribed",
)
THREADS = Axis(
    "threads",
    lambda e: e.point.layout.threads_per_rank,
    lambda e: threads_text(e.point.layout),
    ("threads per rank",),
)
NODES = _counted(lambda e: e.point.layout.nodes, "nodes", "node", "nodes")
WINDOW = _counted(_parameter("window"), "window", "outstanding", "outstanding")
OUTSTANDING = _counted(_parameter("outstanding"), "outstanding", "outstanding", "outstanding")
WORK = Axis(
    "work_percent",
    _parameter("work_percent"),
    lambda e: f"{number(e, 'work_percent')} %",
    ("work_percent",),
)
ORDER = Axis("order", _parameter("order"), lambda e: str(number(e, "order")), ("order",))

AXES: dict[Along, Axis] = {
    Along.SIZE: SIZE,
    Along.THREADS: THREADS,
    Along.RANKS: RANKS,
    Along.PAIRS: PAIRS,
    Along.NODES: NODES,
    Along.WINDOW: WINDOW,
    Along.OUTSTANDING: OUTSTANDING,
    Along.WORK: WORK,
    Along.ORDER: ORDER,
}


def first_that_varies(along: Sequence[Along], estimates: Sequence[Estimate]) -> Axis:
    """The first of these axes along which results vary, else the last."""
    axes = [AXES[one] for one in along]
    return next((axis for axis in axes if axis.varies(estimates)), axes[-1])

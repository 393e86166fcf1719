"""A schematic picture of a model's network: shapes at places, for a page to draw.

Colors are classes of the style sheet, so that a picture follows light and dark.
"""

from __future__ import annotations

from itertools import product

from msgspec import Struct

from machmeter.model.twin import Twin, TwinTopology
from machmeter.text.plain import capitalized
from machmeter.text.twins.structure import TwinLink, links_of, network_text

WIDTH, HEIGHT = 420, 250
_MOST_TORUS = (5, 4, 3)
_MOST_GROUPS, _MOST_ROUTERS, _MOST_CHASSIS = 3, 16, 6
_MOST_SWITCHES, _MOST_BRANCHES, _MOST_NODES = 5, 3, 4
_ENDS = 2


class PictureLine(Struct, frozen=True):
    """A link, from one place to another."""

    x1: float
    """Where it begins, across."""
    y1: float
    """Where it begins, down."""
    x2: float
    """Where it ends, across."""
    y2: float
    """Where it ends, down."""
    kind: str
    """nic, link-1, link-2 or link-3; `wrap` in addition where it leads back around."""


class PictureBox(Struct, frozen=True):
    """A router, a switch, or the frame around a group."""

    x: float
    """Its left edge."""
    y: float
    """Its upper edge."""
    width: float
    """Across."""
    height: float
    """Down."""
    kind: str
    """router or frame."""


class PictureNode(Struct, frozen=True):
    """A node."""

    x: float
    """Its center, across."""
    y: float
    """Its center, down."""


class PictureKey(Struct, frozen=True):
    """A line of the legend."""

    kind: str
    """The class of the shapes that it is of."""
    text: str
    """What they are."""


class TwinPicture(Struct, frozen=True):
    """The network of a model, drawn in part where it is large."""

    lines: tuple[PictureLine, ...]
    """Drawn first."""
    boxes: tuple[PictureBox, ...]
    """Above the lines."""
    nodes: tuple[PictureNode, ...]
    """Above the lines."""
    keys: tuple[PictureKey, ...]
    """The legend."""
    description: str
    """The picture as text."""
    title: str
    """The network in a phrase."""
    note: str
    """What is drawn of it, where that is not all."""
    width: int = WIDTH
    """Of the picture; its places are within it."""
    height: int = HEIGHT
    """Of the picture."""


class _Canvas:
    """Shapes that are collected."""

    def __init__(self) -> None:
        self.lines: list[PictureLine] = []
        self.boxes: list[PictureBox] = []
        self.nodes: list[PictureNode] = []

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        x1, y1, x2, y2 = _rounded(*start, *end)
        self.lines.append(PictureLine(x1, y1, x2, y2, kind))

    def router(self, place: tuple[float, float], width: float = 10, height: float = 10) -> None:
        x, y = place
        self._box(x - width / 2, y - height / 2, width, height, "router")

    def frame(self, x: float, y: float, width: float, height: float) -> None:
        self._box(x, y, width, height, "frame")

    def _box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        left, top, across, down = _rounded(x, y, width, height)
        self.boxes.append(PictureBox(left, top, across, down, kind))

    def hang_nodes(self, place: tuple[float, float], count: int, step: float = 12) -> None:
        """Nodes below a router or switch."""
        x, y = place
        for at in range(count):
            node = (x + (at - (count - 1) / 2) * step, y + 26)
            self.line(place, node, "nic")
            self.nodes.append(PictureNode(*_rounded(*node)))


def _rounded(*numbers: float) -> tuple[float, ...]:
    return tuple(round(number, 1) for number in numbers)


def picture_of(twin: Twin) -> TwinPicture:
    """The network of the twin: all of a small one, the beginning of each part of a large one."""
    canvas = _Canvas()
    if twin.topology is TwinTopology.TORUS:
        _draw_torus(canvas, twin)
    elif twin.topology is TwinTopology.DRAGONFLY:
        _draw_dragonfly(canvas, twin)
    elif twin.topology is TwinTopology.FAT_TREE:
        _draw_tree(canvas, twin)
    else:
        _draw_pair(canvas)
    links = links_of(twin)
    words = "; ".join(f"{link.name} {link.rate}" for link in links)
    return TwinPicture(
        tuple(canvas.lines),
        tuple(canvas.boxes),
        tuple(canvas.nodes),
        _keys(twin, links),
        f"{capitalized(network_text(twin))}. Links, payload one way: {words}.",
        capitalized(network_text(twin)),
        _note(twin),
    )


def _note(twin: Twin) -> str:
    """What is drawn of a network that is too large to be drawn whole, and what dashes mean."""
    if twin.topology is TwinTopology.DIRECT:
        return "" if twin.nodes == _ENDS else f"2 of {twin.nodes:,} nodes are drawn."
    if twin.topology is TwinTopology.TORUS:
        drawn = " x ".join(str(min(pair)) for pair in zip(twin.shape, _MOST_TORUS, strict=True))
        return (
            f"{drawn} routers are drawn, nodes of the front row alone; dashed links go on and lead "
            "around."
        )
    if twin.topology is TwinTopology.DRAGONFLY:
        groups = min(twin.shape[-1], _MOST_GROUPS)
        return (
            f"Each frame is a group, {groups} of {twin.shape[-1]} drawn; rows are chassis; nodes "
            "of one router alone."
        )
    return "Of each switch the first switches or nodes below it are drawn."


def _keys(twin: Twin, links: tuple[TwinLink, ...]) -> tuple[PictureKey, ...]:
    """Nodes, routers, then every kind of link with its rate."""
    nic, *others = links
    kinds = _link_kinds(twin)
    router = "switch" if twin.topology is TwinTopology.FAT_TREE else "router"
    drawn = twin.topology is not TwinTopology.DIRECT
    named = zip(kinds, others, strict=True)
    return (
        PictureKey("node", f"node, {twin.nodes:,} in all"),
        *([PictureKey("router", router)] * drawn),
        PictureKey("nic", f"{nic.name}: {nic.rate}"),
        *(PictureKey(kind, f"{link.name}: {link.rate}") for kind, link in named),
    )


def _link_kinds(twin: Twin) -> tuple[str, ...]:
    if twin.topology is TwinTopology.TORUS:
        return tuple(f"link-{at}" for at, count in enumerate(twin.shape, 1) if count > 1)
    return tuple(f"link-{at}" for at in range(1, len(links_of(twin))))


def _draw_torus(canvas: _Canvas, twin: Twin) -> None:
    """The routers nearest to one corner, with what leads around dashed."""
    counts = tuple(min(pair) for pair in zip(twin.shape, _MOST_TORUS, strict=True))

    def place(at: tuple[int, ...]) -> tuple[float, float]:
        x, y, z = at
        return 36 + 68 * x + 24 * z, HEIGHT - 44 - 48 * y - 16 * z

    for at in product(*(range(count) for count in counts)):
        for axis, count in enumerate(counts):
            if twin.shape[axis] == 1:
                continue
            there = tuple(one + (position == axis) for position, one in enumerate(at))
            start, end = place(at), place(there)
            if at[axis] + 1 < count:
                canvas.line(start, end, f"link-{axis + 1}")
            else:
                part = tuple(a + 0.4 * (b - a) for a, b in zip(start, end, strict=True))
                canvas.line(start, (part[0], part[1]), f"link-{axis + 1} wrap")
    for at in product(*(range(count) for count in counts)):
        canvas.router(place(at))
    nodes = min(int(twin.value("network.nodes_per_router")), _MOST_NODES)
    for x in range(counts[0]):
        canvas.hang_nodes(place((x, 0, 0)), nodes)


def _draw_dragonfly(canvas: _Canvas, twin: Twin) -> None:
    """Groups side by side: a row for each chassis, a column for each position of routers."""
    routers, chassis, groups = twin.shape
    columns, rows, shown = (
        min(routers, _MOST_ROUTERS),
        min(chassis, _MOST_CHASSIS),
        min(groups, _MOST_GROUPS),
    )
    gap, top = 36, 24
    width = (WIDTH - 20 - gap * (shown - 1)) / shown
    across, down = width / (columns + 1), 150 / max(rows - 1, 1)
    for group in range(shown):
        left = 10 + group * (width + gap)

        def place(column: int, row: int, left: float = left) -> tuple[float, float]:
            return left + across * (column + 1), top + 14 + down * row

        for row in range(rows):
            canvas.line(place(0, row), place(columns - 1, row), "link-1")
        for column in range(columns):
            canvas.line(place(column, 0), place(column, rows - 1), "link-2")
        for column, row in product(range(columns), range(rows)):
            canvas.router(place(column, row), min(across * 0.5, 10), 8)
        canvas.frame(left, top, width, 178)
        nodes = min(int(twin.value("network.nodes_per_router")), _MOST_NODES)
        canvas.hang_nodes(place(0, rows - 1), nodes, 9)
        if group + 1 < shown:
            for y in (0.3, 0.5, 0.7):
                height = top + 178 * y
                canvas.line((left + width, height), (left + width + gap, height), "link-3")


def _draw_tree(canvas: _Canvas, twin: Twin) -> None:
    """From the top switch down, of each switch the first ones below it."""
    levels = len(twin.shape)
    step = (HEIGHT - 90) / max(levels - 1, 1)
    most = _MOST_SWITCHES if levels == 2 else _MOST_BRANCHES

    def draw(level: int, left: float, width: float) -> tuple[float, float]:
        place = (left + width / 2, 30 + step * (levels - 1 - level))
        if level:
            below = min(twin.shape[level] // twin.shape[level - 1], most)
            for at in range(below):
                end = draw(level - 1, left + at * width / below, width / below)
                canvas.line(place, end, f"link-{level}")
        else:
            count = min(twin.shape[0], _MOST_NODES)
            canvas.hang_nodes(place, count, min(12, width / (count + 1)))
        canvas.router(place, min(width * 0.6, 90 if level else 44), 12)
        return place

    draw(levels - 1, 10, WIDTH - 20)


def _draw_pair(canvas: _Canvas) -> None:
    ends = ((WIDTH * 0.25, HEIGHT / 2), (WIDTH * 0.75, HEIGHT / 2))
    canvas.line(*ends, "nic")
    canvas.nodes += [PictureNode(*end) for end in ends]

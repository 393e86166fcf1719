"""Views of Vega-Lite as plain data: rows, marks, what places them, and panels of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct

Channel = dict[str, Any]
"""How one property of a mark (its place, its color) follows from a field of the rows."""
Encoding = dict[str, Any]
"""Channels by name; a tooltip and details are lists of them."""
Transform = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_SHARED: Literal["shared"] = "shared"
_RESOLVE = {"scale": dict.fromkeys(("color", "shape", "strokeDash"), _SHARED)}
_SIZES = ("width", "height")
Datasets = dict[str, list[Any]]


class Data(Struct, frozen=True):
    """Rows of a chart under a name."""

    name: str
    """Follows from the rows, so that a chart holds equal ones once."""
    rows: list[Any]
    """As they are in JSON."""


class Panel(Struct, frozen=True):
    """A view of Vega-Lite, and the rows that it names."""

    view: dict[str, Any]
    """The view without `datasets`, `config` and `$schema`, which stand once in a chart."""
    datasets: Datasets = {}
    """Rows by the name under which `view` refers to them."""

    def properties(self, **values: Any) -> Panel:
        """The same with other properties of the view: width, height, title, usermeta."""
        return Panel({**self.view, **values}, self.datasets)


def data_of(rows: Iterable[Any]) -> Data:
    """Rows for marks to share."""
    text = msgspec.json.encode(list(rows))
    return Data(f"data-{sha256(text).hexdigest()[:16]}", msgspec.json.decode(text))


def mark(
    kind: str,
    data: Data,
    encoding: Encoding,
    transform: Sequence[Transform] = (),
    **properties: Any,
) -> Panel:
    """A mark for each of the rows. properties: those of the mark itself."""
    view: dict[str, Any] = {
        "data": {"name": data.name},
        "mark": {"type": kind, **properties},
        "encoding": encoding,
    }
    if transform:
        view["transform"] = list(transform)
    return Panel(view, {data.name: data.rows})


def quantitative(field: str, **more: Any) -> Channel:
    """A number of the rows; more: title, scale, axis, legend, as in all channels."""
    return {"field": field, "type": "quantitative", **more}


def ordinal(field: str, **more: Any) -> Channel:
    """What has an order and no distances."""
    return {"field": field, "type": "ordinal", **more}


def nominal(field: str, **more: Any) -> Channel:
    """A name or a text."""
    return {"field": field, "type": "nominal", **more}


def temporal(field: str, **more: Any) -> Channel:
    """A time of the calendar."""
    return {"field": field, "type": "temporal", **more}


def until(field: str) -> Channel:
    """The other end of a mark (x2, y2), on the axis of its beginning."""
    return {"field": field}


def fixed(value: float | str) -> Channel:
    """The same for all rows: pixels, or `width`."""
    return {"value": value}


def only(expression: str) -> Transform:
    """Keep the rows for which this holds."""
    return {"filter": expression}


def layer(*parts: Panel) -> Panel:
    """Marks over each other, the first at the bottom; width and height are those of any part."""
    views = [dict(part.view) for part in parts]
    common: dict[str, Any] = {}
    for view in views:
        common |= {name: view.pop(name) for name in _SIZES if name in view}
    data = views[0].get("data")
    if data is not None and all(view.get("data") == data for view in views):
        common["data"] = data
        for view in views:
            del view["data"]
    return Panel({**common, "layer": views}, _together(parts))


def stack(*panels: Panel) -> Panel:
    """Panels one below the other, on one set of series."""
    view = {"vconcat": [panel.view for panel in panels], "resolve": _RESOLVE}
    return Panel(view, _together(panels))


def concat(*panels: Panel, columns: int) -> Panel:
    """Panels side by side, so many in a row, on one set of series."""
    view = {
        "concat": [panel.view for panel in panels],
        "columns": columns,
        "resolve": _RESOLVE,
    }
    return Panel(view, _together(panels))


def facet(panel: Panel, by: Channel, columns: int, spacing: int) -> Panel:
    """The panel once for each value of a field of its rows, which all its marks share."""
    view = dict(panel.view)
    data = view.pop("data")
    whole = {"data": data, "facet": by, "spec": view, "columns": columns, "spacing": spacing}
    return Panel(whole, panel.datasets)


def _together(panels: Sequence[Panel]) -> Datasets:
    return {name: rows for panel in panels for name, rows in panel.datasets.items()}

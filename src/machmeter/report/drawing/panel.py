"""Panels of charts, composed as data: Altair would copy all that is below at every composition."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import msgspec
from msgspec import Struct

_SHARED: Literal["shared"] = "shared"
_RESOLVE = {"scale": dict.fromkeys(("color", "shape", "strokeDash"), _SHARED)}
_SIZES = ("width", "height")
_OF_THE_WHOLE = ("$schema", "config", "datasets")
Datasets = dict[str, list[dict[str, Any]]]


class Panel(Struct, frozen=True):
    """A view of Vega-Lite, and the rows that it names."""

    view: dict[str, Any]
    """The view without `datasets`, `config` and `$schema`, which stand once in a chart."""
    datasets: Datasets = {}
    """Rows by the name under which `view` refers to them."""

    def properties(self, **values: Any) -> Panel:
        """The same with other properties of the view: width, height, title, usermeta."""
        return Panel({**self.view, **values}, self.datasets)


def layer(*parts: alt.Chart | Panel) -> Panel:
    """Marks over each other, the first at the bottom; width and height are those of any part."""
    panels = [_panel_of(part) for part in parts]
    views = [dict(panel.view) for panel in panels]
    common: dict[str, Any] = {}
    for view in views:
        common |= {name: view.pop(name) for name in _SIZES if name in view}
    data = views[0].get("data")
    if data is not None and all(view.get("data") == data for view in views):
        common["data"] = data
        for view in views:
            del view["data"]
    return Panel({**common, "layer": views}, _together(panels))


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


def facet(panel: Panel, by: alt.Facet, columns: int, spacing: int) -> Panel:
    """The panel once for each value of a field of its rows, which all its marks share."""
    view = dict(panel.view)
    data = view.pop("data")
    field = by.to_dict(validate=False, context={"data": None})
    whole = {"data": data, "facet": field, "spec": view, "columns": columns, "spacing": spacing}
    return Panel(whole, panel.datasets)


def _together(panels: list[Panel] | tuple[Panel, ...]) -> Datasets:
    return {name: rows for panel in panels for name, rows in panel.datasets.items()}


def _panel_of(part: alt.Chart | Panel) -> Panel:
    if isinstance(part, Panel):
        return part
    spec = part.to_dict(validate=False)
    rows = {name: msgspec.json.decode(values) for name, values in spec.get("datasets", {}).items()}
    return Panel({k: v for k, v in spec.items() if k not in _OF_THE_WHOLE}, rows)

"""A chart as data: its specification and the words that stand for it where it is not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt
import msgspec
from msgspec import Struct


class Chart(Struct, frozen=True):
    """name: unique in a run, fit for a file name; description: what is seen, for who cannot see.

    spec: Vega-Lite without config, so that the page and papers each give it their own theme.
    """

    name: str
    title: str
    description: str
    note: str
    spec: dict[str, Any]


def inline(rows: Iterable[Any]) -> alt.InlineData:
    """Rows of a chart as one text: Altair copies what it composes many times, row by row."""
    return alt.InlineData(values=msgspec.json.encode(list(rows)).decode())


def draw(
    name: str,
    title: str,
    description: str,
    chart: alt.LayerChart | alt.FacetChart | alt.VConcatChart | alt.ConcatChart,
    note: str = "",
) -> Chart:
    """The chart with its specification, which a test validates for every chart there is."""
    spec = chart.to_dict(validate=False)
    spec.pop("config", None)
    spec["datasets"] = {
        name: msgspec.json.decode(rows) for name, rows in spec.get("datasets", {}).items()
    }
    spec["description"] = description
    return Chart(name, title, description, note, spec)

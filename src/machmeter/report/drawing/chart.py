"""A chart as data: its specification and the words that stand for it where it is not seen."""

from __future__ import annotations

from typing import Any

import altair as alt
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


def draw(
    name: str,
    title: str,
    description: str,
    chart: alt.LayerChart | alt.FacetChart | alt.VConcatChart | alt.ConcatChart,
    note: str = "",
) -> Chart:
    """The chart with its specification validated by Altair."""
    spec = chart.to_dict()
    spec.pop("config", None)
    spec["description"] = description
    return Chart(name, title, description, note, spec)

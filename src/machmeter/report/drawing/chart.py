"""A chart as data: its specification and the words that stand for it where it is not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt
import msgspec
from msgspec import Struct

from machmeter.report.drawing.panel import Panel


class Chart(Struct, frozen=True):
    """A chart for the page and for papers."""

    name: str
    """Unique in a run, fit for a file name."""
    title: str
    """As a heading."""
    description: str
    """What is seen, for who cannot see."""
    note: str
    """What to know when reading it; empty for nothing."""
    spec: dict[str, Any]
    """Vega-Lite without config, so that the page and papers each give it their own theme."""


def inline(rows: Iterable[Any]) -> alt.InlineData:
    """Rows of a chart as one text: Altair copies what it composes many times, row by row."""
    return alt.InlineData(values=msgspec.json.encode(list(rows)).decode())


def draw(
    name: str,
    title: str,
    description: str,
    panel: Panel,
    note: str = "",
) -> Chart:
    """The chart with its specification, which a test validates for every chart there is."""
    spec = {
        "$schema": alt.SCHEMA_URL,
        **panel.view,
        "datasets": panel.datasets,
        "description": description,
    }
    return Chart(name, title, description, note, spec)

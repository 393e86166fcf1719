"""A chart as data: its specification and the words that stand for it where it is not seen."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from machmeter.report.drawing.panel import SCHEMA, Panel


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


def draw(
    name: str,
    title: str,
    description: str,
    panel: Panel,
    note: str = "",
) -> Chart:
    """The chart with its specification, which a test validates for every chart there is."""
    spec = {
        "$schema": SCHEMA,
        **panel.view,
        "datasets": panel.datasets,
        "description": description,
    }
    return Chart(name, title, description, note, spec)

"""The rows that a chart draws, for tests of what is drawn."""

from __future__ import annotations

from typing import Any

from machmeter.report.drawing.chart import Chart


def rows_of(chart: Chart | None) -> list[dict[str, Any]]:
    """The rows that the specification draws, each once."""
    assert chart is not None
    found: dict[int, dict[str, Any]] = {}

    def walk(part: object) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("y"), int):
                found[part["y"]] = part
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(chart.spec)
    return list(found.values())

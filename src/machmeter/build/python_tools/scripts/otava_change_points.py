"""Change points of many series by Apache Otava (E-divisive with Student's t, then merging).

Runs in Otava's own environment (`build.python_tools.python_tool`), never in machmeter's. Request:
`{"series": [[...], ...], "window": 50, "p_value": 0.001}`; answer: `{"starts": [[30], ...]}`, of
each series the positions at which a new level begins.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from otava.analysis import compute_change_points


def answer(request: dict[str, Any]) -> dict[str, list[list[int]]]:
    """Rising positions for every series; a series of one value has none."""
    window, p_value = int(request["window"]), float(request["p_value"])
    return {"starts": [_starts(series, window, p_value) for series in request["series"]]}


def _starts(series: list[float], window: int, p_value: float) -> list[int]:
    # Of equal values Student's t is 0 / 0, of which NumPy warns: nothing changed.
    if len(series) < 2 or min(series) == max(series):
        return []
    found, _ = compute_change_points(series, window_len=window, max_pvalue=p_value)
    return sorted(int(point.index) for point in found)


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)

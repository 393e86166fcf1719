"""Where the time of each code goes in each launch mode: stacked bars, and their table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.modes.matrix import mode_matrix
from machmeter.report.benchmarks.groups.modes.phases import (
    CodePhases,
    code_phases,
    phase_chart,
    phase_table,
)
from machmeter.report.drawing.chart import Chart
from tests.support.synthetic.modes import usual_modes


def phases_of(result: RunResult) -> tuple[CodePhases, ...]:
    matrix = mode_matrix(result)
    assert matrix is not None
    return code_phases(result, matrix)


RUN = usual_modes()
WHOLE = phases_of(RUN)


def rows_of(chart: Chart) -> list[dict[str, Any]]:
    (rows,) = chart.spec["datasets"].values()
    return list(rows)


def test_shares_of_phases_fill_each_bar() -> None:
    rows = rows_of(phase_chart(WHOLE))
    assert len(rows) == 8 * 6 * 4
    for first in range(0, len(rows), 4):
        bar = rows[first : first + 4]
        assert [one["low"] for one in bar[1:]] == [one["high"] for one in bar[:-1]]
        assert (bar[0]["low"], bar[-1]["high"]) == pytest.approx((0, 100))
    assert [one["high"] for one in rows[:4]] == pytest.approx([70, 85, 95, 100])
    assert len(phase_table(WHOLE).rows) == 8 * 6
    assert phase_table(WHOLE).rows[0][-1] == "5.0 %"


def test_phases_that_some_codes_lack_keep_their_place() -> None:
    title = "Messages with neighbors"
    first = RUN.estimates[0].point.benchmark
    kept = [e for e in RUN.estimates if (e.point.benchmark, e.title) != (first, title)]
    part = phases_of(replace(RUN, estimates=tuple(kept)))
    assert phase_table(part).columns == phase_table(WHOLE).columns
    assert phase_chart(part).spec["spec"] == phase_chart(WHOLE).spec["spec"]
    assert phase_table(part).rows[0][3] == "–"

"""The picture of codes by launch modes, and the table that says the same."""

from __future__ import annotations

from typing import Any

from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.modes.matrix import ModeMatrix, mode_matrix
from machmeter.report.benchmarks.groups.modes.picture import matrix_chart, matrix_table
from machmeter.report.drawing.chart import Chart
from tests.support.synthetic.modes import make_modes, usual_gain, usual_modes, with_described


def matrix_of(result: RunResult) -> ModeMatrix:
    found = mode_matrix(result)
    assert found is not None
    return found


WHOLE = matrix_of(usual_modes())
CHART, TABLE = matrix_chart(WHOLE), matrix_table(WHOLE)


def rows_of(chart: Chart) -> list[dict[str, Any]]:
    (rows,) = chart.spec["datasets"].values()
    return list(rows)


def test_the_best_of_each_row_is_marked_and_its_ties_are_shaded() -> None:
    cells = [row for row in rows_of(CHART) if "value" in row]
    assert len(cells) == 9 * 6
    assert {row["series"] for row in cells if row["best"]} == {"MPI + SMT"}
    assert {row["series"] for row in cells if row["shaded"]} == {"MPI + SMT", "hybrid + SMT"}


def test_every_number_of_the_picture_stands_in_its_table() -> None:
    table = TABLE
    said = {
        f"{row[0]}, {name}: {cell}"
        for row in table.rows
        for name, cell in zip(table.columns[2:-1], row[2:-1], strict=True)
    }
    cells = [row for row in rows_of(CHART) if row.get("interval", "[").startswith("[")]
    drawn = [row for row in cells if "value" in row]
    assert len(drawn) == 9 * 5
    for row in drawn:
        code, _, rest = row["label"].rpartition(": ")
        assert rest.startswith(f"{row['value']} {row['interval']}")
        assert f"{code}, {row['series']}: {rest}" in said


def test_applications_stand_below_the_figures_of_all_codes() -> None:
    both = matrix_of(make_modes(study=with_described("gromacs-water")))
    names = [row["name"] for row in rows_of(matrix_chart(both)) if "name" in row]
    assert names[-3].startswith("All 8 codes")
    assert names[-2].startswith("Each code in its best mode")
    assert names[-1] == "GROMACS, water"
    assert [row[0] for row in matrix_table(both).rows][-3:] == [
        names[-3],
        "All, each in its best mode",
        names[-1],
    ]
    tops = [row["top"] for row in rows_of(matrix_chart(both)) if "name" in row]
    assert tops == sorted(set(tops))


def test_what_has_no_result_says_so_in_picture_and_table() -> None:
    part = matrix_of(
        make_modes(
            lambda p: (
                0.0 if p.benchmark == "proxies.scf" and p.layout.reserved_cores else usual_gain(p)
            )
        )
    )
    values = [
        row["value"] + row["interval"] for row in rows_of(matrix_chart(part)) if "value" in row
    ]
    assert values.count("noresult") == 2
    assert matrix_table(part).rows[-2].count("not all codes") == 2
    assert sum(row.count("no result") for row in matrix_table(part).rows) == 2

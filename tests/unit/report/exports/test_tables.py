import csv
import io
import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.result_order import in_order
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Record
from machmeter.model.point import make_point
from machmeter.model.units import UNBOUNDED
from machmeter.report.exports.tables import (
    WRITERS,
    Cell,
    ExportError,
    ExportTable,
    export_rows,
    sample_rows,
    write_csv,
    write_json,
    write_parquet,
)
from machmeter.run.results.result import collect
from tests.support.fake_launcher import small_spec
from tests.support.made_up.ab_runs import launcher, measured, two_sided
from tests.support.synthetic.run import make_record, make_run

RUN = make_run()


def csv_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def test_csv_and_json_hold_the_same_estimates() -> None:
    as_csv, as_json = io.BytesIO(), io.BytesIO()
    write_csv(export_rows(RUN), as_csv)
    write_json(export_rows(RUN), as_json)
    rows, objects = csv_rows(as_csv.getvalue()), json.loads(as_json.getvalue())
    assert len(rows) == len(objects) == len(RUN.estimates)
    for row, item, one in zip(rows, objects, in_order(RUN.estimates), strict=True):
        assert float(row["value"]) == item["value"] == one.value
        assert row["benchmark"] == item["benchmark"] == one.point.benchmark
        assert row["resolved"] == str(one.resolved).lower()
        assert item["launches"] == one.launches
        assert item["page_bytes"] == one.point.layout.page_bytes


def test_what_one_launch_cannot_give_is_empty() -> None:
    one = RUN.estimates[0]
    alone = replace(one, launches=1, low=0.0, high=UNBOUNDED, precision=UNBOUNDED)
    as_csv, as_json = io.BytesIO(), io.BytesIO()
    write_csv(export_rows(replace(RUN, estimates=(alone,))), as_csv)
    write_json(export_rows(replace(RUN, estimates=(alone,))), as_json)
    (row,), (item,) = csv_rows(as_csv.getvalue()), json.loads(as_json.getvalue())
    assert [row[name] for name in ("low", "high", "precision")] == [""] * 3
    assert [item[name] for name in ("low", "high", "precision")] == [None] * 3
    assert item["value"] == one.value


def test_parameters_are_columns_and_absent_ones_are_empty() -> None:
    table = export_rows(RUN)
    row = next(iter(table.rows))
    assert row["kernel"] == "copy"
    assert row["size"] == str(128 * 2**20)
    assert row["construct"] is None
    assert list(row) == list(table.columns)


def test_parameter_named_like_a_column_does_not_replace_it() -> None:
    one = RUN.estimates[0]
    point = make_point("x.y", {"value": 3, "metric": "m"}, one.point.layout)
    (row,) = export_rows(replace(RUN, estimates=(replace(one, point=point),))).rows
    assert row["value"] == one.value
    assert row["parameter_value"] == "3"
    assert row["parameter_metric"] == "m"


def test_every_sample_is_a_row_in_the_order_taken() -> None:
    rows = list(sample_rows([make_record(1), make_record(2)]).rows)
    assert len(rows) == 12
    assert [r["seconds"] for r in rows[:3]] == [1e-3, 1.5e-3, 1.25e-3]
    assert [r["index"] for r in rows[:3]] == [0, 1, 2]
    assert {r["launch"] for r in rows} == {1, 2}
    assert rows[3]["kernel"] == "triad"
    assert rows[0]["batch"] == 4
    assert rows[0]["host"] == "node17"


def test_samples_of_a_run_of_two_say_their_side() -> None:
    records = [make_record(1), make_record(2)]
    assert {row["role"] for row in sample_rows(records).rows} == {None}
    sides = {records[0][0].spec: "old"}
    assert {row["role"] for row in sample_rows(records[:1], sides).rows} == {"old"}


def test_record_without_header_gives_no_rows() -> None:
    outcome, _ = make_record()
    assert list(sample_rows([(outcome, Record(None, (), None, "empty"))]).rows) == []


def test_parquet_gives_back_what_went_in(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a b.parquet"
    write_parquet(export_rows(RUN), path)
    table = parquet.read_table(path)
    ordered = in_order(RUN.estimates)
    assert table.column("value").to_pylist() == [e.value for e in ordered]
    assert table.column("reached").to_pylist() == [e.reached for e in ordered]
    assert table.column_names == list(export_rows(RUN).columns)


def test_parquet_without_pyarrow_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match="pyarrow") as caught:
        write_parquet(export_rows(RUN), io.BytesIO())
    assert "-m pip install pyarrow" in caught.value.remedy


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_export_that_breaks_off_leaves_what_was_there(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"out.{name}"
    path.write_text("earlier")

    def breaking():  # type: ignore[no-untyped-def]
        yield from export_rows(replace(RUN, estimates=RUN.estimates[:1])).rows
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        WRITERS[name](replace(export_rows(RUN), rows=breaking()), path)
    assert path.read_text() == "earlier"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_no_rows_are_an_empty_json_array() -> None:
    stream = io.BytesIO()
    write_json(sample_rows([]), stream)
    assert json.loads(stream.getvalue()) == []


def test_every_part_of_a_layout_is_a_column() -> None:
    one = RUN.estimates[0]
    named = replace(one, point=replace(one.point, layout=Layout(device="opencl:0")))
    table = export_rows(replace(RUN, estimates=(one, named)))
    assert set(Layout.__struct_fields__) <= table.columns.keys()
    assert [row.get("device") for row in table.rows] in ([None, "opencl:0"], ["opencl:0", None])
    # What no layout names is no column.
    assert set(Layout.__struct_fields__) - export_rows(RUN).columns.keys() == {"device"}
    layout = Layout(threads_per_rank=2, inner_threads=4, openmp="libomp", allocator="jemalloc")
    nested = replace(one, point=replace(one.point, layout=layout))
    (row,) = export_rows(replace(RUN, estimates=(nested,))).rows
    assert (row["inner_threads"], row["openmp"], row["allocator"]) == (4, "libomp", "jemalloc")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-O2", "'-O2"),
        ("@cmd", "'@cmd"),
        ("-1.5", "-1.5"),
        ("\t=1", "\\x09=1"),
        ("\r=1", "\\x0d=1"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("a\u202eb\x9b1m", "a\\u202eb\\u009b1m"),
        (-1.5, "-1.5"),
        (-3, "-3"),
        (True, "true"),
    ],
)
def test_a_cell_of_csv_is_no_formula_and_steers_no_terminal(cell: Cell, written: str) -> None:
    stream = io.BytesIO()
    write_csv(ExportTable({"cell": str}, [{"cell": cell}]), stream)
    (row,) = csv_rows(stream.getvalue())
    assert row["cell"] == written


def test_a_heading_of_csv_is_no_formula() -> None:
    stream = io.BytesIO()
    write_csv(ExportTable({"=1+1": str}, []), stream)
    assert stream.getvalue() == b"'=1+1\r\n"


def test_samples_have_the_layout_and_the_bytes_of_their_events() -> None:
    outcome, record = make_record(1)
    spec = small_spec("of two threads", 64, layout=Layout(threads_per_rank=2))
    moved = tuple(replace(one, quantities={"stream_bytes": 192.0}) for one in record.points)
    records = [(replace(outcome, spec=spec.name), replace(record, points=moved))]
    rows = list(sample_rows(records, specs={spec.name: spec}).rows)
    assert {row["threads_per_rank"] for row in rows} == {spec.layout.threads_per_rank}
    assert {row["page_bytes"] for row in rows} == {spec.layout.page_bytes}
    assert {(row["bytes"], row["bytes_of"]) for row in rows} == {(192.0, "stream_bytes")}
    assert {row["bytes"] for row in sample_rows([(outcome, record)]).rows} == {None}


def test_results_of_an_a_b_run_say_their_side(tmp_path: Path) -> None:
    result = collect(measured(two_sided(tmp_path / "run"), launcher(0.8)))
    assert result.baseline
    rows = list(export_rows(result).rows)
    sides = {"candidate": result.estimates, "baseline": result.baseline.estimates}
    for role, estimates in sides.items():
        values = [row["value"] for row in rows if row["role"] == role]
        assert values == [one.value for one in in_order(estimates)]
    assert len(rows) == sum(map(len, sides.values()))
    assert {row["role"] for row in export_rows(RUN).rows} == {None}

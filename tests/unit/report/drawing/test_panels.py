from machmeter.report.drawing.axes import Row, linear_x, log_axis, size_axis
from machmeter.report.drawing.panels import curves, in_pieces


def rows_of(**sizes: tuple[int, ...]) -> list[Row]:
    figures = {"value": 2.0, "low": 1.0, "high": 3.0, "resolved": True, "label": ""}
    return [{"x": x, "series": name, **figures} for name, own in sizes.items() for x in own]


def pieces_of(rows: list[Row], series: str) -> list[int]:
    return [row["piece"] for row in in_pieces(rows) if row["series"] == series]


def test_a_line_ends_where_its_series_lacks_a_size_that_another_has() -> None:
    rows = rows_of(whole=(8, 16, 32, 64, 128), gap=(8, 16, 64, 128))
    assert pieces_of(rows, "gap") == [0, 0, 1, 1]
    assert pieces_of(rows, "whole") == [0, 0, 0, 0, 0]


def test_order_of_rows_does_not_matter() -> None:
    rows = rows_of(whole=(32, 8, 16), gap=(32, 8))
    assert [row["lone"] for row in in_pieces(rows)] == [False, False, False, True, True]
    assert pieces_of(rows, "gap") == [1, 0]


def test_series_that_end_early_or_leave_out_the_same_sizes_stay_whole() -> None:
    rows = rows_of(short=(8, 64), long=(8, 64, 512), other=(64, 512))
    assert in_pieces(rows) == rows
    assert in_pieces([]) == []


def test_pieces_are_drawn_apart_and_only_where_there_are_some() -> None:
    for rows, apart in ((rows_of(a=(8, 16, 32), b=(8, 32)), True), (rows_of(a=(8, 16, 32)), False)):
        sizes = [row["x"] for row in rows]
        view = curves(rows, size_axis(sizes), log_axis("time", rows), ["a", "b"]).view
        lines = [one for one in view["layer"] if one["mark"]["type"] in {"line", "area"}]
        assert [("detail" in one["encoding"]) for one in lines] == [apart, apart]


def test_two_values_of_the_axis_are_no_curve() -> None:
    rows = rows_of(one=(1, 2), other=(1, 2))
    assert pieces_of(rows, "one") == pieces_of(rows, "other") == [0, 1]
    assert all(row["lone"] for row in in_pieces(rows))


def test_each_panel_has_its_own_neighbors() -> None:
    rows = [row | {"panel": "a"} for row in rows_of(s=(8, 64, 512))]
    rows += [row | {"panel": "b"} for row in rows_of(s=(8, 16, 64), t=(8, 64))]
    found = in_pieces(rows)
    assert [row["piece"] for row in found if row["panel"] == "a"] == [0, 0, 0]
    assert [row["piece"] for row in found if row["series"] == "t"] == [0, 1]


def test_a_point_without_neighbors_keeps_its_interval() -> None:
    rows = rows_of(a=(8, 16, 32), b=(8, 32))
    view = curves(rows, size_axis([8, 16, 32]), log_axis("time", rows), ["a", "b"]).view
    (bars,) = [one for one in view["layer"] if one["mark"]["type"] == "rule"]
    assert bars["transform"] == [{"filter": "datum.lone"}]
    assert {"y", "y2"} <= bars["encoding"].keys()


def test_a_series_of_one_point_beside_a_curve_keeps_its_interval() -> None:
    rows = rows_of(curve=(1, 2, 4), single=(1,))
    assert [row["lone"] for row in in_pieces(rows)] == [False, False, False, True]
    view = curves(rows, size_axis([1, 2, 4]), log_axis("time", rows), ["curve", "single"]).view
    assert [one["mark"]["type"] for one in view["layer"]].count("rule") == 1


def test_an_axis_from_zero_ends_at_a_label() -> None:
    assert linear_x("bandwidth", zero=True)["scale"] == {"domainMin": 0, "nice": True}

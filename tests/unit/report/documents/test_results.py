import pytest

from machmeter.model.units import parse_bytes
from machmeter.report.documents.results import results_document
from machmeter.report.table import Table
from tests.support.synthetic.runs import NAMES, run


def _tables(name: str) -> tuple[Table, ...]:
    return results_document(name, run(name).estimates).tables


@pytest.mark.parametrize("name", NAMES)
def test_every_result_has_one_row(name: str) -> None:
    tables, estimates = _tables(name), run(name).estimates
    rows = [(table.caption, row[: table.labels]) for table in tables for row in table.rows]
    assert len(rows) == len(estimates)
    # A made-up run may hold a point twice.
    assert len(set(rows)) == len({(one.point.key, one.metric) for one in estimates})


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_for_what_varies(name: str) -> None:
    for table in _tables(name):
        assert {len(row) for row in table.rows} == {len(table.columns)}
        for position in range(table.labels if len(table.rows) > 1 else 0):
            assert len({row[position] for row in table.rows}) > 1, table.caption


@pytest.mark.parametrize("name", NAMES)
def test_a_column_has_one_unit(name: str) -> None:
    for table in _tables(name):
        unit = table.columns[table.labels]
        if unit != "value":
            values = [row[table.labels].removeprefix("< ") for row in table.rows]
            assert all(value == "unknown" or float(value) >= -1e6 for value in values)


def test_sizes_are_in_order_of_size() -> None:
    table = next(t for t in _tables("quick") if "(memory.latency)" in t.caption)
    place = table.columns.index("size")
    pages = [row[0] for row in table.rows]
    assert pages == sorted(pages, key=parse_bytes)
    for one in set(pages):
        sizes = [parse_bytes(row[place]) for row in table.rows if row[0] == one]
        assert sizes == sorted(sizes)
        assert len(sizes) > 5

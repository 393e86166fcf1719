"""What times by order say of larger ones, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from machmeter.benchmarks.lu import LU
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.groups.orders import order_tables
from machmeter.report.benchmarks.section import section_of
from machmeter.report.table import Table
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.runs import run

# 2/3 n^3 at 30 Gflop/s, and what falls with the order.
SECONDS = {n: 2 / 3 * n**3 / 30e9 + 1.5e-8 * n**2 for n in (500, 1000, 2000, 4000)}


def tables(seconds: Mapping[int, float]) -> list[Table]:
    maker = Maker(1)
    estimates: list[Estimate] = [
        maker.estimate(LU.name, {"library": "openblas", "order": order}, Layout(), "time", value)
        for order, value in seconds.items()
    ]
    return order_tables(section_of(replace(run("laptop"), estimates=tuple(estimates)), LU.name))


def test_larger_orders_have_a_rate_and_the_largest_is_foretold() -> None:
    (table,) = tables(SECONDS)
    (row,) = table.rows
    cells = dict(zip(table.columns, row, strict=True))
    assert cells["rate of ever larger orders"].startswith(("29.", "30."))
    assert cells["largest order"] == "4,000"
    assert cells["within the interval"] == "yes"


def test_a_largest_order_that_is_slower_than_foretold_is_not_within() -> None:
    (table,) = tables({**SECONDS, 4000: 2 * SECONDS[4000]})
    assert table.rows[0][-1] == "no"


def test_three_orders_foretell_none_and_two_have_no_law() -> None:
    (table,) = tables({n: SECONDS[n] for n in (500, 1000, 2000)})
    assert table.rows[0][-1] == "–"
    assert not tables({n: SECONDS[n] for n in (500, 1000)})


def test_times_that_grow_slower_than_the_square_have_no_rate_of_ever_larger_orders() -> None:
    (table,) = tables({n: 1e-6 * n**1.5 for n in (500, 1000, 2000, 4000)})
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["rate of ever larger orders"] == cells["order of half that rate"] == "–"

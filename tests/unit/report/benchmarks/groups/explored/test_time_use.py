"""The table of where the time of each layout went."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.explore import RANKS
from machmeter.model.results.run import ResourceUse
from machmeter.report.benchmarks.groups.explored.standings import layout_results
from machmeter.report.benchmarks.groups.explored.time_use import time_use_tables
from machmeter.report.benchmarks.section import section_of
from machmeter.report.table import Table
from machmeter.text.numbers import NOTHING
from tests.support.synthetic.explored import ALONE, SET, make_explored

USE = ResourceUse(
    spec=SET,
    launches=10,
    sampled=10,
    cpu_share=0.97,
    peak_bytes=3.0 * 2**20,
    voluntary_switches=1234.0,
    involuntary_switches=5.5,
    system_share=0.25,
    read_bytes=0.0,
    written_bytes=4096.0,
)


def table_of(*used: ResourceUse) -> Table:
    run = make_explored(used={one.spec: one for one in used})
    (table,) = time_use_tables(section_of(run, RANKS.name))
    return table


def cells(table: Table, spec: str) -> tuple[str, ...]:
    names = {one.spec: one.name for one in layout_results(section_of(make_explored(), RANKS.name))}
    (row,) = [row for row in table.rows if row[0] == names[spec]]
    return row[1:]


def test_a_layout_has_what_its_launches_used() -> None:
    shown = cells(table_of(USE), SET)
    assert shown[:3] == ("97 %", "25 %", "3 MiB")
    assert shown[4:] == ("1,234", "0 B", "4 KiB", "10")


def test_layouts_are_in_the_order_of_the_picture() -> None:
    run = make_explored()
    order = [one.name for one in layout_results(section_of(run, RANKS.name))]
    assert [row[0] for row in table_of(USE).rows] == order


def test_a_layout_without_observed_launches_has_no_number() -> None:
    assert set(cells(table_of(USE), ALONE)[:-1]) == {NOTHING}


def test_short_launches_have_totals_and_the_note_counts_them() -> None:
    short = replace(USE, sampled=3, system_share=None, read_bytes=None, written_bytes=None)
    table = table_of(short)
    shown = cells(table, SET)
    assert shown[0] == "97 %"
    assert (shown[1], shown[5], shown[6]) == (NOTHING, NOTHING, NOTHING)
    assert "7 launches" in table.note
    assert "7 launches" not in table_of(USE).note


def test_without_records_there_is_no_table() -> None:
    assert time_use_tables(section_of(make_explored(), RANKS.name)) == []

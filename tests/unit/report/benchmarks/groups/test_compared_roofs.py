"""The roofs of machines side by side: who has them, and how they compare."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults
from machmeter.report.benchmarks.groups.roofline.compared import ComparedRoofs, compared_roofs
from tests.support.made_up.machines import measured, printed
from tests.unit.report.benchmarks.groups.test_roofline import MEMORY, PEAKS, WITHIN, peak, sweep


def machine(name: str, *estimates: Estimate) -> MachineResults:
    placed = (replace(e, memory_level=_level(e)) for e in estimates)
    return replace(measured(name), estimates=tuple(placed))


def _level(one: Estimate) -> MemoryLevel | None:
    size = dict(one.point.parameters).get("size")
    if size is None:
        return None
    return MemoryLevel.CACHES if size == WITHIN else MemoryLevel.MEMORY


OLD = machine("old", *MEMORY, *PEAKS)
NEW = machine("new", *sweep("triad", "nontemporal", 60, 60), *PEAKS, peak("512-bit", "double", 160))


def compared(*machines: MachineResults) -> ComparedRoofs:
    found = compared_roofs(machines, [False] * (len(machines) - 1))
    assert found is not None
    return found


def test_each_roof_has_a_row_with_the_ratio_to_the_first_machine() -> None:
    table = compared(OLD, NEW).table
    assert table.columns[1:] == ("old", "new", "ratio")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["memory bandwidth"][0].startswith("40.0 GB/s [")
    assert "triad" in rows["memory bandwidth"][1]
    assert rows["memory bandwidth"][2].startswith("1.50x [")
    assert rows["highest peak"][2].startswith("2.00x [")
    # What one of them has not is compared with nothing.
    assert rows["peak, 512-bit"][0] == rows["peak, 512-bit"][2] == "–"
    assert [ridge.split()[0] for ridge in rows["ridge"][:2]] == ["2", "2.67"]


def test_the_picture_bends_where_memory_and_peak_meet() -> None:
    (rows, *_) = compared(OLD, NEW).chart.spec["datasets"].values()
    lines = {name: [r for r in rows if r["series"] == name] for name in ("old", "new")}
    assert [row["value"] for row in lines["old"]] == [5, 80, 80]
    assert [row["x"] for row in lines["old"]][1] == 2
    assert [row["value"] for row in lines["new"]] == [7.5, 160, 160]
    assert lines["new"][0]["x"] == lines["old"][0]["x"] == 0.125


def test_launches_of_one_round_are_paired_only_where_they_were_interleaved() -> None:
    apart = compared_roofs([OLD, OLD], [False])
    interleaved = compared_roofs([OLD, OLD], [True])
    assert apart is not None
    assert interleaved is not None
    for table, same in ((apart.table, False), (interleaved.table, True)):
        ratios = {row[-1] for row in table.rows if row[-1]}
        assert (ratios == {"1.00x [1.00, 1.00]"}) == same


def test_fewer_than_two_machines_with_both_roofs_are_not_compared() -> None:
    no_peak, in_caches = machine("a", *MEMORY), machine("b", *PEAKS, *MEMORY[-4:-2])
    for other in (no_peak, in_caches, printed()):
        assert compared_roofs([OLD, other], [False]) is None
    found = compared(printed(), OLD, no_peak, NEW)
    assert found.table.columns[1:] == ("old", "new", "ratio")

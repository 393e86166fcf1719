"""The roofs of several machines side by side: a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.scaling.roofline import ridge
from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.analysis.stats.fields import value_of
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults
from machmeter.report.benchmarks.groups.roofline.picture import compared_chart
from machmeter.report.benchmarks.groups.roofline.roofs import Roofs, roofs_of, sweep_text
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table, TableRow
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain
from machmeter.text.ratios import bounded_ratio_text
from machmeter.text.results import value_with_interval


class _Side(Struct, frozen=True):
    """A machine with its roofs, and whether its launches are paired with the first machine's."""

    name: str
    roofs: Roofs
    paired: bool


class ComparedRoofs(Struct, frozen=True):
    """What the page of a comparison shows of the roofs of its machines."""

    table: Table
    """A row for each roof, a column for each machine, with ratios to the first."""
    chart: Chart
    """All in one picture."""


def compared_roofs(
    machines: Sequence[MachineResults], paired: Sequence[bool]
) -> ComparedRoofs | None:
    """The roofs of those machines that have both; None for fewer than two of them.

    paired: of each machine but the first, whether its launches were interleaved with the first's.
    """
    with_pairing = list(zip(machines, (False, *paired), strict=True))
    sides = [_Side(plain(m.title, 60), r, p) for m, p in with_pairing if (r := _roofs(m))]
    if len(sides) < 2:
        return None
    if _roofs(machines[0]) is None:
        # The others were interleaved with that one, not with each other.
        sides = [replace(one, paired=False) for one in sides]
    chart = compared_chart(
        "compared-roofline",
        "Rooflines in double precision",
        "Rate of operations over operations per byte on logarithmic axes, a line for each machine "
        "on all its cores: it rises as the memory allows, up to the highest peak of the cores; "
        "with 95 % bands.",
        [(one.name, one.roofs) for one in sides],
    )
    return ComparedRoofs(_table(sides), chart)


def _roofs(machine: MachineResults) -> Roofs | None:
    return roofs_of(machine.estimates, lambda one: one.memory_level is MemoryLevel.MEMORY)


def _table(sides: Sequence[_Side]) -> Table:
    names = [one.name for one in sides]
    ratios = ("ratio",) if len(names) == 2 else tuple(f"{name}, ratio" for name in names[1:])
    return Table(
        caption="Roofs of all cores, double precision",
        columns=("roof", *names, *ratios),
        rows=tuple(_rows(sides)),
        note=f"With 95 % intervals; ratios are over {names[0]}. A kernel reaches at most the lower "
        "of the peak and its operations per byte times the bandwidth (Williams et al., CACM 52, "
        "2009): below the ridge memory is the limit, above it the peak.",
    )


def _rows(sides: Sequence[_Side]) -> Iterator[TableRow]:
    each = [one.roofs for one in sides]
    no_ratios = [""] * (len(sides) - 1)
    threads = (one.bandwidth.point.layout.threads for one in each)
    yield ("layout", *(count_text(n, "thread", "threads") for n in threads), *no_ratios)
    widths = dict.fromkeys(value_of(peak, "width") for one in each for peak in one.peaks)
    for width in widths:
        yield _row(f"peak, {width}", [_peak_of(one, width) for one in each], sides)
    if len(widths) > 1:
        yield _row("highest peak", [one.peak for one in each], sides)
    name, *cells = _row("memory bandwidth", [one.bandwidth for one in each], sides)
    swept = (f"{c} ({sweep_text(r.bandwidth)})" for c, r in zip(cells, each, strict=False))
    yield (name, *swept, *cells[len(each) :])
    ridges = (f"{ridge(one.peak, one.bandwidth):.3g} operations per byte" for one in each)
    yield ("ridge", *ridges, *no_ratios)


def _row(name: str, values: Sequence[Estimate | None], sides: Sequence[_Side]) -> TableRow:
    others = zip(values[1:], sides[1:], strict=True)
    ratios = (_ratio_text(other, values[0], side) for other, side in others)
    return (name, *map(value_with_interval, values), *ratios)


def _ratio_text(one: Estimate | None, first: Estimate | None, side: _Side) -> str:
    if one is None or first is None:
        return NOTHING
    return bounded_ratio_text(compare_estimates(one, first, paired=side.paired))


def _peak_of(roofs: Roofs, width: object) -> Estimate | None:
    return next((one for one in roofs.peaks if value_of(one, "width") == width), None)

"""Where the time of a program that is not ours went, for each layout: CPUs, memory, switches."""

from __future__ import annotations

from machmeter.model.results.run import ResourceUse
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.groups.explored.standings import layout_results
from machmeter.report.benchmarks.section import Section
from machmeter.report.table import Table, TableRow
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.ratios import percent_text

_COLUMNS = (
    "layout",
    "CPU use",
    "system",
    "peak memory",
    "invol. switches",
    "vol. switches",
    "read",
    "written",
    "launches",
)
_NOTE = (
    "Medians over accepted launches, each the sum over its ranks. CPU use: CPU time over wall time "
    "times CPUs, as many as the layout has threads; where nothing is set, all that the program may "
    "use. System: its share of the CPU time. Peak memory: each rank at its own peak; what ranks "
    "share counts in each. Switches: context switches, involuntary for the sake of others, "
    "voluntary to wait. Read and written: from and to storage, without what the page cache holds."
)


def time_use_tables(section: Section) -> list[Table]:
    """Where the time of each layout went, in the order of the picture; none without records."""
    by_spec = {one.spec: one for one in section.result.resource_use}
    layouts = [one for one in layout_results(section) if one.spec]
    used = [by_spec[one.spec] for one in layouts if one.spec in by_spec]
    if not used:
        return []
    rows = tuple(_row(one.name, by_spec.get(one.spec)) for one in layouts)
    last = len(_COLUMNS) - 1
    return [
        Table(
            "Where the time went",
            _COLUMNS,
            rows,
            tuple(range(1, last + 1)),
            f"{_NOTE}{_short_text(used)}",
        )
    ]


def _row(name: str, use: ResourceUse | None) -> TableRow:
    if use is None:
        return (name, *([NOTHING] * (len(_COLUMNS) - 2)), "0")
    return (
        name,
        percent_text(use.cpu_share),
        NOTHING if use.system_share is None else percent_text(use.system_share),
        format_bytes(round(use.peak_bytes)),
        f"{use.involuntary_switches:,.0f}",
        f"{use.voluntary_switches:,.0f}",
        _bytes_text(use.read_bytes),
        _bytes_text(use.written_bytes),
        str(use.launches),
    )


def _bytes_text(count: float | None) -> str:
    return NOTHING if count is None else format_bytes(round(count))


def _short_text(used: list[ResourceUse]) -> str:
    """How many launches were too short to be observed, of which only totals are known."""
    short = sum(one.launches - one.sampled for one in used)
    if not short:
        return ""
    launches = count_text(short, "launch was", "launches were")
    return f" {launches} too short to be observed: only totals are known, not what was read."

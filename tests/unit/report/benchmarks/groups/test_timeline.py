import math

from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.model.units import FLOPS
from machmeter.report.benchmarks.groups.timeline import (
    MOST_BUCKETS,
    timeline_charts,
    timeline_tables,
    timelines,
)
from machmeter.report.benchmarks.section import Section, section_of
from tests.support.synthetic.machine import make_machine
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.places import timeline
from tests.support.synthetic.runs import run


def section(result: RunResult) -> Section:
    return section_of(result, "memory.timeline")


RUN = run("2 cores")
UNBOUND, CLOSE, SPREAD = timelines(section(RUN))


def with_series(**series: tuple[float, ...]) -> RunResult:
    """The first series alone, with other numbers."""
    shown = next(s for s in RUN.shown if s.point.benchmark == "memory.timeline")
    record = replace(shown.record, series=shown.record.series | series)
    return replace(RUN, shown=(replace(shown, record=record),))


def test_rates_are_bytes_over_time_of_a_sweep() -> None:
    record = UNBOUND.shown.record
    rate = record.quantities["stream_bytes"] / record.series["seconds"][7]
    assert math.isclose(UNBOUND.rates[7], rate)


def test_a_rate_is_that_of_the_first_metric_in_its_unit() -> None:
    shown = next(s for s in RUN.shown if s.point.benchmark == "memory.timeline")
    record = replace(shown.record, quantities={"flops": 1e6})
    point = replace(shown.point, benchmark="compute.sustained")
    result = replace(RUN, shown=(replace(shown, point=point, record=record),))
    of_flops = section_of(result, "compute.sustained")
    (one,) = timelines(of_flops)
    assert one.unit == FLOPS
    assert math.isclose(one.rates[3], 1e6 / record.series["seconds"][3])
    (chart,) = timeline_charts(of_flops)
    assert chart.name == "compute-sustained"
    assert timeline_tables(of_flops)[0].rows[0][0] == one.name
    assert any("flop/s" in cell for cell in timeline_tables(of_flops)[0].rows[0])


def test_thinning_keeps_extremes_and_migrations() -> None:
    buckets = UNBOUND.buckets()
    assert len(buckets) <= MOST_BUCKETS < len(UNBOUND.rates)
    assert min(b.low for b in buckets) == min(UNBOUND.rates)
    assert max(b.high for b in buckets) == max(UNBOUND.rates)
    assert sum(b.migrations for b in buckets) == sum(UNBOUND.migrations) > 0
    assert sum(b.slices for b in buckets) == len(UNBOUND.rates)
    assert all(b.low <= b.median <= b.high for b in buckets)


def test_short_series_are_not_thinned() -> None:
    _, shown = timeline(Maker(1), make_machine().topology, slices=40)
    (chart,) = timeline_charts(section(replace(RUN, shown=shown)))
    assert "Thinned" not in chart.note
    assert "Thinned" in timeline_charts(section(RUN))[0].note


def test_a_change_of_level_is_found_where_it_was_made() -> None:
    ((at, change),) = UNBOUND.changes()
    assert abs(at - 36) < 1
    assert change.after < change.before
    assert CLOSE.changes() == ()


def test_table_tells_migrations_cpus_and_changes() -> None:
    slices, changes = timeline_tables(section(RUN))
    by_binding = {row[0]: dict(zip(slices.columns, row, strict=True)) for row in slices.rows}
    assert by_binding["unbound"]["migrations"] == str(sum(UNBOUND.migrations))
    assert by_binding["close"]["migrations"] == "0"
    assert by_binding["close"]["CPUs"] == "0-1"
    assert [row[0] for row in changes.rows] == ["unbound"]
    assert changes.rows[0][-1].startswith("-")


def test_series_that_mean_nothing_are_not_drawn() -> None:
    slices = len(UNBOUND.rates)
    for wrong in (
        {"seconds": ()},
        {"seconds": (0.0,) * slices},
        {"seconds": (math.nan,) * slices},
        {"at": (0.0,)},
        {"at": (math.inf,) * slices},
    ):
        assert timelines(section(with_series(**wrong))) == ()
        assert timeline_charts(section(with_series(**wrong))) == []
        assert timeline_tables(section(with_series(**wrong))) == []


def test_cpus_that_are_none_are_left_out() -> None:
    slices = len(UNBOUND.rates)
    (found,) = timelines(
        section(with_series(**{"cpu.1": (-1.0, 5.0, math.nan, *(-1.0,) * (slices - 3))}))
    )
    assert found.cpus == (0, 5)

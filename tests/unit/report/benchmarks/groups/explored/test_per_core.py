"""Results for each core: of layouts that take different numbers of cores, and of rates or times."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.explore import RANKS
from machmeter.model.benchmark import Direction
from machmeter.model.results.run import RunResult
from machmeter.model.units import RUNS_PER_SECOND, SHARE
from machmeter.report.benchmarks.groups.explored.per_core import CoreResult, core_results
from machmeter.report.benchmarks.groups.explored.picture import layout_tables
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.benchmarks.section import section_of
from tests.support.synthetic.explored import ALONE, ONE_RANK, SET, make_explored

SECONDS = {ALONE: 2.0, SET: 1.0, ONE_RANK: 1.5}


def by_spec(run: RunResult) -> dict[str, CoreResult]:
    found = core_results(run.estimates, run.header.machine.topology)
    return {one.name: found[one.points[0]] for one in run.plan.specs if one.points[0] in found}


def as_rates(run: RunResult) -> RunResult:
    changed = {"unit": RUNS_PER_SECOND, "direction": Direction.HIGHER}
    return replace(run, estimates=tuple(replace(one, **changed) for one in run.estimates))


def test_a_time_is_told_as_the_time_of_all_its_cores() -> None:
    found = by_spec(make_explored(SECONDS))
    assert found[ALONE] == CoreResult(1, "core time", "2.00 s")
    assert found[SET] == CoreResult(2, "core time", "2.00 s")
    assert found[ONE_RANK] == CoreResult(2, "core time", "3.00 s")


def test_a_rate_is_told_for_each_core() -> None:
    found = by_spec(as_rates(make_explored(SECONDS)))
    assert found[ALONE] == CoreResult(1, "per core", "2.00 run/s")
    assert found[SET] == CoreResult(2, "per core", "0.500 run/s")


def test_nothing_is_told_where_cores_are_as_many_or_a_result_is_no_rate() -> None:
    run = make_explored({SET: 1.0, ONE_RANK: 1.5})
    assert by_spec(run) == {}
    assert "cores" not in layout_tables(section_of(run, RANKS.name))[0].columns
    shares = [replace(one, unit=SHARE) for one in as_rates(make_explored(SECONDS)).estimates]
    assert core_results(shares, run.header.machine.topology) == {}


def test_more_threads_than_cores_take_the_cores_that_there_are() -> None:
    run = make_explored(SECONDS)
    wide = replace(run.estimates[1].point.layout, ranks_per_node=64, oversubscribe=True)
    many = replace(run.estimates[1], point=replace(run.estimates[1].point, layout=wide))
    topology = run.header.machine.topology
    found = core_results([run.estimates[0], many], topology)
    assert found[many.point].cores == len(topology.usable_cores) > 1


def test_the_table_of_layouts_and_the_key_results_have_it() -> None:
    run = make_explored(SECONDS)
    (table,) = layout_tables(section_of(run, RANKS.name))
    assert table.columns[4:] == ("cores", "core time", "standing")
    assert {row[4:6] for row in table.rows} == {("1", "2.00 s"), ("2", "2.00 s"), ("2", "3.00 s")}
    labels = [one.label for one in headline_results(run)]
    assert sum(label.endswith("; 2.00 s core time") for label in labels) == 2
    left = replace(run, estimates=run.estimates[:2])
    (table,) = layout_tables(section_of(left, RANKS.name))
    assert len({len(row) for row in (*table.rows, table.columns)}) == 1

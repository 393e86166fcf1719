import pytest
from msgspec.structs import replace

from machmeter.model.device import DeviceRanges, DeviceUse, HostCpus
from machmeter.model.plan.launch import LaunchOutcome, Verdict
from machmeter.model.results.run import ReferenceDrift
from machmeter.report.benchmarks.selection import estimates_of
from machmeter.report.views.tables import (
    MAX_CPUS,
    device_table,
    drift_table,
    dropped_table,
    estimate_table,
    noise_table,
    time_table,
    uncounted_table,
)
from tests.support.synthetic.runs import NAMES, run, tables_in

RUN = run("quick")


def test_rows_fit_their_columns() -> None:
    for benchmark in dict.fromkeys(e.point.benchmark for e in RUN.estimates):
        table = estimate_table(benchmark, estimates_of(RUN, benchmark), 1000)
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_every_table_of_a_benchmark_fit(name: str) -> None:
    for benchmark in dict.fromkeys(e.point.benchmark for e in run(name).estimates):
        for table in tables_in(run(name), benchmark):
            assert table.rows
            assert {len(row) for row in table.rows} == {len(table.columns)}
            assert max(table.numeric) < len(table.columns)


def test_ancestors_are_compared_with_the_closest() -> None:
    (table,) = tables_in(run("scalemp"), "memory.pages")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    closest = [row for row in rows if row["in common"] == "same CPU"]
    assert len(closest) == 2 * 2 * 2 * 2
    assert all(row["over the closest"] == "1.00x" for row in closest)
    (table,) = tables_in(run("scalemp"), "threads.pairs")
    assert sum(int(row[2]) for row in table.rows) == 3 * 64


def test_partition_is_told_in_products() -> None:
    node = run("scalemp")
    (table,) = tables_in(node, "sparse.spmv")
    cells = {(row[0], row[1]): row for row in table.rows}
    assert cells["ramp", "static"][-1] == "–"
    costs = {name: estimates_of(node, "sparse.spmv", name) for name in ("flops", "placement_time")}
    rate, cost = (
        next(
            e.value
            for e in found
            if e.point.get("matrix") == "ramp"
            and e.point.get("schedule") == "balanced"
            and e.point.layout.threads == 16
        )
        for found in costs.values()
    )
    assert cells["ramp", "balanced"][-1] == f"{cost * rate / 16e6:.1f}"


def test_what_is_the_same_in_every_row_stands_once() -> None:
    table = estimate_table("memory.latency", estimates_of(RUN, "memory.latency"), 1000)
    assert table.columns[:2] == ("size", "pages")
    assert "threads per rank 1" in table.note
    assert len(table.rows) == 60


def test_table_of_one_result_names_it() -> None:
    table = estimate_table("x", estimates_of(RUN, "network.latency")[:1], 10)
    assert table.rows[0][0] == "Latency, one way"


def test_batches_are_noted() -> None:
    batched = [replace(e, batch=64) for e in estimates_of(RUN, "network.latency")[:3]]
    assert "3 results were timed in batches of up to 64 events" in (
        estimate_table("x", batched, 10).note
    )


def test_overheads_below_zero_are_noted() -> None:
    one = estimates_of(RUN, "threads.sync")[0]
    below = replace(one, value=0.0, low=0.0, high=1e-9, resolved=False, below_zero=True)
    table = estimate_table("x", [one, below], 10)
    assert "1 overhead is significantly below zero" in table.note
    assert "below zero" in " ".join(table.rows[1])
    assert "below zero" not in estimate_table("x", [one], 10).note


def test_devices_have_a_row_each_and_a_run_without_them_has_no_table() -> None:
    assert not device_table(RUN).rows
    known = DeviceRanges((1.98e9, 1.98e9), None, (41.0, 63.0), None)
    reasons = {"sw_power_cap": 2}
    use = DeviceUse("b", "cuda:0", HostCpus.NEAR, 2, known, known, (450.0, 450.0), None, reasons)
    table = device_table(replace(RUN, device_uses=(use,)))
    (row,) = [dict(zip(table.columns, one, strict=True)) for one in table.rows]
    assert (row["host CPUs"], row["SM clock"]) == ("near", "1,980 MHz")
    assert (row["memory clock"], row["mean power"]) == ("unknown", "450 W")
    assert row["clock event reasons"] == "sw_power_cap at 2 of 2 points"


def test_launches_that_do_not_count_keep_their_reasons() -> None:
    table = uncounted_table(RUN)
    assert [row[2] for row in table.rows] == ["rejected", "failed", "timed out"]
    assert "signal 11" in table.rows[1][3]


def test_dropped_points_are_listed() -> None:
    outcome = LaunchOutcome(
        5, "s", Verdict.ACCEPTED, (), (), 0, "", 1.0, dropped_points={"copy": "wrong sum"}
    )
    assert dropped_table(replace(RUN, outcomes=(outcome,))).rows == (("copy", "5", "wrong sum"),)


def test_noise_of_many_cpus_shows_the_worst() -> None:
    quiet = RUN.noise[0]
    many = [replace(quiet, cpu=n, p99_slowdown=1 + n / 100) for n in range(200)]
    table = noise_table(replace(RUN, noise=tuple(many)))
    assert len(table.rows) == MAX_CPUS
    assert table.rows[0][1] == "199"
    assert "136 CPUs" in table.note


def test_drift_has_as_many_decimals_in_value_and_interval() -> None:
    one = ReferenceDrift("memory", 1e-3, 0.89e-3, 0.89, 0.6487, 1.221)
    (row,) = drift_table(replace(RUN, drift=(one,))).rows
    assert row[-2:] == ("0.89x", "[0.65, 1.22]")


def test_steal_is_noted_with_the_noise() -> None:
    assert "guests" not in noise_table(RUN).note
    assert "took 1.2 % of" in noise_table(replace(RUN, steal={"a": 0.0123})).note
    assert "on b, the most" in noise_table(replace(RUN, steal={"a": 0.01, "b": 0.02})).note


def test_parts_of_the_time_sum_to_the_whole() -> None:
    shares = [int(row[2].split()[0]) for row in time_table(RUN).rows]
    assert abs(sum(shares[:3]) - 100) <= 1
    assert shares[3] == 100

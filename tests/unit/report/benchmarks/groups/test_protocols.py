import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.layout import Layout
from machmeter.model.results.curves import ProtocolCurve, ProtocolRegion
from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.groups.protocols import (
    line_rows,
    protocol_tables,
    step_text,
    switch_bytes,
)
from machmeter.report.benchmarks.section import section_of
from machmeter.report.table import Table
from tests.support.synthetic.runs import charts_in, run

RUN, LAPTOP = run("cluster"), run("laptop")
EAGER, LARGE = RUN.protocols[0].regions


def tables(result: RunResult, benchmark: str = "network.latency") -> list[Table]:
    return protocol_tables(section_of(result, benchmark))


def with_regions(*regions: ProtocolRegion) -> RunResult:
    curve = replace(LAPTOP.protocols[0], regions=regions)
    return replace(LAPTOP, protocols=(curve,))


def test_table_has_a_row_a_region_of_every_curve() -> None:
    (table,) = tables(RUN)
    assert table.columns == ("MPI", "sizes", "start-up", "for each byte", "towards", "step to it")
    assert [row[0] for row in table.rows] == ["mpich", "mpich", "openmpi", "openmpi"]
    assert table.rows[1][1:] == (
        "32 KiB to 4 MiB",
        "1.32 µs [1.29, 1.35]",
        "105 ps [102, 108]",
        "9.50 GB/s [9.22, 9.79]",
        "+900 ns [855, 945]",
    )
    assert table.rows[0][-1] == "–"


def test_a_run_without_protocols_has_no_table() -> None:
    assert tables(replace(RUN, protocols=())) == []
    assert tables(RUN, "network.bandwidth") == []
    assert tables(with_regions()) == []


def test_the_switch_lies_between_the_regions() -> None:
    assert EAGER.last_bytes < switch_bytes(EAGER, LARGE) < LARGE.first_bytes


def test_steps_say_whether_time_is_lost_or_won() -> None:
    won = replace(LARGE, step_seconds=-2e-7, step_low=-3e-7, step_high=-1e-7)
    assert step_text(won).startswith("\u2212200 ns [")
    assert step_text(replace(LARGE, step_low=-UNBOUNDED, step_high=UNBOUNDED)) == "+900 ns"


def test_slopes_and_intervals_that_mean_nothing_are_not_turned_over() -> None:
    flat = replace(EAGER, seconds_per_byte=-1e-12, per_byte_low=-2e-12, per_byte_high=1e-12)
    unsure = replace(LARGE, per_byte_low=-UNBOUNDED, per_byte_high=UNBOUNDED)
    (table,) = tables(with_regions(flat, unsure))
    assert table.rows[0][3] == "–"
    assert table.rows[1][2:4] == ("105 ps interval unknown", "9.50 GB/s")


def latency_spec(run: RunResult) -> str:
    (chart,) = (c for c in charts_in(run, "network.latency") if c.name == "network-latency")
    return json.dumps(chart.spec, ensure_ascii=False)


def test_switches_are_named_by_their_curve_where_there_are_several() -> None:
    assert "1 node, openmpi: switch, +630 ns" in latency_spec(RUN)
    assert '"style": "region"' not in latency_spec(RUN)


def test_regions_of_a_single_curve_are_shaded() -> None:
    one_node = tuple(e for e in LAPTOP.estimates if e.point.layout.nodes == 1)
    spec = latency_spec(replace(LAPTOP, estimates=one_node))
    assert '"style": "region"' in spec
    assert '"switch, +900 ns' in spec


def test_a_protocol_of_a_curve_that_is_not_drawn_is_left_to_the_table() -> None:
    point = replace(RUN.protocols[0].point, layout=Layout(nodes=9))
    stray = ProtocolCurve(point, "latency", (EAGER, LARGE))
    spec = latency_spec(replace(RUN, protocols=(stray,)))
    assert "switch, " not in spec
    assert len(tables(replace(RUN, protocols=(stray,)))[0].rows) == 2


@given(
    st.lists(st.integers(0, 2**30), min_size=2, max_size=8, unique=True),
    st.floats(-1e-5, 1e-3),
    st.floats(-1e-12, 1e-8),
)
def test_fitted_lines_hold_only_what_a_logarithmic_axis_can_show(
    ends: list[int], startup: float, per_byte: float
) -> None:
    bounds = sorted(ends)
    regions = tuple(
        replace(
            EAGER, first_bytes=a, last_bytes=b, startup_seconds=startup, seconds_per_byte=per_byte
        )
        for a, b in zip(bounds[::2], bounds[1::2], strict=False)
    )
    rows = line_rows("", replace(LAPTOP.protocols[0], regions=regions), 1e-6)
    assert all(row["value"] > 0 for row in rows)
    assert all(0 <= row["at"] <= 1.0001 * bounds[-1] + 1 for row in rows)

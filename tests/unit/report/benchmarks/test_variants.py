import math

from msgspec.structs import replace

from machmeter.analysis.stats.fields import where
from machmeter.benchmarks.network.messages import LATENCY_VARIANTS
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.pivot_tables import MOST_COLUMNS, pivot, ratio_tables, spread_out
from machmeter.report.benchmarks.section import Section, section_of
from machmeter.report.benchmarks.selection import estimates_of, of_metric
from machmeter.report.benchmarks.variants import (
    pair_ratio_text,
    ratio_of,
    variant_names,
    variant_of,
    variant_pairs,
)
from machmeter.report.views.axis import OUTSTANDING, PAIRS, SIZE
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.runs import run, tables_in

RUN = run("cluster")
LATENCIES = estimates_of(RUN, "network.latency")


def test_a_variant_differs_from_its_default_in_nothing_else() -> None:
    pairs = variant_pairs(LATENCIES, *LATENCY_VARIANTS.names)
    assert len(pairs) == 2 * 7 * 4
    for one, base in pairs:
        assert one.point.layout == base.point.layout
        assert one.point.get("size") == base.point.get("size")
        assert base.point.get("way") == "blocking"
        assert base.point.get("buffers") == "hot"
    assert {variant_of(pair) for pair in pairs} >= {"cold buffers", "ping-ping", "vector"}


def test_a_variant_without_its_default_is_left_out() -> None:
    cold = where(LATENCIES, "buffers", "cold")
    largest = where(where(LATENCIES, "size", 2**20), "way", "blocking")
    assert variant_pairs(cold[:1], *LATENCY_VARIANTS.names) == []
    assert {one.point.get("size") for one, _ in variant_pairs([*cold, *largest], "buffers")} == {
        2**20
    }
    assert variant_pairs([], "buffers") == []


def test_names_of_pairs_are_the_variant_and_what_else_differs() -> None:
    pairs = variant_pairs(LATENCIES, "buffers")
    assert set(variant_names(pairs, SIZE.replaces).values()) == {
        "cold buffers, mpich",
        "cold buffers, openmpi",
    }
    alone = [pair for pair in pairs if pair[0].point.variant.mpi == "mpich"]
    assert set(variant_names(alone, SIZE.replaces).values()) == {"cold buffers"}


def test_ratios_of_pairs_are_above_1_where_better() -> None:
    make = Maker(3)
    slow = make.estimate("network.latency", {"size": 8}, Layout(), "latency", 3e-6)
    fast = make.estimate("network.latency", {"size": 8}, Layout(), "latency", 1e-6)
    found = ratio_of(fast, slow)
    assert found is not None
    assert math.isclose(found.ratio, 3, rel_tol=0.05)
    turned = ratio_of(
        replace(fast, direction=Direction.HIGHER), replace(slow, direction=Direction.HIGHER)
    )
    assert turned is not None
    assert math.isclose(turned.ratio, 1 / 3, rel_tol=0.05)


def test_a_ratio_that_says_nothing_is_a_dash() -> None:
    one = LATENCIES[0]
    assert pair_ratio_text(replace(one, resolved=False), one) == "–"
    single = replace(
        one, launches=1, low=0.0, high=UNBOUNDED, launch_values=(one.value,), launch_numbers=(1,)
    )
    assert pair_ratio_text(single, single) == "–"


def test_a_pivot_holds_every_figure_once() -> None:
    found = of_metric(estimates_of(RUN, "network.pairs"), "latency")
    (table,) = pivot("pairs", found, PAIRS)
    filled = [cell for row in table.rows for cell in row[-4:] if cell != "–"]
    assert len(filled) == len(found)
    assert table.columns == (
        "definition", "size", "package", "MPI", "1 pair", "2 pairs", "4 pairs", "8 pairs",
    )  # fmt: skip
    assert "4\u00a0KiB" in {row[1] for row in table.rows}
    assert all("[" in cell for cell in filled)


def test_a_pivot_of_nothing_is_no_table() -> None:
    assert pivot("none", [], SIZE) == []
    assert ratio_tables(LATENCY_VARIANTS, Section(RUN, "network.latency", ())) == []


def test_the_plainest_parts_of_a_layout_are_not_told() -> None:
    found = where(LATENCIES, "buffers", "cold")
    (table,) = pivot("cold", found, SIZE)
    assert "ranks per node 2" in table.note
    assert "buffers cold" in table.note
    assert "SMT" not in table.note
    assert "allocator" not in table.note


def test_more_values_than_columns_keep_the_ends() -> None:
    assert spread_out([1, 2, 3], 8) == [1, 2, 3]
    shown = spread_out(list(range(100)), MOST_COLUMNS)
    assert (shown[0], shown[-1], len(shown)) == (0, 99, MOST_COLUMNS)
    (table,) = pivot("latency", LATENCIES, SIZE)
    assert len(table.numeric) == MOST_COLUMNS
    assert "8 of 24 values of size are shown" in table.note


def test_ratios_name_the_variant_in_the_first_column() -> None:
    (table,) = ratio_tables(LATENCY_VARIANTS, section_of(RUN, "network.latency"))
    assert table.columns == ("variant", "MPI", "8 B", "1 KiB", "64 KiB", "1 MiB")
    assert len(table.rows) == 14
    assert all(cell.startswith(("0.", "1.")) for row in table.rows for cell in row[2:])


def test_operations_in_flight_are_the_rate_times_the_time_of_one() -> None:
    (table,) = tables_in(RUN, "network.onesided")
    found = estimates_of(RUN, "network.onesided")
    time = of_metric(found, "time")[0]
    rate = next(
        e
        for e in of_metric(found, "rate")
        if OUTSTANDING.of(e) == 64
        and {**dict(e.point.parameters), "outstanding": 1} == dict(time.point.parameters)
        and e.point.layout == time.point.layout
    )
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert math.isclose(float(cells["in flight"].split()[0]), rate.value * time.value, rel_tol=0.02)

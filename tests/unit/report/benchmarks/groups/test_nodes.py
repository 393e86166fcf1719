"""The map of nodes and the table of the worst."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.nodes.distribution import node_quantiles
from machmeter.report.benchmarks.groups.nodes.each import node_ranks
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.benchmarks.section import section_of
from machmeter.report.table import Table
from machmeter.report.views.records import RecordSets
from machmeter.report.views.results import linked_results
from machmeter.report.views.tables import estimate_table
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.runs import charts_in, run

SLOW = 5


def made(nodes: int, *slow: int) -> tuple[Estimate, ...]:
    make = Maker(5)
    layout = Layout(nodes=nodes, threads_per_rank=4)
    return tuple(
        make.estimate(
            *("nodes.stream", {"node": node, "size": 2**27}, layout, "bandwidth"),
            1e11 * (0.8 if node in slow else 1.0),
        )
        for node in range(nodes)
    )


def run_of(nodes: int, *slow: int) -> RunResult:
    hosts = tuple(f"node{number:03}" for number in range(nodes))
    return replace(run("cluster"), rank_hosts=hosts, estimates=made(nodes, *slow))


def table(result: RunResult) -> Table:
    (found,) = node_ranks(section_of(result, "nodes.stream"))
    return found


def test_the_slow_node_is_the_first_and_alone_is_called_so() -> None:
    rows = table(run_of(12, SLOW)).rows
    assert len(rows) == 12
    assert rows[0][0] == "node005"
    assert rows[0][2].startswith("1.2")
    assert [row[-1] for row in rows] == ["slow", *11 * ["not shown to be slow"]]


def test_of_many_nodes_the_worst_twenty_are_in_the_table() -> None:
    assert len(table(run_of(300, SLOW)).rows) == 20
    assert "median of 300 nodes" in table(run_of(300)).note


def test_what_slow_nodes_share_is_a_column_and_a_sentence() -> None:
    slow = (5, 6, 7)
    kernels = {node: "6.1" if node in {5, 6, 20} else "6.12" for node in range(40)}
    of_kernels = replace(run_of(40, *slow), node_attributes={"kernel": kernels})
    assert table(of_kernels).columns[-1] == "slow nodes share"
    shared = {row[0]: row[-1] for row in table(of_kernels).rows}
    assert {name for name, text in shared.items() if text == "kernel 6.1"} == {"node005", "node006"}
    assert shared["node007"] == "–"
    assert "2 of the 3 slow nodes have kernel 6.1, 1 of the 37 others." in table(of_kernels).note
    everywhere = replace(of_kernels, node_attributes={"kernel": dict.fromkeys(range(40), "6.1")})
    assert table(everywhere).columns[-1] == "verdict"


def test_every_node_is_on_the_map_by_its_host() -> None:
    chart, _ = charts_in(run_of(30, SLOW), "nodes.stream")
    spec = json.dumps(chart.spec)
    assert all(f'"node{number:03}"' in spec for number in range(30))
    assert "30 nodes on a grid" in chart.description


def test_the_distribution_has_every_node_at_its_share_and_the_slow_one_apart() -> None:
    _, chart = charts_in(run_of(30, SLOW), "nodes.stream")
    drawn = [row for rows in chart.spec["datasets"].values() for row in rows]
    by_value = sorted((row for row in drawn if "share" in row), key=lambda row: row["value"])
    shares = [100 * number / 30 for number in range(1, 31)]
    assert [row["share"] for row in by_value] == pytest.approx(shares, rel=1e-4)
    assert [row["where"] for row in by_value if row["series"] == "slow"] == ["node005"]
    assert by_value[0]["where"] == "node005"
    (usual,) = (row["at"] for row in drawn if "at" in row)
    assert usual == pytest.approx(100, rel=0.02)


def test_quartiles_are_those_of_the_nodes() -> None:
    (found,) = node_quantiles(section_of(run_of(64, SLOW), "nodes.stream"))
    ((title, nodes, least, *_, spread, noise),) = found.rows
    assert (title, nodes) == ("Bandwidth, STREAM bytes", "64")
    assert float(least.partition(" ")[0]) == pytest.approx(80, rel=0.02)
    assert float(spread.removesuffix(" %")) < 1
    assert float(noise.removesuffix(" %")) > 0
    (few,) = node_quantiles(section_of(run_of(3), "nodes.stream"))
    assert few.rows[0][-2:] == ("–", "–")
    assert node_quantiles(section_of(run_of(0), "nodes.stream")) == []


def test_few_nodes_have_no_map_and_too_many_none_either() -> None:
    assert charts_in(run_of(3), "nodes.stream") == ()
    assert charts_in(run_of(5000), "nodes.stream") == ()
    assert len(table(run_of(3)).rows) == 3


def test_the_worst_and_the_best_node_are_key_results() -> None:
    found = headline_results(run_of(12, SLOW))
    assert [one.title for one in found] == [
        "Memory bandwidth, worst node",
        "Memory bandwidth, best node",
    ]
    assert found[0].label == "node005"
    assert len(headline_results(run_of(1))) == 1


def test_results_of_nodes_name_their_hosts_beside_their_numbers() -> None:
    result = run_of(4)
    found = [one for one in result.estimates if one.point.benchmark == "nodes.stream"]
    table = linked_results(result, "nodes.stream", found, 10, RecordSets(None)).table
    node, host = table.columns.index("node"), table.columns.index("host")
    assert [(row[node], row[host]) for row in table.rows] == [
        (str(number), result.rank_hosts[number]) for number in range(4)
    ]
    without = estimate_table("nodes.stream", found, 10)
    assert "host" not in without.columns

"""The matrix of nodes and its tables."""

import json
from itertools import combinations

from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.nodes.pairs import node_tables
from machmeter.report.benchmarks.node_pairs import node_name, pairs_by_size
from machmeter.report.benchmarks.section import section_of
from machmeter.report.benchmarks.selection import estimates_of, of_metric
from machmeter.report.table import Table
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.network import (
    BAD_HOST,
    HOSTS,
    consistency,
)
from tests.support.synthetic.runs import charts_in, run

RUN, LAPTOP = run("cluster"), run("laptop")


def tables(result: RunResult) -> list[Table]:
    return node_tables(section_of(result, "network.consistency"))


def spec_of(run: RunResult, name: str) -> str:
    charts = {chart.name: chart for chart in charts_in(run, "network.consistency")}
    return json.dumps(charts[name].spec, ensure_ascii=False)


def test_nodes_are_named_by_their_hosts_where_each_has_one() -> None:
    assert [node_name(RUN, rank) for rank in (0, 5, 6)] == ["n1", "n6", "rank 6"]
    assert node_name(LAPTOP, 2) == "rank 2"
    assert node_name(replace(RUN, rank_hosts=("a\x1b",)), 0) == "a"


def test_the_bad_host_is_named_for_every_size() -> None:
    pairs, nodes = tables(RUN)
    worst = pairs.rows[:5]
    assert all(BAD_HOST in row[1] and row[-1] == BAD_HOST for row in worst)
    assert pairs.rows[5][-1] == "–"
    blamed = [(row[0], row[1]) for row in nodes.rows if row[-1] == "yes"]
    assert blamed == [("8 B", BAD_HOST), ("1 MiB", BAD_HOST)]
    assert "5 of 15 pairs apart" in pairs.note


def test_a_system_that_is_consistent_blames_nobody() -> None:
    pairs, nodes = tables(LAPTOP)
    assert {row[-1] for row in pairs.rows} == {"–"}
    assert {row[-1] for row in nodes.rows} == {"no"}
    assert "rank 0 (laptop)" in {row[1] for row in nodes.rows}
    assert '"filled": false' not in spec_of(LAPTOP, "network-consistency-latency")


def test_outliers_are_framed_in_the_matrix() -> None:
    spec = spec_of(RUN, "network-consistency-bandwidth")
    assert '"filled": false' in spec
    assert spec.count(", worse than usual") == 2 * (len(HOSTS) - 1)


def test_a_pair_stands_on_both_sides_of_the_diagonal() -> None:
    spec = spec_of(LAPTOP, "network-consistency-latency")
    assert spec.count('"where"') == 4 * 3 + 1


def test_the_matrix_of_many_nodes_is_small_and_holds_each_pair_once() -> None:
    hosts = tuple(f"node{n:02}" for n in range(32))
    many = replace(RUN, rank_hosts=hosts, estimates=tuple(consistency(Maker(1), len(hosts))))
    spec = spec_of(many, "network-consistency-latency")
    assert spec.count('"where"') == 32 * 31 // 2 + 1
    assert len(spec) < 100_000
    assert '"filled": false' in spec


def test_two_nodes_have_no_matrix_but_a_table() -> None:
    two = replace(RUN, estimates=tuple(consistency(Maker(1), 2)))
    assert charts_in(two, "network.consistency") == ()
    assert len(tables(two)) == 2


def test_a_large_system_has_its_worst_pairs_in_the_table_only() -> None:
    one = of_metric(estimates_of(RUN, "network.consistency"), "latency")[0]
    many = tuple(
        replace(one, point=replace(one.point, parameters=(("pair", f"{a}-{b}"), ("size", 8))))
        for a, b in combinations(range(60), 2)
    )
    large = replace(RUN, estimates=many)
    assert charts_in(large, "network.consistency") == ()
    pairs, nodes = tables(large)
    assert len(pairs.rows) == len(nodes.rows) == 20


def test_what_is_no_pair_or_not_resolved_is_left_out() -> None:
    one = estimates_of(RUN, "network.consistency")[0]
    odd = [
        replace(one, resolved=False),
        replace(one, value=0.0),
        replace(one, point=replace(one.point, parameters=(("pair", "all"), ("size", 8)))),
        replace(one, point=replace(one.point, parameters=(("pair", "3-3"), ("size", 8)))),
    ]
    assert pairs_by_size(odd) == ()
    assert tables(replace(RUN, estimates=tuple(odd))) == []


def test_pairs_are_judged_by_the_median_of_launches_as_findings_are() -> None:
    estimates = [
        replace(one, value=one.value * 50, launch_values=(one.value * 500, *[one.value] * 9))
        if dict(one.point.parameters)["pair"] == "0-1"
        else one
        for one in consistency(Maker(1), 4)
    ]
    latency = next(g for g in pairs_by_size(estimates) if g.metric == "latency")
    assert not latency.outliers
    assert latency.found.worse[0, 1] < 1.1


def test_pairs_of_several_levels_are_not_said_to_be_bad_by_themselves() -> None:
    far = {(one, other) for one, other in combinations(range(8), 2) if one < 5 <= other}
    estimates = []
    for one in consistency(Maker(1), 8):
        first, _, second = str(dict(one.point.parameters)["pair"]).partition("-")
        pair = (int(first), int(second))
        if one.metric != "latency":
            continue
        value = 3e-6 if pair in far else 1e-6
        estimates.append(replace(one, value=value, launch_values=(value,) * 10))
    for group in pairs_by_size(estimates):
        assert group.found.levels
        assert not group.found.nodes
    pairs, nodes = tables(replace(RUN, estimates=tuple(estimates)))
    assert {row[-1] for row in pairs.rows} <= {"no one node", "–"}
    assert {row[-1] for row in nodes.rows} == {"no"}

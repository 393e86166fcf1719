"""Study `nodes`: every node is measured by itself, at the same time."""

from __future__ import annotations

import pytest

from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import expected_launch_seconds, make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.studies.nodes import NODES
from tests.support.fake_launcher import PRECISION
from tests.support.made_up.network_studies import TWO_PACKAGES, machine_of

MACHINE = machine_of(TWO_PACKAGES)


def plan_over(*hosts: str) -> Plan:
    sizes = choose_sizes(MACHINE, ())
    return make_plan(NODES, MACHINE, LayoutOptions(hosts=hosts), PRECISION, sizes)


def test_each_node_is_one_process_with_a_thread_on_every_core() -> None:
    specs = [one for one in plan_over("n1", "n2", "n3").specs if one.of_points]
    assert {one.benchmark for one in specs} == {"nodes.stream", "nodes.latency", "nodes.fma"}
    for spec in specs:
        layout = spec.layout
        assert (layout.nodes, layout.ranks_per_node, layout.threads_per_rank) == (3, 1, 64)
        assert {point.get("node") for point in spec.points} == {0, 1, 2}


def test_one_node_is_measured_too() -> None:
    assert {point.get("node") for point in plan_over().points} == {0}


@pytest.mark.parametrize("benchmark", ["nodes.stream", "nodes.latency", "nodes.fma"])
def test_more_nodes_take_no_longer_but_to_start(benchmark: str) -> None:
    def seconds(*hosts: str) -> float:
        (spec,) = (one for one in plan_over(*hosts).specs if one.benchmark == benchmark)
        return expected_launch_seconds(spec, {})

    many = seconds(*(f"n{number}" for number in range(100)))
    assert many - seconds("n0") < 5

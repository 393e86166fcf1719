"""On which hosts a run goes on that began on others."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.results.run import Plan, Precision
from machmeter.run.measuring.hosts.continued import hosts_to_continue

BEFORE = ("n1", "n2", "n3")


def spec_of(benchmark: str, nodes: int, **parameters: Value) -> LaunchSpec:
    layout = Layout(nodes=nodes)
    point = make_point(benchmark, parameters, layout)
    return LaunchSpec("a spec", MPI_PROGRAM.name, benchmark, layout, (point,), 0.01)


MESSAGES = spec_of("network.latency", 2, size=8)
EACH = spec_of("nodes.fma", 3, node=0, seconds=1)


def plan_of(*specs: LaunchSpec) -> Plan:
    return Plan(specs, Precision(0.05, 3, 6, 100.0))


def test_messages_may_go_on_between_other_hosts() -> None:
    others = Hosts(("n7", "n8", "n9"))
    assert hosts_to_continue(plan_of(MESSAGES), BEFORE, others) == others


def test_results_of_each_host_go_on_in_the_order_that_they_had() -> None:
    found = hosts_to_continue(plan_of(MESSAGES, EACH), BEFORE, Hosts(("n3", "n1", "n2")))
    assert found.names == BEFORE
    more = Hosts(("n0", "n3", "n1", "n2"))
    assert hosts_to_continue(plan_of(EACH), BEFORE, more).names == BEFORE


def test_a_layout_that_was_ended_needs_no_hosts() -> None:
    left = replace(EACH, name="another", layout=Layout(nodes=2))
    plan = replace(plan_of(EACH, left), superseded=(EACH.name,))
    assert hosts_to_continue(plan, BEFORE[:2], Hosts(("n2", "n1"))).names == BEFORE[:2]


@pytest.mark.parametrize("names", [("n1", "n2", "n4"), ("n4", "n5", "n6", "n7")])
def test_results_of_each_host_do_not_go_on_on_others(names: tuple[str, ...]) -> None:
    with pytest.raises(MachineLacksError, match=r"nodes\.fma"):
        hosts_to_continue(plan_of(MESSAGES, EACH), BEFORE, Hosts(names))


def test_fewer_hosts_than_a_layout_has_are_refused() -> None:
    with pytest.raises(MachineLacksError, match="3 nodes"):
        hosts_to_continue(plan_of(EACH), BEFORE, Hosts(("n1", "n2")))
    assert hosts_to_continue(plan_of(MESSAGES), BEFORE, Hosts(("n1", "n2"))).names == ("n1", "n2")


def test_a_plan_for_hosts_that_are_lost_needs_those_that_are_left() -> None:
    found = hosts_to_continue(plan_of(EACH), BEFORE[:2], Hosts(("n2", "n1")))
    assert found.names == BEFORE[:2]
    with pytest.raises(MachineLacksError, match="2 nodes"):
        hosts_to_continue(plan_of(EACH), BEFORE[:2], Hosts(("n1",)))

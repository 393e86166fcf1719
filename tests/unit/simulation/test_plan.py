"""What is simulated: what models describe, once, and nothing that watches a real machine."""

from __future__ import annotations

import pytest

from machmeter.api.requests import request
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import LaunchMode, Layout
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import make_point
from machmeter.model.program import SIMULATOR
from machmeter.model.results.request_words import option_words
from machmeter.model.results.run import Plan
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.simulation.as_machine import machine_of
from machmeter.text.commands import command_for
from tests.support.made_up.twins import made_up_twin


def planned(*names: str, settings: dict[str, str] | None = None) -> Plan:
    twin = made_up_twin()
    wanted = request(*names, settings=settings, layout=LayoutOptions(), twin=twin)
    return plan_before_sizing(wanted, machine_of(twin))


def test_everything_is_simulated_once() -> None:
    plan = planned("network.latency", "network.pairs")
    assert plan.specs
    assert {spec.program for spec in plan.specs} == {SIMULATOR}
    assert {spec.role for spec in plan.specs} == {"points"}
    assert (plan.precision.least_launches, plan.precision.most_launches) == (1, 1)


def test_what_no_model_describes_is_left_out_with_its_reason() -> None:
    plan = planned("memory.stream", "network.latency", "shmem.atomics")
    assert {spec.benchmark for spec in plan.specs} == {"network.latency"}
    # Of OpenSHMEM too: no compiler would change that.
    assert [one.what for one in plan.skipped] == ["memory.stream", "shmem.atomics"]
    assert len({one.reason for one in plan.skipped}) == 1


def test_a_value_that_no_model_describes_is_left_out() -> None:
    plan = planned("network.latency", settings={"way": "blocking,persistent", "size": "8"})
    ways = {point.get("way") for point in plan.points}
    assert ways == {"blocking"}
    assert [one.what for one in plan.skipped] == ["network.latency with way=persistent"]


def test_nodes_are_those_of_the_twin() -> None:
    plan = planned("network.latency")
    assert {spec.layout.nodes for spec in plan.specs} == {1, 2}


def test_a_layout_that_no_model_describes_is_left_out() -> None:
    plan = planned("network.overlap")
    assert {spec.layout.nodes for spec in plan.specs} == {2}
    assert {one.what for one in plan.skipped} == {"network.overlap with nodes=1"}


def test_a_request_is_repeated_on_the_same_model() -> None:
    twin = made_up_twin()
    change = "network.hop_latency=2x"
    wanted = request("network.latency", twin=twin, on="./my.toml", changes=(change,))
    assert option_words(wanted) == ("--on", "./my.toml", "--with", change)
    point = make_point("network.latency", {"size": 8}, Layout(nodes=2))
    assert f"--on ./my.toml --with {change} --nodes 2" in command_for(point, wanted)


def test_what_a_launcher_does_by_itself_is_not_asked_of_a_model() -> None:
    twin = made_up_twin()
    options = LayoutOptions(modes=(LaunchMode.DEFAULT,))
    wanted = request("network.pairs", layout=options, twin=twin)
    with pytest.raises(MachineLacksError, match="no launcher"):
        plan_before_sizing(wanted, machine_of(twin))

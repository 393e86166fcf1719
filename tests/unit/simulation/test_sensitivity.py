"""Twins with one parameter changed, and what that changes of results."""

from __future__ import annotations

import pytest

from machmeter.model.units import SECONDS, format_value
from machmeter.simulation.builtin import find_twin, twin_names
from machmeter.simulation.sensitivity import (
    SensitivePoint,
    effects_of,
    varied_twins,
)
from tests.support.made_up.twins import VALUES, made_up_twin

POINT = SensitivePoint("latency, 8 B", 1e-6, format_value(1e-6, SECONDS))


def test_each_parameter_is_changed_by_itself() -> None:
    twin = made_up_twin()
    for one in varied_twins(twin):
        others = [p for p in one.twin.parameters if p.name != one.parameter]
        assert others == [p for p in twin.parameters if p.name != one.parameter]
        assert one.twin.value(one.parameter) != twin.value(one.parameter)


def test_values_stay_whole_and_in_their_range() -> None:
    found = {(one.parameter, one.factor): one.twin for one in varied_twins(made_up_twin())}
    name = "network.duplex_share"
    assert found[name, 1.2].value(name) == 1
    assert found[name, 0.8].value(name) == pytest.approx(0.72)
    name = "network.eager_limit"
    assert found[name, 0.8].value(name) == round(0.8 * 8192)
    # Twice nothing is nothing.
    assert ("network.hop_latency", 1.2) not in found


@pytest.mark.parametrize("name", twin_names())
def test_every_twin_can_be_varied_a_bounded_number_of_times(name: str) -> None:
    twin = find_twin(name)
    varied = varied_twins(twin)
    assert len(twin.parameters) < len(varied) <= 2 * len(twin.parameters)


def test_a_network_without_a_place_for_every_node_is_no_change() -> None:
    gordon = find_twin("gordon")
    places = [one for one in varied_twins(gordon) if one.parameter == "network.nodes_per_router"]
    assert [one.factor for one in places] == [1.2]


def test_effects_begin_with_the_largest() -> None:
    values = {(name, factor): (1e-6,) for name in VALUES for factor in (0.8, 1.2)}
    del values["network.hop_latency", 0.8], values["network.hop_latency", 1.2]
    del values["network.duplex_share", 1.2]
    values["network.nic_latency", 0.8] = (0.9e-6,)
    values["network.nic_latency", 1.2] = (1.1e-6,)
    values["network.software_overhead", 1.2] = (1.2e-6,)
    values["network.duplex_share", 0.8] = (1.01e-6,)
    values["network.message_gap", 0.8] = (1.0001e-6,)
    found = effects_of(made_up_twin(), (POINT,), values)
    assert [one.parameter for one in found.effects] == [
        "network.software_overhead",
        "network.nic_latency",
        "network.duplex_share",
    ]
    assert found.effects[0].changes == ((0.0, pytest.approx(0.2)),)
    assert found.effects[2].changes == ((pytest.approx(0.01), None),)
    assert found.fixed == ("network.hop_latency",)
    assert "network.message_gap" in found.without_effect
    assert len(found.effects) + len(found.fixed) + len(found.without_effect) == len(VALUES)

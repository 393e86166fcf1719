"""The declared parameters are those of the engine, within its ranges."""

from __future__ import annotations

import re

import pytest

from machmeter.model.errors import UsageError
from machmeter.model.twin import TwinTopology
from machmeter.simulation.parameters import (
    PARAMETERS,
    DeclaredParameter,
    declared,
    parameters_of,
)
from tests.support.paths import ROOT

ENGINE = (ROOT / "native/simulate/machine/values.hpp").read_text()
CONSTANTS = dict(re.findall(r"constexpr double (\w+) = (\S+);", ENGINE))
ROW = re.compile(r'\{"((?:network|node)\.[\w.]+)", ([\w.]+), ([\w.]+)\}')
ENGINE_RANGES = {
    name: tuple(float(CONSTANTS.get(bound, bound)) for bound in bounds)
    for name, *bounds in ROW.findall(ENGINE)
}


def test_the_engine_takes_the_declared_parameters_and_no_others() -> None:
    assert [one.name for one in PARAMETERS] == list(ENGINE_RANGES)


def test_the_engine_takes_every_value_that_is_in_range() -> None:
    for one in PARAMETERS:
        least, most = ENGINE_RANGES[one.name]
        assert least <= one.least < one.most <= most, one.name


def test_a_topology_needs_its_own_links() -> None:
    links = {
        topology: {
            one.name.rpartition("_")[2]
            for one in parameters_of(topology, 2)
            if one.name.startswith("network.link.")
        }
        for topology in TwinTopology
    }
    assert links == {
        TwinTopology.DIRECT: set(),
        TwinTopology.TORUS: {"x", "y", "z"},
        TwinTopology.DRAGONFLY: {"chassis", "group", "global"},
        TwinTopology.FAT_TREE: {"up1"},
    }


@pytest.mark.parametrize("one", PARAMETERS, ids=lambda one: one.name)
def test_a_range_ends_at_its_bounds(one: DeclaredParameter) -> None:
    assert declared(one.name) == one
    for bound, beyond in ((one.least, -1), (one.most, 1)):
        assert one.checked(bound) == bound
        with pytest.raises(UsageError) as error:
            one.checked(bound + beyond)
        assert error.value.remedy


def test_what_is_no_number_is_out_of_range() -> None:
    for one in PARAMETERS:
        with pytest.raises(UsageError):
            one.checked(float("nan"))

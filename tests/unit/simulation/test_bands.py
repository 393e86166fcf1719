"""The interval of what is simulated is the band of the model, or there is none."""

from __future__ import annotations

import pytest

from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.twin import ErrorBand
from machmeter.model.units import UNBOUNDED
from machmeter.simulation.bands import with_band
from tests.support.made_up.estimates import made_up
from tests.support.made_up.twins import made_up_twin

TWO = Layout(nodes=2)


def latency() -> Estimate:
    return made_up("network.latency", {"size": 8}, TWO, "latency", 1e-6)


def available() -> Estimate:
    parameters = {"size": 8, "side": "send"}
    return made_up("network.availability", parameters, TWO, "availability", 0.5)


def test_a_band_is_the_interval() -> None:
    found = with_band(latency(), made_up_twin(ErrorBand("network.latency", 0.25, "made up")))
    assert found.origin is Origin.SIMULATED
    assert (found.low, found.high) == pytest.approx((0.8e-6, 1.25e-6), rel=1e-3)
    assert found.precision == 0.25
    assert not found.reached


def test_a_band_of_a_share_is_in_points() -> None:
    found = with_band(available(), made_up_twin(ErrorBand("network.availability", 0.1, "made up")))
    assert (found.low, found.high) == pytest.approx((found.value - 0.1, found.value + 0.1))


@pytest.mark.parametrize("one", [latency(), available()], ids=["latency", "availability"])
def test_an_unknown_band_bounds_nothing(one: Estimate) -> None:
    found = with_band(one, made_up_twin(ErrorBand("network.pairs", 0.1, "of another")))
    assert found.high == UNBOUNDED
    assert found.low in {0.0, -UNBOUNDED}
    assert found.value == one.value
    assert not found.reached

"""Estimates along one axis as curves."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.curves.curves import curves_along, ordered_along
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from tests.support.made_up.estimates import made_up


def latency(
    size: int, value: float, launches: tuple[int, ...], rounds: tuple[int, ...]
) -> Estimate:
    layout = Layout(ranks_per_node=2)
    made = made_up("network.latency", {"size": size}, layout, "latency", value, 0.0, rounds=rounds)
    return replace(made, launch_numbers=launches)


def test_launches_that_have_every_size_are_kept() -> None:
    found = curves_along(
        "size",
        [latency(64, 2e-6, (1, 2, 3), (1, 2, 3)), latency(8, 1e-6, (2, 3, 4), (2, 3, 4))],
    )
    assert found is not None
    assert found.axis == (8, 64)
    assert len(found.launches) == 2
    assert [e.point.get("size") for e in found.estimates] == [8, 64]


def test_rounds_stand_in_where_no_launch_has_all() -> None:
    one, other = latency(8, 1e-6, (1, 2), (1, 2)), latency(64, 2e-6, (3, 4), (2, 3))
    found = curves_along("size", [one, other])
    assert found is not None
    assert found.launches == ((one.launch_values[1], other.launch_values[0]),)


def test_what_is_no_curve_is_none() -> None:
    one = latency(8, 1e-6, (1,), (1,))
    assert curves_along("size", []) is None
    assert curves_along("size", [one, one]) is None
    assert curves_along("pattern", [one]) is None
    assert curves_along("size", [one, latency(64, 1e-6, (2,), (2,))]) is None
    assert ordered_along("ranks", [one]) == {2: one}

"""The load of links in the record of a simulated point."""

from __future__ import annotations

import pytest

from machmeter.simulation.builtin import find_twin
from machmeter.simulation.loads import KindLoad, kind_text, kinds_in


def test_every_kind_of_a_record_is_read() -> None:
    quantities = {
        "bytes": 8.0,
        "load_x_links": 4.0,
        "load_x_mean_bytes": 10.0,
        "load_x_most_bytes": 25.0,
        "load_x_rate": 100.0,
    }
    assert kinds_in(quantities) == (KindLoad("x", 4, 10.0, 25.0, 100.0),)
    assert kinds_in({"bytes": 8.0}) == ()


def test_a_link_is_busy_for_its_bytes_at_its_rate() -> None:
    assert KindLoad("x", 4, 10.0, 25.0, 100.0).busy(0.5) == pytest.approx((0.2, 0.5))


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("hopper", "x", "between routers along x"),
        ("comet", "up1", "above switches of level 1, one way together"),
        ("edison", "router", "local links of a router, one way together"),
        ("edison", "global", "from one group to another, all together"),
    ],
)
def test_links_are_named_by_what_they_join(name: str, kind: str, text: str) -> None:
    assert kind_text(find_twin(name), kind) == text

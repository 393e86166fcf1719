"""A key result and others on a line of letters."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.normal.position import Other, Position, Side
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.report.normal.axis import axis_line, spots_of
from tests.support.made_up.estimates import made_up

COLUMNS = 60


def latency(seconds: float) -> Estimate:
    return made_up("network.latency", {"size": 8}, Layout(nodes=2), "latency", seconds)


def triad(rate: float) -> Estimate:
    return made_up("memory.stream", {"size": 2**32}, Layout(), "stream_bandwidth", rate)


def other(value: float, of: Estimate, *, kin: bool = False, bound: bool = False) -> Other:
    generation = "Zen 3" if kin else "Zen 2"
    return Other("m", "M", generation, of, value, None, Side.LIKE, is_threshold=bound)


def line(position: Position) -> str:
    return axis_line(position, "Zen 3", COLUMNS)


def test_values_stand_by_their_ratios() -> None:
    own = latency(2e-6)
    found = line(Position(own, None, (other(1e-6, own), other(4e-6, own, kin=True)), ()))
    left, cells, right = found.split("|")
    assert (left.strip(), right.strip()) == ("1.00 µs", "4.00 µs")
    assert (cells[0], cells[-1]) == ("o", "s")
    middle = cells.index("N") / (len(cells) - 1)
    assert middle == pytest.approx(0.5, abs=0.02)
    assert len(found) <= COLUMNS


def test_shares_stand_between_nothing_and_the_limit() -> None:
    own = triad(100e9)
    threshold = other(160e9, own, bound=True)
    position = Position(own, 0.5, (threshold,), ())
    left, cells, right = line(position).split("|")
    assert (left.strip(), right.strip()) == ("0 %", "100 %")
    width = len(cells) - 1
    assert cells.index("N") / width == pytest.approx(0.5, abs=0.02)
    assert cells.index("t") / width == pytest.approx(0.8, abs=0.02)
    assert spots_of(position).others[0].value == pytest.approx(0.8)


def test_what_breaks_its_limit_has_a_longer_axis() -> None:
    own = triad(100e9)
    assert line(Position(own, 1.5, (), ())).endswith("150 %")


def test_several_at_one_place_are_counted_and_the_interval_is_drawn() -> None:
    own = replace(latency(2e-6), low=1.5e-6, high=2.5e-6)
    others = tuple(other(4e-6, own) for _ in range(12))
    cells = line(Position(own, None, (*others, other(1e-6, own)), ())).split("|")[1]
    assert cells[-1] == "9"
    within = cells[cells.index("=") : cells.rindex("=") + 1]
    assert set(within) == {"=", "N"}


def test_one_value_alone_stands_somewhere() -> None:
    own = latency(2e-6)
    alone = replace(own, low=own.value, high=own.value)
    assert line(Position(alone, None, (other(2e-6, own),), ())).count("N") == 1


def test_an_interval_over_many_powers_of_ten_leaves_room_for_the_others() -> None:
    own = replace(latency(2e-6), low=1e-12, high=1e6)
    found = line(Position(own, None, (other(1e-6, own), other(4e-6, own)), ()))
    assert "=" not in found
    assert found.startswith("1.00 µs")

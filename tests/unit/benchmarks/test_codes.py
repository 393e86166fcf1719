"""What every code of one process has."""

from __future__ import annotations

import math

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.codes.shared import SCALED, TOUCH
from machmeter.model.benchmark import ParameterRole, Value
from machmeter.model.layout import Layout
from machmeter.model.point import make_point

OWN = [one for one in BENCHMARKS if one.group == "codes" or one.name == "memory.assembly"]
# Particles of a few MB, read by all threads in every step: where their pages lie is not asked.
IN_CACHES = {"codes.coulomb", "codes.born"}


def test_every_code_is_work_and_has_its_pages_placed_where_they_are_many() -> None:
    assert OWN
    for one in OWN:
        parameters: dict[str, Value] = {p.name: p.values[0] for p in one.parameters}
        assert make_point(one.name, parameters, Layout()).is_work
        assert (TOUCH in one.parameters) is (one.name not in IN_CACHES)
        assert one.amounts
        assert [metric.name for metric in one.metrics if metric.primary] == ["rate"]
        assert one.stands_for
        for parameter in one.parameters:
            # What is a whole number is one in a record: as text its point would have no result.
            assert parameter.kind.is_number or not any(map(str.isdigit, parameter.choices))


def test_the_work_of_every_own_code_can_grow_with_threads() -> None:
    for one in (one for one in OWN if one.group == "codes"):
        assert SCALED in one.parameters
        (grows,) = [parameter for parameter in one.parameters if parameter.grows]
        assert grows.role is ParameterRole.WORK
        assert math.isclose(grows.growth({"scaling": "weak"}, 64) ** grows.grows, 64)
        assert grows.growth({"scaling": "strong"}, 64) == 1 == grows.growth({}, 64)

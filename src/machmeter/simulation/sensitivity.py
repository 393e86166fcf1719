"""How much results of a twin change when one parameter at a time is 20 % smaller or larger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.model.errors import UsageError
from machmeter.model.twin import Twin
from machmeter.simulation.parameters import DeclaredParameter, parameters_of
from machmeter.simulation.shape import check_nodes

FACTORS = (0.8, 1.2)
"""By which each parameter is multiplied."""
# Changes of less than 0.05 % are printed as 0.
_NO_CHANGE = 5e-4


class VariedTwin(Struct, frozen=True):
    """A twin with one parameter changed."""

    parameter: str
    """The name of the parameter."""
    factor: float
    """0.8 or 1.2."""
    twin: Twin
    """With that parameter changed, as far as its range allows."""


class SensitivePoint(Struct, frozen=True):
    """A result whose sensitivity is determined."""

    title: str
    """What it is: `latency, 8 B, 2 nodes`."""
    value: float
    """Simulated on the twin as it is, in its base unit."""
    text: str
    """The value with its unit."""


class ParameterEffect(Struct, frozen=True):
    """What a parameter changes."""

    parameter: str
    """Its name."""
    changes: tuple[tuple[float | None, float | None], ...]
    """Of each point its relative change for 0.8 and for 1.2 times the parameter; None where the
    parameter cannot have that value."""

    @property
    def largest(self) -> float:
        """The largest change of any point, without its sign."""
        return max(
            (abs(one) for pair in self.changes for one in pair if one is not None), default=0
        )


class TwinSensitivity(Struct, frozen=True):
    """How sensitive results are to each parameter of a twin."""

    points: tuple[SensitivePoint, ...] = ()
    """Those that were simulated again."""
    effects: tuple[ParameterEffect, ...] = ()
    """Of parameters that change a point, the largest change first."""
    without_effect: tuple[str, ...] = ()
    """Parameters that change no point."""
    fixed: tuple[str, ...] = ()
    """Parameters that 20 % cannot change: 0, or a small whole number."""
    problem: str = ""
    """Why nothing could be simulated again."""


def varied_twins(twin: Twin) -> tuple[VariedTwin, ...]:
    """The twin with each parameter 20 % smaller and 20 % larger, one at a time.

    Values stay in the range of the parameter, counts whole; a change that leaves the value as it
    is, or a network without a place for every node, is left out.
    """
    declared = {one.name: one for one in parameters_of(twin.topology, len(twin.shape))}
    found = []
    for one in twin.parameters:
        for factor in FACTORS:
            value = _moved(one.value, factor, declared[one.name])
            if value == one.value:
                continue
            parameters = tuple(
                replace(other, value=value) if other.name == one.name else other
                for other in twin.parameters
            )
            changed = replace(twin, parameters=parameters)
            if _connects(changed):
                found.append(VariedTwin(one.name, factor, changed))
    return tuple(found)


def _moved(value: float, factor: float, declared: DeclaredParameter) -> float:
    moved = value * factor
    return min(max(round(moved) if declared.whole else moved, declared.least), declared.most)


def _connects(twin: Twin) -> bool:
    try:
        check_nodes(twin)
    except UsageError:
        return False
    return True


def effects_of(
    twin: Twin,
    points: Sequence[SensitivePoint],
    values: Mapping[tuple[str, float], Sequence[float]],
) -> TwinSensitivity:
    """The effects on `points`, the largest first.

    values: of each parameter and factor the value of every point.
    """
    effects = []
    fixed = []
    for one in twin.parameters:
        pairs = [values.get((one.name, factor)) for factor in FACTORS]
        if not any(pairs):
            fixed.append(one.name)
            continue
        changes = tuple(
            (_change(point, pairs[0], at), _change(point, pairs[1], at))
            for at, point in enumerate(points)
        )
        effects.append(ParameterEffect(one.name, changes))
    moving = [one for one in effects if one.largest >= _NO_CHANGE]
    return TwinSensitivity(
        points=tuple(points),
        effects=tuple(sorted(moving, key=lambda one: -one.largest)),
        without_effect=tuple(one.parameter for one in effects if one.largest < _NO_CHANGE),
        fixed=tuple(fixed),
    )


def _change(point: SensitivePoint, values: Sequence[float] | None, at: int) -> float | None:
    return None if values is None else values[at] / point.value - 1

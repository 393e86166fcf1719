"""What the launches say together."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.point import Point
from machmeter.model.units import Unit


class Scale(StrEnum):
    """The scale on which Student's t was applied to the launch values."""

    LOG = "log"
    LINEAR = "linear"


class Estimate(Struct, frozen=True):
    """One metric of one point with its 95 % interval, all in the unit's base.

    launch_values: one value a launch, in launch order, with the `rounds` they ran in; precision:
    half width over value (or half width itself, in the unit, for shares), `target_precision` what
    was asked of it; resolved: False where the interval of an overhead holds zero or less, then only
    `high` may be printed, as an upper bound; below_zero: whether that interval lies wholly below
    zero, which a biased reference makes, or chance; source: where a published value is printed
    (empty for what was measured here): such a value is as printed, and has no interval.
    """

    point: Point
    metric: str
    title: str
    unit: Unit
    direction: Direction
    scale: Scale
    value: float
    low: float
    high: float
    launches: int
    samples: int
    precision: float
    target_precision: float
    reached: bool
    resolved: bool
    launch_values: tuple[float, ...]
    launch_numbers: tuple[int, ...]
    warmup_cut: int
    outliers: int
    batch: int
    attributes: dict[str, str]
    rounds: tuple[int, ...] = ()
    below_zero: bool = False
    source: str = ""

"""The units that published figures are printed in, each as one of the types of `model.units`."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from machmeter.model.benchmark import Metric
from machmeter.model.errors import MachmeterError
from machmeter.model.units import (
    ALIGNMENT_CELLS_PER_SECOND,
    ATOM_STEPS_PER_SECOND,
    BYTES,
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    CELL_ITERATIONS_PER_SECOND,
    CELL_UPDATES_PER_SECOND,
    ELEMENT_UPDATES_PER_SECOND,
    FLOPS,
    INCREMENTS_PER_SECOND,
    LINK_BITS_BOTH_WAYS,
    LINK_BITS_ONE_WAY,
    LINK_BITS_UNSTATED,
    LINK_BYTES_BOTH_WAYS,
    LINK_BYTES_ONE_WAY,
    LINK_BYTES_UNSTATED,
    MESSAGES_PER_SECOND,
    OPERATIONS_PER_SECOND,
    PAIRS_PER_SECOND,
    QUERIES_PER_SECOND,
    RATIO,
    READS_PER_SECOND,
    SECONDS,
    SHARE,
    WORDS_PER_SECOND,
    Unit,
)
from machmeter.published.format import Link, LinkDirection

BYTES_PER_SECOND = Unit("bytes per second, of a kind not stated", "B/s")
FLOPS_PER_NODE = Unit("floating-point operations per second and node", "flop/s/node")
FLOP = Unit("floating-point operations", "flop")
PARTICLE_STEPS = Unit("particle steps per second", "particle steps/s")
UPDATES = Unit("updates per second", "updates/s")
SCORE = Unit("score", "", prefixes=False)


class PrintedUnit(Struct, frozen=True):
    """A unit as it is printed: the factor to base units, and the type."""

    factor: float
    """What a printed value is multiplied by."""
    unit: Unit
    """The base unit."""


_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY = {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
_COUNTED = ("count", "codes", "cores", "tasks", "ranks", "threads", "nodes", "reads", "bp", "links")
_PER_SECOND = {
    "B/s": BYTES_PER_SECOND,
    "B/s one way": BYTES_PER_SECOND_ONE_WAY,
    "B/s both ways": BYTES_PER_SECOND_BOTH_WAYS,
    "FLOP/s": FLOPS,
    "FLOP/s per node": FLOPS_PER_NODE,
    "op/s": OPERATIONS_PER_SECOND,
    "msg/s": MESSAGES_PER_SECOND,
    "particle-steps/s": PARTICLE_STEPS,
    **{
        one.symbol: one
        for one in (
            ALIGNMENT_CELLS_PER_SECOND,
            ATOM_STEPS_PER_SECOND,
            CELL_ITERATIONS_PER_SECOND,
            CELL_UPDATES_PER_SECOND,
            ELEMENT_UPDATES_PER_SECOND,
            PAIRS_PER_SECOND,
            INCREMENTS_PER_SECOND,
            QUERIES_PER_SECOND,
            READS_PER_SECOND,
            WORDS_PER_SECOND,
        )
    },
    "updates/s": UPDATES,
}


def _prefixed(symbol: str, unit: Unit) -> Iterable[tuple[str, PrintedUnit]]:
    return ((prefix + symbol, PrintedUnit(f, unit)) for prefix, f in _PREFIXES.items())


def _per(what: str) -> Iterable[tuple[str, PrintedUnit]]:
    unit = Unit(f"time per {what}", f"s/{what}")
    return ((f"{name}/{what}", PrintedUnit(factor, unit)) for name, factor in _TIMES.items())


def _plain(symbol: str) -> PrintedUnit:
    return PrintedUnit(1.0, Unit(symbol, symbol, prefixes=False))


PRINTED_UNITS: dict[str, PrintedUnit] = {
    **{name: PrintedUnit(factor, SECONDS) for name, factor in _TIMES.items()},
    **dict(pair for what in ("step", "iteration", "cycle") for pair in _per(what)),
    "h per 1e7 steps": PrintedUnit(3600.0 / 1e7, Unit("time per step", "s/step")),
    "ns/day": _plain("ns/day"),
    **dict(pair for symbol, unit in _PER_SECOND.items() for pair in _prefixed(symbol, unit)),
    **dict(_prefixed("FLOP", FLOP)),
    **dict(_prefixed("B", BYTES)),
    **{name: PrintedUnit(factor, BYTES) for name, factor in _BINARY.items()},
    "x": PrintedUnit(1.0, RATIO),
    "share": PrintedUnit(1.0, SHARE),
    "%": PrintedUnit(0.01, SHARE),
    "score": PrintedUnit(1.0, SCORE),
    **{name: PrintedUnit(1.0, Unit(name, name, False, whole=True)) for name in _COUNTED},
}

_BITS = {
    LinkDirection.ONE_WAY: LINK_BITS_ONE_WAY,
    LinkDirection.BOTH_WAYS: LINK_BITS_BOTH_WAYS,
    LinkDirection.UNSTATED: LINK_BITS_UNSTATED,
}
_BYTES = {
    LinkDirection.ONE_WAY: LINK_BYTES_ONE_WAY,
    LinkDirection.BOTH_WAYS: LINK_BYTES_BOTH_WAYS,
    LinkDirection.UNSTATED: LINK_BYTES_UNSTATED,
}


def printed_unit(name: str, where: str) -> PrintedUnit:
    """The unit that is printed as `name`. Raises MachmeterError, with those known, for another."""
    if name not in PRINTED_UNITS:
        raise MachmeterError(
            f"{where}: {name!r} is no unit", f"choose one of: {', '.join(PRINTED_UNITS)}"
        )
    return PRINTED_UNITS[name]


def unit_of_metric(name: str, metric: Metric, where: str) -> PrintedUnit:
    """The unit printed as `name` for figures of a metric.

    A plain rate in bytes takes the metric's own kind of bytes. Raises MachmeterError, with those
    that fit, for a unit of another type.
    """
    unit = metric.unit
    found = PRINTED_UNITS.get(name)
    if found is None or not _fits(found.unit, unit):
        known = (known for known, printed in PRINTED_UNITS.items() if _fits(printed.unit, unit))
        raise MachmeterError(
            f"{where}: {name!r} is no unit of {metric.name}", f"choose one of: {', '.join(known)}"
        )
    return PrintedUnit(found.factor, unit)


def is_counted(name: str) -> bool:
    """Whether `name` counts whole things, which are not rounded when they are printed."""
    return name in PRINTED_UNITS and PRINTED_UNITS[name].unit.whole


def link_rate(link: Link) -> tuple[float, Unit]:
    """The rate of a link in base units, and whether those are bits or bytes, one way or both."""
    bits = link.unit.endswith("bit/s")
    symbol = "bit/s" if bits else "B/s"
    factor = _PREFIXES[link.unit.removesuffix(symbol)]
    return link.value * factor, (_BITS if bits else _BYTES)[link.direction]


def _fits(printed: Unit, unit: Unit) -> bool:
    return printed == unit or (printed == BYTES_PER_SECOND and unit.symbol == "B/s")

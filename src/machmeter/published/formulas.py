"""Arithmetic on published figures: each is known only to the digits it was printed with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from machmeter.analysis.waves import wave_speedup, wave_speedup_interval
from machmeter.model.errors import MachmeterError
from machmeter.published.format import Formula, PublishedMachine, Quotient, Waves


class Known(Struct, frozen=True):
    """A value in its printed unit and the ends between which its rounding leaves it."""

    value: float
    low: float
    high: float


Lookup = Callable[[str], Known]


def half_unit(decimals: int | None) -> float:
    """Half a unit of the last digit printed; 0 where nothing was rounded."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def known_figures(machines: Iterable[PublishedMachine]) -> dict[str, Known]:
    """Every figure as `machine/figure`, derived ones computed.

    Raises MachmeterError for a formula that names what is not there, or names itself.
    """
    found: dict[str, Known] = {}
    for machine in machines:
        found |= _of_machine(machine)
    return found


def evaluate(formula: Formula, lookup: Lookup) -> Known:
    """The value of a formula, and its ends when every figure lies anywhere within its rounding.

    Raises MachmeterError where a figure is not there or the formula has no value.
    """
    try:
        if isinstance(formula, Waves):
            return _waves(formula, lookup)
        return _quotient(formula, lookup)
    except (ValueError, ArithmeticError) as error:
        raise MachmeterError(
            f"a published formula has no value: {error}", "correct it in its file"
        ) from error


def finder(figures: Mapping[str, Known], machine: str = "") -> Lookup:
    """Looks figures up by `machine/figure`, or by `figure` within `machine`."""

    def lookup(reference: str) -> Known:
        name = reference if "/" in reference or not machine else f"{machine}/{reference}"
        if name not in figures:
            raise MachmeterError(
                f"there is no published figure {name!r}", "correct the formula that names it"
            )
        return figures[name]

    return lookup


def _of_machine(machine: PublishedMachine) -> dict[str, Known]:
    found: dict[str, Known] = {}
    derived = []
    for table in machine.tables:
        for figure in table.figures:
            if figure.value is None:
                derived.append(figure)
                continue
            decimals = table.decimals if figure.decimals is None else figure.decimals
            # What is counted is not rounded: 13 boards are 13.
            rounding = half_unit(None if table.unit == "count" else decimals)
            value = figure.value
            found[f"{machine.id}/{figure.id}"] = Known(value, value - rounding, value + rounding)
    for figure in derived:
        if figure.derived is not None:
            found[f"{machine.id}/{figure.id}"] = evaluate(figure.derived, finder(found, machine.id))
    return found


def _quotient(formula: Quotient, lookup: Lookup) -> Known:
    over = _sum(formula.over, lookup)
    if not formula.under:
        return over
    under = _sum(formula.under, lookup)
    if under.low <= 0 or over.low < 0:
        raise ValueError("a quotient takes sums above 0")
    return Known(over.value / under.value, over.low / under.high, over.high / under.low)


def _sum(terms: Mapping[str, float], lookup: Lookup) -> Known:
    values, ends = [], []
    for name, count in terms.items():
        if not math.isfinite(count):
            raise ValueError(f"{count} is no number to multiply by")
        known = lookup(name)
        values.append(count * known.value)
        ends.append(sorted((count * known.low, count * known.high)))
    low, high = (math.fsum(end[side] for end in ends) for side in (0, 1))
    return Known(math.fsum(values), low, high)


def _waves(formula: Waves, lookup: Lookup) -> Known:
    serial = lookup(formula.serial)
    seconds = {int(count): lookup(name) for count, name in formula.seconds.items()}
    of = (formula.units, formula.domains, formula.slots)
    low, high = wave_speedup_interval(
        (serial.low, serial.high),
        *of,
        {count: (known.low, known.high) for count, known in seconds.items()},
    )
    value = wave_speedup(
        serial.value, *of, {count: known.value for count, known in seconds.items()}
    )
    return Known(value, low, high)

"""Arithmetic on published figures: each is known only to the digits it was printed with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from msgspec import Struct

from machmeter.analysis.curves.waves import wave_speedup, wave_speedup_interval
from machmeter.model.errors import MachmeterError
from machmeter.published.format import (
    Formula,
    Powers,
    PrintedFigure,
    PrintedTable,
    Product,
    PublishedMachine,
    Quotient,
    Waves,
)
from machmeter.published.units import is_counted


class PublishedNumber(Struct, frozen=True):
    """A value in its printed unit and the ends between which its rounding leaves it."""

    value: float
    """As printed."""
    low: float
    """The smallest value that rounds to it."""
    high: float
    """The largest value that rounds to it."""


Lookup = Callable[[str], PublishedNumber]
_MOST_NAMED = 9


def half_unit(decimals: int | None) -> float:
    """Half a unit of the last digit printed; 0 where nothing was rounded."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def published_numbers(machines: Iterable[PublishedMachine]) -> dict[str, PublishedNumber]:
    """Every figure and link as `machine/figure`, derived figures computed; counts as
    `machine/counts.nodes`, `.cores`, `.watts` and `.price`, where they are known.

    Raises MachmeterError for a formula that names what is not there, or names itself.
    """
    found: dict[str, PublishedNumber] = {}
    for machine in machines:
        found |= _of_machine(machine)
    return found


def evaluate(formula: Formula, lookup: Lookup) -> PublishedNumber:
    """The value of a formula, and its ends when every figure lies anywhere within its rounding.

    Raises MachmeterError where a figure is not there or the formula has no value.
    """
    try:
        if isinstance(formula, Waves):
            return _waves(formula, lookup)
        if isinstance(formula, Product):
            return _product(formula, lookup)
        if isinstance(formula, Powers):
            return _powers(formula, lookup)
        return _quotient(formula, lookup)
    except (ValueError, ArithmeticError) as error:
        raise MachmeterError(
            f"a published formula has no value: {error}", "correct it in its file"
        ) from error


def finder(figures: Mapping[str, PublishedNumber], machine: str = "") -> Lookup:
    """Looks figures up by `machine/figure`, or by `figure` within `machine`."""

    def lookup(reference: str) -> PublishedNumber:
        name = _whole_name(reference, machine)
        if name not in figures:
            raise MachmeterError(
                f"there is no published figure {name!r}", "correct the formula that names it"
            )
        return figures[name]

    return lookup


def _of_machine(machine: PublishedMachine) -> dict[str, PublishedNumber]:
    found = dict(_facts(machine))
    derived: dict[str, Formula] = {}
    for table in machine.tables:
        for figure in table.figures:
            if figure.derived is not None:
                derived[f"{machine.id}/{figure.id}"] = figure.derived
            elif figure.value is not None:
                found[f"{machine.id}/{figure.id}"] = _printed(table, figure, figure.value)
    for name in _in_order_of_need(derived, machine.id):
        found[name] = evaluate(derived[name], finder(found, machine.id))
    return found


def _in_order_of_need(derived: Mapping[str, Formula], machine: str) -> tuple[str, ...]:
    """The names of derived figures, each after those that its formula names."""
    needed = {
        name: {_whole_name(one, machine) for one in _names_in(formula)} & derived.keys()
        for name, formula in derived.items()
    }
    try:
        return tuple(TopologicalSorter(needed).static_order())
    except CycleError as error:
        circle = error.args[1]
        shown = ", ".join(circle[:_MOST_NAMED]) + ", ..." * (len(circle) > _MOST_NAMED)
        raise MachmeterError(
            f"a published figure is derived from itself: {shown}", "correct one of their formulas"
        ) from error


def _names_in(formula: Formula) -> Iterable[str]:
    if isinstance(formula, Waves):
        return (formula.serial, *formula.seconds.values())
    if isinstance(formula, Powers):
        return formula.of
    return (*formula.over, *formula.under)


def _whole_name(reference: str, machine: str) -> str:
    return reference if "/" in reference or not machine else f"{machine}/{reference}"


def _facts(machine: PublishedMachine) -> Iterator[tuple[str, PublishedNumber]]:
    counts = machine.counts
    for name in ("nodes", "cores", "watts", "price"):
        value = float(getattr(counts, name))
        if value:
            yield f"{machine.id}/counts.{name}", PublishedNumber(value, value, value)
    for link in machine.links:
        rounding = half_unit(link.decimals)
        ends = (link.value - rounding, link.value + rounding)
        yield f"{machine.id}/{link.id}", PublishedNumber(link.value, *ends)


def _printed(table: PrintedTable, figure: PrintedFigure, value: float) -> PublishedNumber:
    decimals = table.decimals if figure.decimals is None else figure.decimals
    # What is counted is not rounded, unless to tens or more: 13 boards are 13.
    counted = is_counted(table.unit) and decimals >= 0
    rounding = half_unit(None if counted else decimals)
    return PublishedNumber(value, value - rounding, value + rounding)


def _quotient(formula: Quotient, lookup: Lookup) -> PublishedNumber:
    over = _sum(formula.over, lookup)
    if not formula.under:
        return over
    under = _sum(formula.under, lookup)
    if under.low <= 0 or over.low < 0:
        raise ValueError("a quotient takes sums above 0")
    return PublishedNumber(over.value / under.value, over.low / under.high, over.high / under.low)


def _product(formula: Product, lookup: Lookup) -> PublishedNumber:
    over = [lookup(name) for name in formula.over]
    under = [lookup(name) for name in formula.under]
    if not (0 < formula.times < math.inf) or any(known.low <= 0 for known in (*over, *under)):
        raise ValueError("a product takes figures above 0")
    ends = [
        formula.times
        * math.prod(getattr(known, end) for known in over)
        / math.prod(getattr(known, other) for known in under)
        for end, other in (("value", "value"), ("low", "high"), ("high", "low"))
    ]
    if not all(0 < one < math.inf for one in ends):
        raise ValueError("the product is no number that can be shown")
    return PublishedNumber(*ends)


def _powers(formula: Powers, lookup: Lookup) -> PublishedNumber:
    logs: list[tuple[float, float, float]] = []
    for name, exponent in formula.of.items():
        known = lookup(name)
        if known.low <= 0 or not math.isfinite(exponent):
            raise ValueError("powers are of figures above 0")
        low, high = sorted(exponent * math.log(end) for end in (known.low, known.high))
        logs.append((exponent * math.log(known.value), low, high))
    if not logs:
        raise ValueError("powers of nothing")
    return PublishedNumber(*(math.exp(math.fsum(ends)) for ends in zip(*logs, strict=True)))


def _sum(terms: Mapping[str, float], lookup: Lookup) -> PublishedNumber:
    values, ends = [], []
    for name, count in terms.items():
        if not math.isfinite(count):
            raise ValueError(f"{count} is no number to multiply by")
        known = lookup(name)
        values.append(count * known.value)
        ends.append(sorted((count * known.low, count * known.high)))
    low, high = (math.fsum(end[side] for end in ends) for side in (0, 1))
    return PublishedNumber(math.fsum(values), low, high)


def _waves(formula: Waves, lookup: Lookup) -> PublishedNumber:
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
    return PublishedNumber(value, low, high)

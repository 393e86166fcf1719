"""A published number as its source prints it: with its digits, its unit, and how it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from machmeter.model.results.printed import Printed
from machmeter.published.format import (
    Formula,
    Powers,
    PrintedFigure,
    PrintedTable,
    Product,
    PublishedMachine,
    Quotient,
)
from machmeter.published.formulas import published_numbers

NO_FLAGS: Mapping[str, str] = MappingProxyType({})
# A formula gives more digits than what it is made of was printed with.
_DIGITS_OF_FORMULA = 4
_ONLY_DERIVED = "derived"


class PrintedNumber(Struct, frozen=True):
    """One number of a machine's file."""

    table: PrintedTable
    """The table it stands in."""
    figure: PrintedFigure
    """Itself, as the file has it."""
    value: float
    """Its value in the printed unit."""
    printed: Printed
    """How it is shown."""


def printed_figures(
    machine: PublishedMachine, flags: Mapping[str, str] = NO_FLAGS
) -> dict[str, PrintedNumber]:
    """Every number of the machine's file by its id.

    flags: what contradicts a number, by its id. Raises MachmeterError for a wrong formula.
    """
    values = published_numbers([machine])
    return {
        figure.id: _number(
            table,
            figure,
            values[f"{machine.id}/{figure.id}"].value,
            machine.source,
            flags.get(figure.id, ""),
        )
        for table in machine.tables
        for figure in table.figures
    }


def decimals_of(table: PrintedTable, figure: PrintedFigure) -> int:
    """Digits after the point as printed, negative for rounded tens."""
    return table.decimals if figure.decimals is None else figure.decimals


def _number(
    table: PrintedTable, figure: PrintedFigure, value: float, source: str, flag: str
) -> PrintedNumber:
    formula, decimals = figure.derived, decimals_of(table, figure)
    qualifier = figure.qualifier or table.qualifier
    if formula is None:
        number = f"{value:.{max(decimals, 0)}f}"
        rounded = round(value, max(decimals, 0))
    else:
        number, rounded = significant(value, _DIGITS_OF_FORMULA), value
        # What only says that it is derived is no qualifier.
        qualifier = qualifier.removeprefix(_ONLY_DERIVED).lstrip("; ")
    printed = Printed(
        id=figure.id,
        number=number,
        value=rounded,
        unit=table.unit,
        source=f"{table.source or source}, {table.page}",
        page=table.page,
        decimals=decimals if formula is None else None,
        qualifier=qualifier,
        how_known=figure.precision or table.precision,
        statistic=table.statistic,
        relation=table.relation,
        address=table.address,
        derived_from="" if formula is None else formula_text(formula),
        text=figure.text,
        note=table.note,
        flag=flag or figure.flag,
        stated_layout=tuple(sorted({**table.layout, **figure.layout})),
    )
    return PrintedNumber(table, figure, value, printed)


def significant(value: float, digits: int) -> str:
    """That many significant digits, whole ones never cut, and no exponent up to 10^15."""
    if value == 0 or not 1e-15 < abs(value) < 1e15:
        return f"{value:.{digits}g}"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    text = f"{value:.{max(digits - 1 - exponent, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def formula_text(formula: Formula) -> str:
    """A formula as a person reads it: `(a + 2 b) / c`, by the ids of its figures."""
    if isinstance(formula, Quotient):
        over, under = (" ".join(_terms(terms)) for terms in (formula.over, formula.under))
        return _divided(over, under, len(formula.over), len(formula.under))
    if isinstance(formula, Product):
        factors = [*([f"{formula.times:g}"] if formula.times != 1 else []), *formula.over]
        return _divided(" × ".join(factors), " × ".join(formula.under), 1, len(formula.under))
    if isinstance(formula, Powers):
        return " × ".join(f"{name}^{exponent:.4g}" for name, exponent in formula.of.items())
    return (
        f"waves of {formula.units} units on {formula.domains} domains with {formula.slots} slots, "
        f"from {', '.join((formula.serial, *formula.seconds.values()))}"
    )


def _terms(terms: Mapping[str, float]) -> Iterator[str]:
    for position, (name, count) in enumerate(terms.items()):
        sign = "-" if count < 0 else "+" * bool(position)
        times = "" if abs(count) == 1 else f"{abs(count):g} × "
        yield f"{sign} {times}{name}".strip()


def _divided(over: str, under: str, terms_over: int, terms_under: int) -> str:
    if not under:
        return over
    above = f"({over})" if terms_over > 1 else over
    # Without brackets a product below would be taken for one above.
    return f"{above} / {f'({under})' if terms_under > 1 or ' ' in under else under}"

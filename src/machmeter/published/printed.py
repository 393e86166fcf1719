"""A published number as its source prints it: with its digits, its unit, and how it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from machmeter.model.results.printed import (
    DECIMALS,
    DERIVED,
    NUMBER,
    PAGE,
    PRECISION,
    QUALIFIER,
    UNIT,
    known_text,
    printed_text,
)
from machmeter.published.format import (
    Formula,
    HowKnown,
    PrintedFigure,
    PrintedTable,
    Product,
    PublishedMachine,
    Quotient,
)
from machmeter.published.formulas import known_figures

# A formula gives more digits than what it is made of was printed with.
_DIGITS_OF_FORMULA = 4
_ONLY_DERIVED = "derived"


class Printed(Struct, frozen=True):
    """One number of a machine's file: its table, itself, and its value in the printed unit."""

    table: PrintedTable
    figure: PrintedFigure
    value: float

    @property
    def decimals(self) -> int:
        """Digits after the point as printed, negative for rounded tens."""
        own = self.figure.decimals
        return self.table.decimals if own is None else own

    @property
    def number(self) -> str:
        """The number with the digits that were printed; of a formula with four significant ones."""
        if self.figure.derived is not None:
            return significant(self.value, _DIGITS_OF_FORMULA)
        return f"{self.value:.{max(self.decimals, 0)}f}"

    @property
    def qualifier(self) -> str:
        """How the source qualifies it; what only says that it is derived is no qualifier."""
        said = self.figure.qualifier or self.table.qualifier
        return said.removeprefix(_ONLY_DERIVED).lstrip("; ") if self.figure.derived else said

    @property
    def derived_from(self) -> str:
        """The formula it follows from, in words; empty for what is printed."""
        return formula_text(self.figure.derived) if self.figure.derived is not None else ""

    @property
    def text(self) -> str:
        """The number with its unit, and before it what the source says of it, if that is short."""
        return printed_text(self.words)

    @property
    def known(self) -> str:
        """How the number is known: `as printed`, `derived: a / b`, `read off a plot`."""
        return known_text(self.words)

    @property
    def words(self) -> dict[str, str]:
        """What `Estimate.words` keep of it, so that it is told wherever the figure is."""
        words = {
            NUMBER: self.number,
            UNIT: self.table.unit,
            DERIVED: self.derived_from,
            QUALIFIER: self.qualifier,
            PRECISION: precision_of(self.table, self.figure).value,
            DECIMALS: "" if self.derived_from else str(self.decimals),
            PAGE: self.table.page,
            "note": self.table.note,
        }
        return {name: said for name, said in words.items() if said}


def printed_figures(machine: PublishedMachine) -> dict[str, Printed]:
    """Every number of the machine's file by its id. Raises MachmeterError for a wrong formula."""
    values = known_figures([machine])
    return {
        figure.id: Printed(table, figure, values[f"{machine.id}/{figure.id}"].value)
        for table in machine.tables
        for figure in table.figures
    }


def precision_of(table: PrintedTable, figure: PrintedFigure) -> HowKnown:
    """Where the number comes from: as the figure says, or as its table does."""
    return figure.precision or table.precision


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

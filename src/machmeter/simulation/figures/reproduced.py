"""Printed figures beside what twins and trivial rules state: deviations, order and counts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from machmeter.simulation.figures.reproduction import (
    FigureClass,
    ReproducedFigure,
    StatedValue,
    WithinCounts,
)

# A value at the end of the rounding of a figure rounds to it; both are sums of decimal fractions.
_SLACK = 1e-9


def stated_value(
    value: float, printed: float, low: float, high: float, text: str = ""
) -> StatedValue:
    """A value beside a printed one that stands for anything from `low` to `high`, in one unit.

    The deviation is value / printed - 1. Raises ValueError where 0 is printed.
    """
    if printed == 0:
        raise ValueError("nothing deviates from 0 by a share of it")
    slack = _SLACK * abs(printed)
    return StatedValue(
        value=value,
        deviation=value / printed - 1,
        within_rounding=low - slack <= value <= high + slack,
        text=text,
    )


def misses_first(figures: Iterable[ReproducedFigure]) -> tuple[ReproducedFigure, ...]:
    """The predicted figures, the largest deviation first, the fitted ones so too, then the others
    by class, each in their order."""
    classes = list(FigureClass)

    def key(figure: ReproducedFigure) -> tuple[int, float]:
        deviation = abs(figure.twin.deviation) if figure.twin else 0.0
        return classes.index(figure.figure_class), -deviation

    return tuple(sorted(figures, key=key))


def counts_of_classes(figures: Iterable[ReproducedFigure]) -> dict[str, int]:
    """How many figures there are of each class that there is, predicted ones first."""
    found = Counter(one.figure_class for one in figures)
    return {kind.value: found[kind] for kind in FigureClass if found[kind]}


def counted_once(figures: Iterable[ReproducedFigure]) -> tuple[ReproducedFigure, ...]:
    """The predicted figures; of those that state the same thing the one that deviates most."""
    predicted = [one for one in misses_first(figures) if one.figure_class is FigureClass.PREDICTED]
    return tuple({one.counted_as or one.printed.id: one for one in reversed(predicted)}.values())


def within_counts(values: Sequence[StatedValue | None]) -> WithinCounts:
    """How many values are close to what is printed; one that rounds to it is so at every width."""
    known = [one for one in values if one]

    def within(share: float) -> int:
        return sum(one.within_rounding or abs(one.deviation) <= share + _SLACK for one in known)

    return WithinCounts(within(0.05), within(0.10), within(0.20), within(-1.0))

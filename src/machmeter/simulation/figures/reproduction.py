"""The printed figures of machines beside those that their twins state."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.results.printed import Printed


class FigureClass(StrEnum):
    """What a printed figure is for the twin of its machine."""

    PREDICTED = "predicted"
    """The twin states it, and nothing of the twin was fitted to it."""
    FITTED = "fitted"
    """A parameter of the twin was fitted to it, or a law changed after it was seen."""
    NOT_PREDICTABLE = "not predictable"
    """The model does not describe what it depends on."""
    RESTATED = "restated"
    """It follows from other printed figures."""
    PARAMETER = "parameter"
    """An input: a size, a count, a date, a setting."""


class StatedValue(Struct, frozen=True):
    """What the twin or a trivial rule states in the place of a printed figure."""

    value: float
    """In the unit of the printed figure."""
    deviation: float
    """value / printed - 1."""
    within_rounding: bool
    """Whether it rounds to the printed figure."""
    text: str = ""
    """How it is obtained."""


class ReproducedFigure(Struct, frozen=True):
    """One printed figure beside what the twin states."""

    printed: Printed
    """The figure as its source prints it."""
    figure_class: FigureClass
    """What it is for the twin."""
    twin: StatedValue | None = None
    """What the twin states; null where it states nothing."""
    rule: StatedValue | None = None
    """What a trivial rule predicts: a ratio of data sheets, or the nearest fitted figure."""
    text: str = ""
    """How the twin comes to its value, or what a restated figure follows from."""
    missing: str = ""
    """Of a figure that is not predictable: what the model lacks."""
    counted_as: str = ""
    """Figures of the same name here state the same thing and count once (empty: it counts)."""


class WithinCounts(Struct, frozen=True):
    """How many of the predicted figures come close; one within its rounding counts everywhere."""

    within_5: int
    """Deviation of at most 5 %."""
    within_10: int
    """Deviation of at most 10 %."""
    within_20: int
    """Deviation of at most 20 %."""
    within_rounding: int
    """Rounded to the printed figure."""


class ReproducedMachine(Struct, frozen=True):
    """A machine whose printed figures its twin reproduces."""

    machine: str
    """ID of the published machine."""
    title: str
    """The twin: the machine, its network, who had it."""
    figures: tuple[ReproducedFigure, ...]
    """The predicted ones first, the largest deviation at the top, then the fitted ones."""
    counts: dict[str, int]
    """Figures of each class."""
    predicted: int
    """Predicted figures, those that state the same thing counted once."""
    twin_within: WithinCounts
    """Of these by the twin."""
    rule_within: WithinCounts
    """Of these by the trivial rules."""
    changes: tuple[str, ...] = ()
    """What was changed of the twins that its figures depend on: they are of another machine."""


class Reproduction(Struct, frozen=True):
    """The printed figures of a study or a machine beside those of twins."""

    name: str
    """The study or the machine; empty: all machines that have a twin."""
    machines: tuple[ReproducedMachine, ...]
    """The machines of the study."""

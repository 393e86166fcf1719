"""A number as its source prints it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Statistic


class HowKnown(StrEnum):
    """Where a number of a source comes from."""

    PRINTED = "printed"
    READ_OFF = "read off a plot"
    THRESHOLD = "threshold"


class NodeRelation(StrEnum):
    """How far two nodes are from each other in the network."""

    SAME_SWITCH = "same switch"
    OTHER_SWITCH = "other switch"


class Printed(Struct, frozen=True):
    """One number as its source prints it: its digits, its unit, and how it is known."""

    id: str
    """Name of the figure in the file of its machine."""
    number: str
    """The digits as printed; of a derived figure four significant ones."""
    value: float
    """The same as a number in that unit; of a derived figure with all digits."""
    unit: str
    """The unit as printed."""
    source: str
    """Who prints it, and on which page."""
    page: str = ""
    """The page, table or figure."""
    decimals: int | None = None
    """Digits after the point as printed, negative for rounded tens; null for a derived figure."""
    qualifier: str = ""
    """What the source says of the number: `about`, `at most`."""
    how_known: HowKnown = HowKnown.PRINTED
    """Whether it is printed, was read off a plot, or is what a test of a site demands at least."""
    statistic: Statistic | None = None
    """Which one of the measured values it is; None where the source does not say."""
    relation: NodeRelation | None = None
    """Of the two nodes that it was measured between; None where the source does not say."""
    address: str = ""
    """Where it stands, by commit and line where that is a file; empty where no page has it."""
    derived_from: str = ""
    """The formula it follows from, by ids of figures; empty for what the source prints."""
    text: str = ""
    """What the source calls it."""
    note: str = ""
    """What was assumed where the source is silent."""
    flag: str = ""
    """What contradicts it, for people; empty where nothing does."""
    stated_layout: tuple[str, ...] = ()
    """Fields of the layout that the source states; the others stand at their defaults."""

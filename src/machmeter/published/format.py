"""The form of the files of published figures and claims, as `docs/published.md` describes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from machmeter.model.benchmark import Value

FORMAT = 1
Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=80)]
Reference = Annotated[str, Meta(pattern=r"^[a-z0-9.-]+(/[a-z0-9.-]+)?$", max_length=170)]
Text = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=1, le=10**12)]
Decimals = Annotated[int, Meta(ge=-12, le=12)]
# Figures by reference, each with the number of times it counts.
Terms = Annotated[dict[str, float], Meta(max_length=50)]


class Quotient(Struct, frozen=True, forbid_unknown_fields=True, tag="quotient", tag_field="form"):
    """The sum of some figures over the sum of others; over nothing, the sum itself."""

    over: Terms
    under: Terms = field(default_factory=dict)


class Waves(Struct, frozen=True, forbid_unknown_fields=True, tag="waves", tag_field="form"):
    """The speed-up of the wave model: `units` on `domains` with `slots` each.

    serial: the time of all units one after the other; seconds: of j units at once on one domain,
    by j.
    """

    units: Count
    domains: Count
    slots: Count
    serial: Reference
    seconds: dict[str, Reference]


Formula = Quotient | Waves


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """One printed number, or one that follows from others by a formula.

    What a figure leaves out it takes from its table; its parameters and layout add to the table's.
    """

    id: Name
    value: float | None = None
    derived: Formula | None = None
    text: Text = ""
    decimals: Decimals | None = None
    qualifier: Text = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)


class Precision(StrEnum):
    """Where a number comes from."""

    PRINTED = "printed"
    READ_OFF = "read off a plot"


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures from one place that have their unit in common.

    benchmark, metric: machmeter's own that they are the same as (empty = none); decimals: after
    the point as printed, negative for rounded tens; note: what was assumed where the source is
    silent.
    """

    page: Text
    unit: str
    figures: Annotated[tuple[Figure, ...], Meta(min_length=1, max_length=1000)]
    decimals: Decimals
    benchmark: str = ""
    metric: str = ""
    precision: Precision = Precision.PRINTED
    qualifier: Text = ""
    note: Text = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)


class PublishedMachine(Struct, frozen=True, forbid_unknown_fields=True):
    """A machine as a study prints it.

    parts: what it is made of; kinds: what the two places of a pair share, by pair, the
    nearest first.
    """

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    id: Name
    name: Text
    summary: Text
    source: Text
    year: Annotated[int, Meta(ge=1940, le=2100)]
    tables: Annotated[tuple[Table, ...], Meta(max_length=200)]
    parts: dict[str, Value] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    @property
    def kind_ranks(self) -> dict[str, int]:
        """How far the two of each pair are from each other: the place of their kind in `kinds`."""
        order = list(dict.fromkeys(self.kinds.values()))
        return {pair: order.index(kind) for pair, kind in self.kinds.items()}


class ClaimKind(StrEnum):
    """What a study says with a claim."""

    QUANTITATIVE = "quantitative"
    QUALITATIVE = "qualitative"
    DECISION = "decision"
    CONFIGURATION = "configuration"


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of a study, and how it follows from figures where it does.

    formulas: each must lie in `least`..`most` (a bound that is left out is open), which is printed
    to `decimals` after the point (left out: an exact bound). derived: the number is not printed
    itself, but was worked out from what is, by whoever collected the claims.
    """

    id: Name
    section: Text
    kind: ClaimKind
    text: Text
    unit: str = ""
    least: float | None = None
    most: float | None = None
    decimals: Decimals | None = None
    derived: bool = False
    formulas: Annotated[tuple[Formula, ...], Meta(max_length=50)] = ()
    note: Text = ""


class Claims(Struct, frozen=True, forbid_unknown_fields=True):
    """All claims of one study. References read `machine/figure`."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    id: Name
    title: Text
    source: Text
    machines: tuple[Name, ...]
    claims: Annotated[tuple[Claim, ...], Meta(max_length=2000)]

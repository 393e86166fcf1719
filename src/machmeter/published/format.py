"""The form of the files of published figures and claims, as `docs/published.md` describes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from machmeter.model.benchmark import Value
from machmeter.model.results.printed import HowKnown

FORMAT = 1
Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=80)]
Reference = Annotated[str, Meta(pattern=r"^[a-z0-9._-]+(/[a-z0-9._-]+)?$", max_length=170)]
Text = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=1, le=10**12)]
Decimals = Annotated[int, Meta(ge=-12, le=12)]
# Figures by reference, each with the number of times it counts.
Terms = Annotated[dict[str, float], Meta(max_length=50)]
Factors = Annotated[tuple[Reference, ...], Meta(max_length=50)]
# What the number of a workload is; it must leave a name when only letters and digits are kept.
Quantity = Annotated[str, Meta(pattern=r"^([a-zA-Z0-9].*)?$", max_length=80)]
Address = Annotated[str, Meta(pattern=r"^(https://[^\s<>\"]+)?$", max_length=300)]
LinkUnit = Literal["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B/s", "kB/s", "MB/s", "GB/s"]


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


class Product(Struct, frozen=True, forbid_unknown_fields=True, tag="product", tag_field="form"):
    """`times` x the product of some figures over the product of others."""

    over: Factors
    under: Factors = ()
    times: float = 1.0


Formula = Quotient | Product | Waves


class PrintedFigure(Struct, frozen=True, forbid_unknown_fields=True):
    """One printed number, or one that follows from others by a formula.

    What a figure leaves out it takes from its table; its parameters and layout add to the table's.
    launches: the values of independent starts whose mean it is, in the same unit, where those are
    known: they give it an interval; flag: what about it was proved false when it was imported;
    precision: where it comes from, if not from where its table does.
    """

    id: Name
    value: float | None = None
    derived: Formula | None = None
    launches: Annotated[tuple[float, ...], Meta(max_length=10_000)] = ()
    text: Text = ""
    decimals: Decimals | None = None
    qualifier: Text = ""
    flag: Text = ""
    precision: HowKnown | None = None
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, bool | Value] = field(default_factory=dict)


class Better(StrEnum):
    """Which of two numbers is the better one."""

    HIGHER = "higher"
    LOWER = "lower"


class PrintedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures from one place that have their unit in common.

    benchmark, metric: machmeter's own that they are the same as; workload, quantity, better: of
    what machmeter does not measure, by what name it is compared; with neither the figures serve
    formulas only. decimals: after the point as printed, negative for rounded tens; note: what was
    assumed where the source is silent; source: where it is not the machine's.
    """

    page: Text
    unit: str
    figures: Annotated[tuple[PrintedFigure, ...], Meta(min_length=1, max_length=1000)]
    decimals: Decimals
    benchmark: str = ""
    metric: str = ""
    workload: Name | Literal[""] = ""
    quantity: Quantity = ""
    better: Better | None = None
    source: Text = ""
    precision: HowKnown = HowKnown.PRINTED
    qualifier: Text = ""
    note: Text = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, bool | Value] = field(default_factory=dict)


class Counts(Struct, frozen=True, forbid_unknown_fields=True):
    """What figures of the whole machine are divided by; 0 or empty where it is not known.

    nodes, cores: of the machine that the figures are of; watts: what it draws under load; price:
    of the whole machine, in `currency` (ISO 4217). Formulas know them as `counts.nodes` and so on.
    """

    nodes: Annotated[int, Meta(ge=0, le=10**9)] = 0
    cores: Annotated[int, Meta(ge=0, le=10**12)] = 0
    watts: Annotated[float, Meta(ge=0, le=1e12)] = 0.0
    price: Annotated[float, Meta(ge=0, le=1e15)] = 0.0
    currency: Annotated[str, Meta(pattern=r"^([A-Z]{3})?$")] = ""


class LinkDirection(StrEnum):
    """Which way the rate of a link counts."""

    ONE_WAY = "one way"
    BOTH_WAYS = "both ways"
    UNSTATED = "not stated"


class Link(Struct, frozen=True, forbid_unknown_fields=True):
    """The rate of a link of the interconnect, in bits or in bytes, as it is printed.

    decimals: after the point as printed; note: what else is known of it, with its source.
    """

    id: Name
    value: float
    unit: LinkUnit
    page: Text
    text: Text = ""
    direction: LinkDirection = LinkDirection.UNSTATED
    decimals: Decimals = 0
    note: Text = ""


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """One fact of what a machine is made of, with its unit and where it is printed."""

    value: float | str
    unit: Annotated[str, Meta(max_length=40)] = ""
    page: Text = ""
    note: Text = ""


class PublishedMachine(Struct, frozen=True, forbid_unknown_fields=True):
    """A machine as a study prints it.

    parts: what it is made of; kinds: what the two places of a pair share, by pair, the
    nearest first; origin: whether a study prints its figures or another tool measured them.
    """

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    id: Name
    name: Text
    summary: Text
    source: Text
    year: Annotated[int, Meta(ge=1940, le=2100)]
    tables: Annotated[tuple[PrintedTable, ...], Meta(max_length=2000)]
    counts: Counts = Counts()
    links: Annotated[tuple[Link, ...], Meta(max_length=50)] = ()
    parts: dict[str, float | int | str | Part] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    origin: Literal["published", "imported"] = "published"

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
    itself, but was worked out from what is, by whoever collected the claims. contradicts: the
    figures, links or counts (`machine/figure`) that carry a flag wherever they are shown when the
    claim is found contradicted.
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
    contradicts: Annotated[tuple[Reference, ...], Meta(max_length=50)] = ()
    note: Text = ""


class Claims(Struct, frozen=True, forbid_unknown_fields=True):
    """All claims of one study. References read `machine/figure`.

    address: where the study is found, or the program of the meeting that it was presented at.
    """

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    id: Name
    title: Text
    source: Text
    machines: tuple[Name, ...]
    claims: Annotated[tuple[Claim, ...], Meta(max_length=2000)]
    address: Address = ""

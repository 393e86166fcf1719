"""The form of the files of published figures and claims, as `docs/published.md` describes it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from machmeter.model.benchmark import Statistic, Value
from machmeter.model.machine import CpuRelation
from machmeter.model.origin import Origin
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.printed import HowKnown, NodeRelation

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
    """Figures of the numerator, each with its factor."""
    under: Terms = field(default_factory=dict)
    """Figures of the denominator, each with its factor."""


class Waves(Struct, frozen=True, forbid_unknown_fields=True, tag="waves", tag_field="form"):
    """The speedup of the wave model."""

    units: Count
    """Units of work."""
    domains: Count
    """Domains that they run on."""
    slots: Count
    """Units that a domain runs at once."""
    serial: Reference
    """Time of all units one after the other."""
    seconds: dict[str, Reference]
    """Time of j units at once on one domain, by j."""


class Product(Struct, frozen=True, forbid_unknown_fields=True, tag="product", tag_field="form"):
    """`times` x the product of some figures over the product of others."""

    over: Factors
    """Factors of the numerator."""
    under: Factors = ()
    """Factors of the denominator."""
    times: float = 1.0
    """A constant."""


class Powers(Struct, frozen=True, forbid_unknown_fields=True, tag="powers", tag_field="form"):
    """The product of figures, each to a power: the mean of some of a geometric mean's parts."""

    of: Terms
    """Figures, each with its exponent."""


Formula = Quotient | Product | Waves | Powers


class PrintedFigure(Struct, frozen=True, forbid_unknown_fields=True):
    """One printed number, or one that follows from others by a formula.

    What a figure leaves out it takes from its table; its parameters and layout add to the table's.
    """

    id: Name
    """Unique within the machine."""
    value: float | None = None
    """The printed number, in the unit of its table."""
    derived: Formula | None = None
    """The formula that it follows from instead."""
    launches: Annotated[tuple[float, ...], Meta(max_length=10_000)] = ()
    """Values of independent starts whose mean it is, in the same unit, where they are known: they
    give it an interval."""
    text: Text = ""
    """The passage of the source."""
    decimals: Decimals | None = None
    """Digits after the point as printed, negative for rounded tens."""
    qualifier: Text = ""
    """What the source says of it, such as a bound."""
    flag: Text = ""
    """What about it was proved false when it was imported."""
    precision: HowKnown | None = None
    """How it is known, if not as its table."""
    parameters: dict[str, Value] = field(default_factory=dict)
    """Value of each parameter."""
    layout: dict[str, bool | Value] = field(default_factory=dict)
    """Layout fields that are stated."""


class Better(StrEnum):
    """Which of two numbers is the better one."""

    HIGHER = "higher"
    LOWER = "lower"


class PrintedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures from one place that have their unit in common."""

    page: Text
    """Where in the source."""
    unit: str
    """Unit of every figure."""
    figures: Annotated[tuple[PrintedFigure, ...], Meta(min_length=1, max_length=1000)]
    """What it prints."""
    decimals: Decimals
    """Digits after the point as printed, negative for rounded tens."""
    benchmark: str = ""
    """The benchmark of machmeter that the figures are results of; without it and `workload` they
    serve formulas only."""
    metric: str = ""
    """The metric of that benchmark."""
    workload: Name | Literal[""] = ""
    """By what name figures are compared that machmeter does not measure."""
    quantity: Quantity = ""
    """What they measure then."""
    better: Better | None = None
    """Whether higher or lower is better then."""
    source: Text = ""
    """Where it is not the machine's."""
    precision: HowKnown = HowKnown.PRINTED
    """How the figures are known."""
    statistic: Statistic | None = None
    """Of the values that were measured, where the source says so: two results of unlike ones are
    not compared as if they were one."""
    relation: NodeRelation | None = None
    """Of the two nodes that they were measured between."""
    address: Address = ""
    """Of the page; of a file in a repository with its commit and line."""
    qualifier: Text = ""
    """What the source says of them, such as a bound."""
    note: Text = ""
    """What was assumed where the source is silent."""
    parameters: dict[str, Value] = field(default_factory=dict)
    """Value of each parameter."""
    layout: dict[str, bool | Value] = field(default_factory=dict)
    """Layout fields that are stated."""


class Counts(Struct, frozen=True, forbid_unknown_fields=True):
    """What figures of the whole machine are divided by; 0 or empty where it is not known.

    Formulas refer to them as `counts.nodes` and so on.
    """

    nodes: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """Of the machine that the figures are of."""
    cores: Annotated[int, Meta(ge=0, le=10**12)] = 0
    """Of the machine that the figures are of."""
    watts: Annotated[float, Meta(ge=0, le=1e12)] = 0.0
    """Power under load, W."""
    price: Annotated[float, Meta(ge=0, le=1e15)] = 0.0
    """Of the whole machine, in `currency`."""
    currency: Annotated[str, Meta(pattern=r"^([A-Z]{3})?$")] = ""
    """ISO 4217."""


class LinkDirection(StrEnum):
    """Which way the rate of a link counts."""

    ONE_WAY = "one way"
    BOTH_WAYS = "both ways"
    UNSTATED = "not stated"


class Link(Struct, frozen=True, forbid_unknown_fields=True):
    """The rate of a link of the interconnect, as it is printed."""

    id: Name
    """Unique within the machine."""
    value: Annotated[float, Meta(gt=0)]
    """The printed number."""
    unit: LinkUnit
    """Of bits or of bytes per second."""
    page: Text
    """Where in the source."""
    text: Text = ""
    """The passage of the source."""
    direction: LinkDirection = LinkDirection.UNSTATED
    """Whether it counts one direction or both."""
    decimals: Decimals = 0
    """Digits after the point as printed."""
    note: Text = ""
    """What else is known of it, with its source."""


class Hardware(Struct, frozen=True, forbid_unknown_fields=True):
    """What a node consists of, for comparisons with machines of its kind; 0 or empty
    where it is not known."""

    generation: Text = ""
    """Of its processors, as their maker calls it: `Zen 3`."""
    sockets: Annotated[int, Meta(ge=0, le=1024)] = 0
    """Packages."""
    cores: Annotated[int, Meta(ge=0, le=65_536)] = 0
    """Of all packages."""
    channels: Annotated[int, Meta(ge=0, le=1024)] = 0
    """Of memory, of all packages."""
    transfers: Annotated[int, Meta(ge=0, le=100_000)] = 0
    """Of a channel, millions a second."""
    memory: Annotated[str, Meta(pattern=r"^(DDR[2-6]|LPDDR[2-6]X?|HBM[2-4]?E?)?$")] = ""
    """Its kind."""
    memory_bandwidth: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    """At most, GB/s, where it is not that of channels of 8 bytes."""
    domain_gib: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    """Memory of its smallest NUMA domain, GiB."""
    network: Text = ""
    """Between nodes: `HDR InfiniBand`."""
    nics: Annotated[int, Meta(ge=0, le=256)] = 0
    """Links of a node to it."""
    nic_gigabits: Annotated[float, Meta(ge=0, le=1e5)] = 0.0
    """Of a link, Gbit/s."""

    @property
    def bandwidth(self) -> float:
        """What memory carries at most, B/s; 0 where it is not known."""
        return self.memory_bandwidth * 1e9 or self.channels * self.transfers * 8e6


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """One fact of what a machine is made of."""

    value: float | str
    """Number or text."""
    unit: Annotated[str, Meta(max_length=40)] = ""
    """Of a number."""
    page: Text = ""
    """Where in the source."""
    note: Text = ""
    """What else is known of it."""


class PublishedMachine(Struct, frozen=True, forbid_unknown_fields=True):
    """A machine as a study prints it."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    """Version of this format."""
    id: Name
    """Unique among machines."""
    name: Text
    """For people."""
    summary: Text
    """One line."""
    source: Text
    """The study."""
    year: Annotated[int, Meta(ge=1940, le=2100)]
    """Of publication."""
    tables: Annotated[tuple[PrintedTable, ...], Meta(max_length=2000)]
    """Its figures."""
    counts: Counts = Counts()
    """What figures of the whole machine are divided by."""
    links: Annotated[tuple[Link, ...], Meta(max_length=50)] = ()
    """Links of its interconnect."""
    parts: dict[str, float | int | str | Part] = field(default_factory=dict)
    """What it is made of."""
    hardware: Hardware = Hardware()
    """What its nodes consist of, as far as limits follow from it."""
    code_set: CodeSet | None = None
    """The set of codes that its figures are of, where a score is made of them."""
    kinds: dict[str, CpuRelation] = field(default_factory=dict)
    """What the two CPUs of a pair share, by pair, the nearest first."""
    origin: Origin = Origin.PUBLISHED
    """Whether a study prints its figures or another tool measured them."""

    def __post_init__(self) -> None:
        """Refuse an origin that a file cannot have."""
        if self.origin is Origin.MEASURED:
            raise ValueError("a file has the origin `published` or `imported`")

    @property
    def kind_ranks(self) -> dict[str, int]:
        """How far the two of each pair are from each other: the place of their kind in `kinds`."""
        order = list(dict.fromkeys(self.kinds.values()))
        return {pair: order.index(kind) for pair, kind in self.kinds.items()}

    @property
    def figure_count(self) -> int:
        """How many printed figures it has."""
        return sum(len(table.figures) for table in self.tables)


class ClaimKind(StrEnum):
    """What a study says with a claim."""

    QUANTITATIVE = "quantitative"
    QUALITATIVE = "qualitative"
    DECISION = "decision"
    CONFIGURATION = "configuration"


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of a study, and how it follows from figures where it does."""

    id: Name
    """Unique within the study."""
    section: Text
    """Where in the study."""
    kind: ClaimKind
    """What sort of statement it is."""
    text: Text
    """The statement."""
    unit: str = ""
    """Of its bounds."""
    least: float | None = None
    """Every formula must be at least this (left out: no bound)."""
    most: float | None = None
    """Every formula must be at most this (left out: no bound)."""
    decimals: Decimals | None = None
    """Digits of the bounds after the point as printed (left out: exact bounds)."""
    derived: bool = False
    """Whether the number is not printed itself, but was worked out from what is, by whoever
    collected the claims."""
    formulas: Annotated[tuple[Formula, ...], Meta(max_length=50)] = ()
    """What must be within the bounds."""
    contradicts: Annotated[tuple[Reference, ...], Meta(max_length=50)] = ()
    """Figures, links or counts (`machine/figure`) that carry a flag wherever they are shown when
    the claim is found contradicted."""
    note: Text = ""
    """What was assumed."""


class Claims(Struct, frozen=True, forbid_unknown_fields=True):
    """All claims of one study. References read `machine/figure`."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    """Version of this format."""
    id: Name
    """Name of the study."""
    title: Text
    """Its title."""
    source: Text
    """Authors and venue."""
    machines: tuple[Name, ...]
    """IDs of its machines."""
    claims: Annotated[tuple[Claim, ...], Meta(max_length=2000)]
    """Its statements."""
    address: Address = ""
    """Where the study is found, or the program of the conference that it was presented at."""

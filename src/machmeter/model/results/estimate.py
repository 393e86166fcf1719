"""What the launches say together."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.point import Point
from machmeter.model.units import Unit


class Scale(StrEnum):
    """The scale on which Student's t was applied to the launch values."""

    LOG = "log"
    LINEAR = "linear"


class Estimate(Struct, frozen=True):
    """One metric of one point with its 95 % interval, all in the unit's base.

    launch_values: one value a launch, in launch order, with the `rounds` they ran in; precision:
    half width over value (or half width itself, in the unit, for shares), `target_precision` what
    was asked of it; resolved: False where the interval of an overhead holds zero or less, then only
    `high` may be printed, as an upper bound; below_zero: whether that interval lies wholly below
    zero, which a biased reference makes, or chance; source: where a published value is printed
    (empty for what was measured here): such a value is as printed, and has no interval.
    """

    point: Point
    metric: str
    title: str
    unit: Unit
    direction: Direction
    scale: Scale
    value: float
    low: float
    high: float
    launches: int
    samples: int
    precision: float
    target_precision: float
    reached: bool
    resolved: bool
    launch_values: tuple[float, ...]
    launch_numbers: tuple[int, ...]
    warmup_cut: int
    outliers: int
    batch: int
    attributes: dict[str, str]
    rounds: tuple[int, ...] = ()
    below_zero: bool = False
    source: str = ""


class ComparisonVerdict(StrEnum):
    """How a compares with b."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNRESOLVED = "unresolved"


class Comparison(Struct, frozen=True):
    """`ratio` of a over b turned so that above 1 is better, with its 95 % interval.

    p_value: of what is claimed: that the ratio is not 1, or that it lies beyond the nearest bound
    of its band.
    """

    ratio: float
    low: float
    high: float
    paired: bool
    degrees: float
    p_value: float
    verdict: ComparisonVerdict


class Knee(Struct, frozen=True):
    """One level of the memory hierarchy as a latency curve shows it.

    size_bytes: where the level ends, bytes (0 for the last one, memory); latency_seconds: on the
    level, with its interval over launches.
    """

    size_bytes: int
    latency_seconds: float
    low_seconds: float
    high_seconds: float


class ProtocolRegion(Struct, frozen=True):
    """Message sizes over which one line describes the time: `startup + size * per_byte`.

    first_bytes, last_bytes: smallest and largest measured size of the region; startup_seconds and
    seconds_per_byte with their 95 % intervals over launches; step_seconds: what the time jumps by
    where the region begins, beyond what either line explains between the two sizes (0 for the
    first).
    """

    first_bytes: int
    last_bytes: int
    startup_seconds: float
    startup_low: float
    startup_high: float
    seconds_per_byte: float
    per_byte_low: float
    per_byte_high: float
    step_seconds: float = 0.0
    step_low: float = 0.0
    step_high: float = 0.0


class ProtocolCurve(Struct, frozen=True):
    """The protocols of one curve over message size: `point` is one of its points."""

    point: Point
    metric: str
    regions: tuple[ProtocolRegion, ...]


class AnswerStatus(StrEnum):
    """How far a question was answered."""

    DECIDED = "decided"
    UNRESOLVED = "not resolved"
    UNDECIDABLE = "cannot be decided here"


class Confidence(StrEnum):
    """How far an answer can be relied on; `analysis.stats.confidence` says what each takes."""

    SURE = "sure"
    LIKELY = "likely"
    OPEN = "open"
    PRINTED = "as printed"
    NONE = "not stated"


class CaseEvidence(Struct, frozen=True):
    """What one case of a finding rests on.

    label: the case (`8 threads`; empty where there is one only); answer: its outcome in words;
    advice: what to do; comparison: the ratio that carries it, above 1 is better; points: of shares,
    which have no ratio, by how much one is better (1 = 100 points), with its interval; launches: of
    the side that has fewer; room: how far the interval's end is from the bound of the answer, as a
    log of ratios or in points (below zero where the interval holds it); doubts: why it is no surer;
    would_change: what would change it.
    """

    answer: str
    standing: AnswerStatus
    confidence: Confidence
    label: str = ""
    advice: str = ""
    comparison: Comparison | None = None
    points: float | None = None
    points_low: float = 0.0
    points_high: float = 0.0
    launches: int = 0
    room: float = 0.0
    doubts: tuple[str, ...] = ()
    would_change: tuple[str, ...] = ()


class PublishedAnswer(Struct, frozen=True):
    """What is published of a question, beside what was found here; both in words, with figures.

    machine, title, year: of the published machine; case: of the question, empty where it has but
    one; source: where it is printed; flag: which of the source's own figures contradict it, and
    how (empty where none does).
    """

    machine: str
    title: str
    year: int
    there: str
    here: str
    source: str
    case: str = ""
    flag: str = ""


class Finding(Struct, frozen=True):
    """A question, answered from estimates, in words.

    parts: the same question answered case by case (`for: 451x [440, 462]`), where it has cases;
    source: who asked it first, and what was found there; standing: decided where any case is.
    confidence: of the decided case that is least sure; would_change: what would change that case,
    or what it takes to decide where none is; grounds: what each case rests on; beside: what is
    published of it.
    """

    question: str
    answer: str
    evidence: str
    comparison: Comparison | None = None
    parts: tuple[str, ...] = ()
    source: str = ""
    standing: AnswerStatus = AnswerStatus.UNRESOLVED
    confidence: Confidence = Confidence.NONE
    would_change: tuple[str, ...] = ()
    grounds: tuple[CaseEvidence, ...] = ()
    beside: tuple[PublishedAnswer, ...] = ()

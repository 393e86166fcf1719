"""What a question came to: the answer in words, and the evidence behind it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.results.comparison import Comparison


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

"""What a question came to, as people and programs read it: answer, evidence, sensitivity."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.results.comparison import Comparison


class AnswerStatus(StrEnum):
    """How far a question was answered."""

    DECIDED = "decided"
    INCONCLUSIVE = "inconclusive"
    UNDECIDABLE = "not answerable here"


class Confidence(StrEnum):
    """How far an answer can be relied on; `analysis.stats.confidence` says what each takes."""

    SURE = "sure"
    LIKELY = "likely"
    OPEN = "inconclusive"
    PUBLISHED = "published"
    SIMULATED = "simulated"
    NONE = "none"


class Ranking(Struct, frozen=True):
    """How several stand that were compared, each by its values by name."""

    best: dict[str, str]
    """The best by its value, whether or not that was decided."""
    tied: tuple[dict[str, str], ...] = ()
    """Those that the best is not shown to be better than, the nearest first."""
    behind: tuple[dict[str, str], ...] = ()
    """Those that are shown to be worse than the best."""


class CaseEvidence(Struct, frozen=True):
    """One case of a finding, and what it rests on."""

    answer: str
    """What it came to."""
    status: AnswerStatus
    """Whether it was decided."""
    confidence: Confidence
    """How far it can be relied on."""
    label: str = ""
    """The case (`8 threads`); empty where there is one only."""
    advice: str = ""
    """What to do."""
    decision: str = ""
    """The advice as an imperative that needs no question before it; empty for other advice."""
    evidence: str = ""
    """The results behind it."""
    details: tuple[str, ...] = ()
    """Further results, one a line."""
    setting: str = ""
    """What the compared results share: `triad, 64 MiB, 2 threads`; empty where unknown."""
    comparison: Comparison | None = None
    """The ratio that carries it, above 1 is better; null where it rests on none."""
    points: float | None = None
    """Of shares, which have no ratio: by how much one is better (1 = 100 points)."""
    points_low: float = 0.0
    """Lower end of the 95 % interval of `points`."""
    points_high: float = 0.0
    """Upper end of the 95 % interval of `points`."""
    launches: int = 0
    """Launches of the side that has fewer; 0 where that is not known."""
    margin: float = 0.0
    """From the bound of the answer to the end of the interval: as a log of ratios, or in points;
    below zero where the interval holds the bound."""
    doubts: tuple[str, ...] = ()
    """Why the confidence is no higher."""
    sensitivity: tuple[str, ...] = ()
    """Sensitivity: when the answer would be another, or what it takes to decide."""
    settings: tuple[str, ...] = ()
    """Environment variables that gain over the defaults here: `OMP_WAIT_POLICY=active`."""
    reasons: tuple[str, ...] = ()
    """Why, one a line: what each phase of the time saves or adds, and what is behind it."""
    chosen: dict[str, str] = {}
    """Of the best of several: its values by name, or the usual ones where these are as good; empty
    where that was not decided."""
    ranking: Ranking | None = None
    """Of the best of several: how each of them stands; null for other questions."""


class PublishedAnswer(Struct, frozen=True):
    """What is published of a question, next to what was found here."""

    machine: str
    """ID of the published machine."""
    title: str
    """Its name."""
    year: int
    """Year of the publication."""
    published: str
    """What is published, with its numbers."""
    measured: str
    """What was found here."""
    source: str
    """Where it is printed."""
    case: str = ""
    """The case of the question; empty where it has but one."""
    flag: str = ""
    """What contradicts the published numbers; empty where nothing does."""


class Finding(Struct, frozen=True):
    """A question, answered from results."""

    question: str
    """The question."""
    answer: str
    """The answer to all cases."""
    status: AnswerStatus = AnswerStatus.INCONCLUSIVE
    """Decided where any case is."""
    confidence: Confidence = Confidence.NONE
    """That of the decided case that is least sure."""
    comparison: Comparison | None = None
    """The ratio of the only case, above 1 is better; null where there is none, or several."""
    cases: tuple[CaseEvidence, ...] = ()
    """The answer case by case."""
    sensitivity: tuple[str, ...] = ()
    """What would change the case that is least sure, or what it takes to decide."""
    source: str = ""
    """Who asked it first, and what was found there."""
    published: tuple[PublishedAnswer, ...] = ()
    """What is published of it."""
    leads: bool = False
    """Whether it stands before all others: it is what the run was made to compare."""

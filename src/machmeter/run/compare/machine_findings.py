"""The questions of the studies, put to a machine that was not measured here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.plan.study import PublishedSide, Question
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from machmeter.model.results.machine import MachineResults
from machmeter.run.compare.published_answers import asked_of_published, estimates_used, sides_beside

_NOT_ASKED_HERE = Finding("", "", "")


class MachineDecision(Struct, frozen=True):
    """What figures of a machine decide, where they stand, and what is wrong with them.

    flags: of figures that it rests on, each once.
    """

    finding: Finding
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()


def machine_decisions(
    questions: Sequence[Question],
    machine: MachineResults,
    kind_ranks: Mapping[str, int],
    *,
    published: bool,
) -> tuple[MachineDecision, ...]:
    """Every question that the figures of `machine` decide, in the order asked.

    kind_ranks: how far the two places of a pair are from each other, by pair; published: whether
    it is one of the published machines, to which questions say how they are put to its figures.
    Each is put so where it says so, and as it stands otherwise. Raises MachmeterError where a
    question names what is not there.
    """
    # A question of two studies is asked once.
    asked = tuple({question.text: question for question in questions}.values())
    found = answers(asked, machine.estimates, TopologyFacts(dict(kind_ranks), {}))
    return tuple(
        decision
        for question, finding in zip(asked, found, strict=True)
        for decision in _decisions(question, finding, machine, published=published)
    )


def _decisions(
    question: Question, finding: Finding, machine: MachineResults, *, published: bool
) -> Iterator[MachineDecision]:
    sides = [side for side in question.published if published and side.machine == machine.id]
    for side in sides:
        yield from _by_side(question, side, machine.estimates)
    if not sides and finding.standing is AnswerStatus.DECIDED:
        yield _of_finding(question, finding, machine.estimates)


def _by_side(
    question: Question, side: PublishedSide, estimates: Sequence[Estimate]
) -> Iterator[MachineDecision]:
    if not (side.words or side.over or side.product):
        there, put = asked_of_published(question, side)
        if there.standing is AnswerStatus.DECIDED:
            yield _of_finding(put, replace(there, question=_text(question, side)), estimates)
        return
    for beside in sides_beside(question, side, _NOT_ASKED_HERE):
        finding = Finding(
            question=_text(question, side),
            answer=beside.there,
            evidence="",
            source=question.source,
            standing=AnswerStatus.DECIDED,
            confidence=Confidence.PRINTED,
        )
        yield MachineDecision(finding, (beside.source,), (beside.flag,) if beside.flag else ())


def _text(question: Question, side: PublishedSide) -> str:
    """The question; where it is put to figures of another benchmark, by what it is answered."""
    if not side.benchmark:
        return question.text
    what = side.metric.replace("_", " ")
    program = side.benchmark.partition(".")[2]
    return f"{question.text} (by the {what} of {program})"


def _of_finding(
    question: Question, finding: Finding, estimates: Sequence[Estimate]
) -> MachineDecision:
    used = estimates_used(question, estimates)
    return MachineDecision(
        finding,
        tuple(dict.fromkeys(one.source for one in used if one.source)),
        tuple(dict.fromkeys(one.flag for one in used if one.flag)),
    )

"""The questions of the studies, put to a machine that was not measured here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.answer import Answer, answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.model.plan.question import PublishedResults, PublishedSource, Question
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from machmeter.model.results.machine import MachineResults
from machmeter.run.compare.published_answers import (
    answer_of_results,
    answers_of_source,
    estimates_used,
)
from machmeter.text.findings.answers import finding_of


class MachineFinding(Struct, frozen=True):
    """What results of a machine decide, and where they are printed."""

    finding: Finding
    """The question and its answer."""
    sources: tuple[str, ...]
    """Where the results are printed."""
    flags: tuple[str, ...] = ()
    """What contradicts results that it rests on, each once."""


def machine_findings(
    questions: Sequence[Question],
    machine: MachineResults,
    pair_distances: Mapping[str, int],
    *,
    published: bool,
) -> tuple[MachineFinding, ...]:
    """Every question that the results of `machine` decide, in the order asked.

    pair_distances: how far the two places of a pair are from each other, by pair; published:
    whether it is one of the published machines, to whose results questions say how they are put.
    Each is put so where it says so, and as it stands otherwise. Raises MachmeterError where a
    question names what is not there.
    """
    # A question of two studies is put once.
    once = tuple({question.text: question for question in questions}.values())
    found = answers(once, machine.estimates, TopologyFacts(dict(pair_distances), {}))
    return tuple(
        finding for answer in found for finding in _findings(answer, machine, published=published)
    )


def _findings(
    answer: Answer, machine: MachineResults, *, published: bool
) -> Iterator[MachineFinding]:
    question = answer.question
    sources = [one for one in question.published if published and one.machine == machine.id]
    for source in sources:
        yield from _by_source(question, source, machine.estimates)
    if not sources and answer.status is AnswerStatus.DECIDED:
        yield _of_answer(answer, machine.estimates)


def _by_source(
    question: Question, source: PublishedSource, estimates: Sequence[Estimate]
) -> Iterator[MachineFinding]:
    if isinstance(source, PublishedResults):
        answer = answer_of_results(question, source)
        if answer.status is AnswerStatus.DECIDED:
            of = replace(answer.question, text=_question_text(question, source))
            yield _of_answer(replace(answer, question=of), estimates)
        return
    for one in answers_of_source(question, source, None):
        finding = Finding(
            question=question.text,
            answer=one.published,
            status=AnswerStatus.DECIDED,
            confidence=Confidence.PUBLISHED,
            source=question.source,
        )
        yield MachineFinding(finding, (one.source,), (one.flag,) if one.flag else ())


def _question_text(question: Question, source: PublishedResults) -> str:
    """The question; where it is put to results of another benchmark, by what it is answered."""
    if not source.benchmark:
        return question.text
    what = source.metric.replace("_", " ")
    program = source.benchmark.partition(".")[2]
    return f"{question.text} (by the {what} of {program})"


def _of_answer(answer: Answer, estimates: Sequence[Estimate]) -> MachineFinding:
    used = estimates_used(answer.question, estimates)
    return MachineFinding(
        finding_of(answer),
        tuple(dict.fromkeys(one.source for one in used if one.source)),
        tuple(dict.fromkeys(one.flag for one in used if one.flag)),
    )

"""What published machines answer to the questions of a run, next to what was found here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from machmeter.analysis.rules.answer import Answer, answers, selectors_of
from machmeter.analysis.rules.select import TopologyFacts, pool_of, select
from machmeter.analysis.rules.trial import band_of
from machmeter.analysis.stats.comparison import MARGIN
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.question import (
    CostRule,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedSource,
    PublishedStatement,
    Question,
    ShareRule,
    WaveRule,
)
from machmeter.model.plan.study import Study
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, PublishedAnswer
from machmeter.model.results.printed_text import printed_text
from machmeter.published.flags import flags_of
from machmeter.published.format import PrintedTable, Product, PublishedMachine, Quotient
from machmeter.published.formulas import evaluate, finder, published_numbers
from machmeter.published.load import published_machine
from machmeter.published.machine import published_results
from machmeter.published.printed import printed_figures
from machmeter.text.findings.answers import brief_text
from machmeter.text.findings.cases import words_of
from machmeter.text.findings.labels import label_text
from machmeter.text.ratios import percent_text, times_text

_REFERENCE = re.compile(r"\{([a-z0-9./-]*)\}")


def published_answers(answer: Answer) -> tuple[PublishedAnswer, ...]:
    """What published machines answer to the question of `answer`.

    What a run of another version names and this one does not have is left out.
    """
    return tuple(_case_answers(answer))


def answers_of_source(
    question: Question, source: PublishedSource, measured: Answer | None
) -> tuple[PublishedAnswer, ...]:
    """What one published machine answers, next to what was measured.

    One for each case of the question that both have; one for all of it where they have none in
    common. None where the machine's results do not decide it. Raises MachmeterError where `source`
    names what is not there.
    """
    if isinstance(source, PublishedResults):
        return tuple(_from_results(question, source, measured))
    text = _published_text(question, source)
    return (_from_numbers(source, text, _measured_text(measured)),)


def answers_of_study(study: Study) -> tuple[PublishedAnswer, ...]:
    """What published machines say of all codes of a study together; nothing was measured of it.

    What a run of another version names and this one does not have is left out.
    """
    return tuple(_totals(study))


def _totals(study: Study) -> Iterator[PublishedAnswer]:
    for source in study.published:
        with suppress(MachmeterError):
            yield _from_numbers(source, _with_numbers(source), "")


def answer_of_results(question: Question, source: PublishedResults) -> Answer:
    """The answer of the same rule to a published machine's results.

    Raises MachmeterError where there is no such machine.
    """
    put = replace(
        question,
        benchmark=source.benchmark or question.benchmark,
        metric=source.metric or question.metric,
        each=source.each or question.each,
        rule=source.rule or question.rule,
    )
    machine = published_machine(source.machine)
    facts = TopologyFacts(machine.kind_ranks, {})
    (answer,) = answers((put,), published_results(source.machine).estimates, facts)
    return answer


def estimates_used(question: Question, estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """The results that a question takes."""
    pool = pool_of(question, estimates)
    return tuple(one for of in selectors_of(question.rule) for one in select(of, pool, {}))


def _case_answers(answer: Answer) -> Iterator[PublishedAnswer]:
    for source in answer.question.published:
        try:
            yield from answers_of_source(answer.question, source, answer)
        except MachmeterError:
            # A plan may be of another version, with other files of published numbers.
            continue


def _from_results(
    question: Question, source: PublishedResults, measured: Answer | None
) -> Iterator[PublishedAnswer]:
    answer = answer_of_results(question, source)
    if answer.status is not AnswerStatus.DECIDED:
        return
    known = published_results(source.machine)
    used = estimates_used(answer.question, known.estimates)
    frame = PublishedAnswer(
        known.id,
        known.title,
        known.year,
        published="",
        measured=_measured_text(measured),
        source="; ".join(dict.fromkeys(e.source for e in used)),
        flag="; ".join(dict.fromkeys(e.flag for e in used if e.flag)),
    )
    here = {case.label: case for case in measured.cases} if measured else {}
    shared = [case for case in answer.cases if case.label in here]
    if not shared:
        # Of another benchmark the answer is that of a program, which has to be named.
        what = f"{source.benchmark.partition('.')[2]}: " if source.benchmark else ""
        yield replace(frame, published=f"{what}{brief_text(answer)}")
    for case in shared:
        yield replace(
            frame,
            case=label_text(case.label, " "),
            published=words_of(case).answer,
            measured=words_of(here[case.label]).answer,
        )


def _from_numbers(
    source: PublishedRatio | PublishedStatement, text: str, measured: str
) -> PublishedAnswer:
    machine = published_machine(source.machine)
    named = _REFERENCE.findall(source.text)
    if isinstance(source, PublishedRatio):
        named = [*_operands(source), *named]
    references = [name for name in named if name]
    tables = [_table_of(reference) for reference in references]
    flags = [flags_of(name.partition("/")[0]).get(name.partition("/")[2]) for name in references]
    pages = [f"{one.source}, {table.page}" for one, table in tables]
    if isinstance(source, PublishedStatement) and source.page:
        pages.append(f"{machine.source}, {source.page}")
    return PublishedAnswer(
        machine.id,
        machine.name,
        machine.year,
        published=text,
        measured=measured,
        source="; ".join(dict.fromkeys(pages)),
        flag="; ".join(dict.fromkeys(flag for flag in flags if flag)),
    )


def _measured_text(measured: Answer | None) -> str:
    return brief_text(measured) if measured else ""


def _published_text(question: Question, source: PublishedRatio | PublishedStatement) -> str:
    if isinstance(source, PublishedRatio) and not source.text:
        return _ratio_text(question, _ratio(source))
    return _with_numbers(source)


def _with_numbers(source: PublishedRatio | PublishedStatement) -> str:
    """The text of a source with its numbers, and the ratio, in the place of braces."""
    ratio = _ratio(source) if isinstance(source, PublishedRatio) else 0.0
    return _REFERENCE.sub(
        lambda found: _number_text(found[1]) if found[1] else times_text(ratio), source.text
    )


def _ratio(source: PublishedRatio) -> float:
    """The ratio of published numbers."""
    product = Product(source.product, source.per)
    formula = product if source.product else Quotient(source.over, source.under)
    machines = dict.fromkeys(name.partition("/")[0] for name in _operands(source))
    return evaluate(formula, finder(published_numbers(map(published_machine, machines)))).value


def _operands(source: PublishedRatio) -> tuple[str, ...]:
    return (*source.over, *source.under, *source.product, *source.per)


def _ratio_text(question: Question, ratio: float) -> str:
    """A ratio as the question's rule answers: its band, or yes and no."""
    rule = question.rule
    shares = isinstance(rule, EfficiencyRule | ShareRule | WaveRule)
    text = percent_text(ratio) if shares else times_text(ratio)
    if isinstance(rule, CostRule | EfficiencyRule | ShareRule | WaveRule):
        return f"{band_of(rule.bands, ratio).name}, {text}"
    if 1 / (1 + MARGIN) <= ratio <= 1 + MARGIN:
        return f"no difference, {text}"
    return f"{'yes' if ratio > 1 else 'no'}, {text}"


def _table_of(reference: str) -> tuple[PublishedMachine, PrintedTable]:
    """The machine and the table of a number. Raises MachmeterError where it is not there."""
    name, _, figure = reference.partition("/")
    machine = published_machine(name)
    for table in machine.tables:
        if any(one.id == figure for one in table.figures):
            return machine, table
    raise MachmeterError(
        f"there is no published figure {reference!r}", "correct the question that names it"
    )


def _number_text(reference: str) -> str:
    """A number as it is printed, with what its source says of it: `8 KiB`, `about 80x`."""
    machine, _ = _table_of(reference)
    return printed_text(printed_figures(machine)[reference.partition("/")[2]].printed)

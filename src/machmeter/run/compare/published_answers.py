"""What published machines say to the questions of a run, beside what was found here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.labels import percent, times
from machmeter.analysis.rules.ratios import band_of
from machmeter.analysis.rules.select import TopologyFacts, pool_of, select
from machmeter.analysis.rules.wording import SHARE_RULES
from machmeter.analysis.stats.comparison import MARGIN
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.study import PublishedSide, Question
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Finding, PublishedAnswer
from machmeter.model.results.printed_text import printed_text
from machmeter.published.flags import flags_of
from machmeter.published.format import PrintedTable, Product, PublishedMachine, Quotient
from machmeter.published.formulas import evaluate, finder, known_figures
from machmeter.published.load import published_machine
from machmeter.published.machine import published_known
from machmeter.published.printed import printed_figures

_REFERENCE = re.compile(r"\{([a-z0-9./-]*)\}")
_PRINTED = ", as printed, without interval"
_FEW = 2


def with_published_sides(
    questions: Sequence[Question], findings: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Findings, in the order of their questions, with what published machines say to each.

    What a run of another version names and this one does not have is left out.
    """
    return tuple(
        replace(finding, beside=tuple(_known_sides(question, finding)))
        if question.published
        else finding
        for question, finding in zip(questions, findings, strict=True)
    )


def sides_beside(
    question: Question, side: PublishedSide, finding: Finding
) -> tuple[PublishedAnswer, ...]:
    """What one published machine says to a question, beside what was found here.

    A line for each case of the question that both have; one for all of it where they have none in
    common. None where the machine's figures do not decide it. Raises MachmeterError where `side`
    names what is not there.
    """
    if side.words or side.over or side.product:
        return (_computed(question, side, finding),)
    return tuple(_asked(question, side, finding))


def asked_of_published(question: Question, side: PublishedSide) -> tuple[Finding, Question]:
    """The finding of the same rule on a published machine's figures, and the question as put.

    Raises MachmeterError where there is no such machine.
    """
    put = replace(
        question,
        benchmark=side.benchmark or question.benchmark,
        metric=side.metric or question.metric,
        each=side.each or question.each,
        candidate=side.candidate or question.candidate,
        baseline=side.baseline or question.baseline,
    )
    known, machine = published_known(side.machine), published_machine(side.machine)
    (there,) = answers((put,), known.estimates, TopologyFacts(machine.kind_ranks, {}))
    return there, put


def estimates_used(question: Question, estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """The figures that a question takes."""
    pool = pool_of(question, estimates)
    sides = (side for side in (question.candidate, question.baseline) if side is not None)
    return tuple(one for side in sides for one in select(side, pool, {}))


def _known_sides(question: Question, finding: Finding) -> Iterator[PublishedAnswer]:
    for side in question.published:
        try:
            yield from sides_beside(question, side, finding)
        except MachmeterError:
            # A plan may be of another version, with other files of published figures.
            continue


def _asked(question: Question, side: PublishedSide, finding: Finding) -> Iterator[PublishedAnswer]:
    there, put = asked_of_published(question, side)
    if there.standing is not AnswerStatus.DECIDED:
        return
    known = published_known(side.machine)
    used = estimates_used(put, known.estimates)
    flag = "; ".join(dict.fromkeys(e.flag for e in used if e.flag))
    source = "; ".join(dict.fromkeys(e.source for e in used))
    frame = PublishedAnswer(
        known.id, known.title, known.year, "", _here(finding), source, flag=flag
    )
    here = {ground.label: ground for ground in finding.grounds}
    shared = [ground for ground in there.grounds if ground.label in here]
    if not shared:
        # Of another benchmark the answer is that of a program, which has to be named.
        what = f"{side.benchmark.partition('.')[2]}: " if side.benchmark else ""
        yield replace(frame, there=f"{what}{_as_said(there.grounds)}")
        return
    for ground in shared:
        yield replace(
            frame, case=ground.label, there=_bare(ground.answer), here=here[ground.label].answer
        )


def _computed(question: Question, side: PublishedSide, finding: Finding) -> PublishedAnswer:
    machine = published_machine(side.machine)
    named = [*side.over, *side.under, *side.product, *_REFERENCE.findall(side.words)]
    references = [name for name in named if name]
    tables = [_table_of(reference) for reference in references]
    flags = [flags_of(name.partition("/")[0]).get(name.partition("/")[2]) for name in references]
    pages = dict.fromkeys(f"{one.source}, {table.page}" for one, table in tables)
    return PublishedAnswer(
        machine.id,
        machine.name,
        machine.year,
        _words(question, side),
        _here(finding),
        "; ".join(pages),
        flag="; ".join(dict.fromkeys(flag for flag in flags if flag)),
    )


def _words(question: Question, side: PublishedSide) -> str:
    ratio = _ratio(side)
    if not side.words:
        return _named(question, ratio)
    return _REFERENCE.sub(
        lambda found: _figure_text(found[1]) if found[1] else f"{times(ratio)}x", side.words
    )


def _ratio(side: PublishedSide) -> float:
    """The ratio of a side; 0 where it is in words alone."""
    if side.product:
        formula: Product | Quotient = Product(side.product)
    elif side.over:
        formula = Quotient(side.over, side.under)
    else:
        return 0.0
    names = (*side.over, *side.under, *side.product)
    machines = dict.fromkeys(name.partition("/")[0] for name in names)
    return evaluate(formula, finder(known_figures(map(published_machine, machines)))).value


def _named(question: Question, ratio: float) -> str:
    """A ratio in the words of the question's rule: its band, or yes and no."""
    text = f"{percent(ratio)} %" if question.rule in SHARE_RULES else f"{times(ratio)}x"
    if question.bands:
        return f"{band_of(question.bands, ratio).name}, {text}"
    if 1 / (1 + MARGIN) <= ratio <= 1 + MARGIN:
        return f"no difference, {text}"
    return f"{'yes' if ratio > 1 else 'no'}, {text}"


def _table_of(reference: str) -> tuple[PublishedMachine, PrintedTable]:
    """The machine and the table of a figure. Raises MachmeterError where it is not there."""
    name, _, figure = reference.partition("/")
    machine = published_machine(name)
    for table in machine.tables:
        if any(one.id == figure for one in table.figures):
            return machine, table
    raise MachmeterError(
        f"there is no published figure {reference!r}", "correct the question that names it"
    )


def _figure_text(reference: str) -> str:
    """A figure as it is printed, with what its source says of it: `8 KiB`, `about 80x`."""
    machine, _ = _table_of(reference)
    return printed_text(printed_figures(machine)[reference.partition("/")[2]].printed)


def _here(finding: Finding) -> str:
    """What was found here, without advice; of many cases how many came out how."""
    return _as_said(finding.grounds) if finding.grounds else finding.answer


def _as_said(grounds: Sequence[CaseEvidence]) -> str:
    if len(grounds) <= _FEW:
        return "; ".join(
            f"{_bare(one.answer)}{f' ({one.label})' if one.label else ''}" for one in grounds
        )
    groups: dict[str, list[CaseEvidence]] = {}
    for ground in grounds:
        groups.setdefault(ground.answer.partition(",")[0], []).append(ground)
    return ", ".join(f"{name} ({_cases_text(group)})" for name, group in groups.items())


def _cases_text(grounds: Sequence[CaseEvidence]) -> str:
    """How many cases, and from where to where their ratios are: `3 cases, 1.36x to 1.57x`."""
    count = "1 case" if len(grounds) == 1 else f"{len(grounds)} cases"
    ratios = [one.comparison.ratio for one in grounds if one.comparison is not None]
    if len(ratios) < len(grounds) or any(
        one.standing is AnswerStatus.UNRESOLVED for one in grounds
    ):
        return count
    ends = dict.fromkeys(f"{times(end)}x" for end in (min(ratios), max(ratios)))
    return f"{count}, {' to '.join(ends)}"


def _bare(answer: str) -> str:
    """Of a published answer what its source goes without saying."""
    return answer.replace(_PRINTED, "")

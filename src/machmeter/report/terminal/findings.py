"""The findings of a run in a terminal, decisions first: lines of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.model.results.run import RunResult, RunState
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.studies.select import requested_text
from machmeter.text.findings.order import (
    CommonChange,
    answered,
    by_importance,
    changes_text,
    common_changes,
    confidence_text,
    counted_text,
    one_machine_text,
    published_text,
)
from machmeter.text.plain import plain

MAX_COLUMNS = 100
MOST_CASES = 4
_INDENT = "    "
_STYLES = {Confidence.SURE: "green", Confidence.LIKELY: "yellow"}


def print_findings(result: RunResult, console: Console, *, every: bool = False) -> None:
    """Print the findings of a run; styles are the console's to drop.

    every: those too that cannot be decided here, with what they lack, and every case of each.
    """
    columns = min(console.width, MAX_COLUMNS)
    for line in _lines(result, columns, every):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _lines(result: RunResult, columns: int, every: bool) -> Iterator[Text]:
    machine, header = result.header.machine, result.header
    names = requested_text(header.request.names)
    state = "" if result.state is RunState.FINISHED else f", {result.state.value}"
    title = f"{machine.name or machine.host}: {names} (run {header.id}{state})"
    yield from _wrapped(title, columns, "", "bold")
    if said := one_machine_text(result):
        yield from _wrapped(f"! {said}.", columns, "")
    if not result.findings:
        text = "This run has no questions; studies do: `machmeter list studies`."
        yield from _wrapped(text, columns, "")
        return
    yield from _wrapped(counted_text(result), columns, "")
    shown = by_importance(result) if every else answered(result)
    common = common_changes(shown)
    for number, finding in enumerate(shown, 1):
        yield Text("")
        yield from _finding(number, finding, columns, every, common)
    totals = [published_text(one, sourced=every) for one in answers_of_study(header.request.study)]
    if totals:
        yield Text("")
        yield from _wrapped("Published of all codes together", columns, "")
    for text in totals:
        yield from _wrapped(text, columns, _INDENT)
    yield from _below(common, len(result.findings) - len(shown), columns)


def _below(common: Sequence[CommonChange], left_out: int, columns: int) -> Iterator[Text]:
    """What holds for several findings, and how to see the rest."""
    if common or left_out:
        yield Text("")
    for change in common:
        yield from _wrapped(change.text, columns, "")
    if left_out:
        more = f"{left_out} not answerable here: --all says why"
        yield from _wrapped(more, columns, "", "dim")


def _finding(
    number: int, finding: Finding, columns: int, every: bool, common: Sequence[CommonChange]
) -> Iterator[Text]:
    yield from _wrapped(f"{number}. {finding.question}", columns, "", "", hanging=_INDENT)
    cases = finding.cases
    if len(cases) == 1:
        yield from _one_case(cases[0], columns)
    else:
        yield from _wrapped(finding.answer, columns, _INDENT, "bold")
        yield from _cases(cases, columns, every)
    if len(cases) == 1 and cases[0].evidence:
        made = cases[0].launches
        launches = f", {made} {'launch' if made == 1 else 'launches'}" if made else ""
        yield from _wrapped(f"{cases[0].evidence}{launches}", columns, _INDENT, "dim")
    published = (published_text(one, sourced=every) for one in finding.published)
    for text in (changes_text(finding, common), *published):
        if text:
            yield from _wrapped(text, columns, _INDENT)
    if every and finding.source:
        yield from _wrapped(f"Source: {finding.source}", columns, _INDENT, "dim")


def _one_case(case: CaseEvidence, columns: int) -> Iterator[Text]:
    answer = f"{case.label}: {case.answer}" if case.label else case.answer
    yield from _wrapped(answer, columns, _INDENT, "bold")
    for reason in case.reasons:
        yield from _wrapped(f"Why: {reason}", columns, _INDENT)
    if case.advice:
        yield from _wrapped(f"Advice: {case.advice}", columns, _INDENT)
    if confidence := confidence_text(case):
        style = _STYLES.get(case.confidence, "dim")
        yield from _wrapped(f"Confidence: {confidence}", columns, _INDENT, style)


def _cases(cases: Sequence[CaseEvidence], columns: int, every: bool) -> Iterator[Text]:
    """A line for each case: its outcome with its interval, and how sure it is."""
    decided = [case for case in cases if case.status is AnswerStatus.DECIDED]
    shown = [*decided, *(case for case in cases if case.status is not AnswerStatus.DECIDED)]
    cut = shown if every else shown[:MOST_CASES]
    for case in cut:
        confidence = confidence_text(case) if every else case.confidence.value
        line = f"{case.label}: {case.answer} ({confidence})"
        style = _STYLES.get(case.confidence, "dim")
        yield from _wrapped(line, columns, f"{_INDENT}- ", style, hanging=f"{_INDENT}  ")
    if len(shown) > len(cut):
        rest = len(shown) - len(cut)
        more = f"and {rest} more {'case' if rest == 1 else 'cases'}: --all"
        yield from _wrapped(more, columns, f"{_INDENT}  ", "dim")


def _wrapped(
    text: str, columns: int, indent: str, style: str = "", hanging: str | None = None
) -> Iterator[Text]:
    """`text` on as many lines as it takes; text of a run must not steer a terminal."""
    further = indent if hanging is None else hanging
    lines = textwrap.wrap(
        plain(text),
        max(columns, 20),
        initial_indent=indent,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    for line in lines:
        shown = Text(line, style=style)
        # Wide characters take two cells each.
        shown.truncate(columns, overflow="ellipsis")
        yield shown

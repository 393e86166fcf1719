"""What to copy into a job script: settings that gain over the defaults here, or that none does."""

from __future__ import annotations

from msgspec import Struct

from machmeter.analysis.stats.comparison import MARGIN
from machmeter.model.plan.question import BestRule, BetterRule, Rule
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence
from machmeter.model.results.run import RunResult
from machmeter.text.plain import plain
from machmeter.text.ratios import bounded_ratio_text


class JobLine(Struct, frozen=True):
    """One line of a job script."""

    command: str
    """`export OMP_WAIT_POLICY=active`; a comment where an earlier line sets that variable."""
    why: str
    """Its gain with its interval, and of what: a comment of the shell."""


class JobScript(Struct, frozen=True):
    """The settings of a run."""

    title: str = "Settings for job scripts: gains over the defaults of this machine"
    """What stands above the lines."""
    lines: tuple[JobLine, ...] = ()
    """What gains, the most first."""
    sentence: str = ""
    """Where nothing gains: that, and what was tried; empty where nothing was."""

    @property
    def text(self) -> str:
        """The lines as a shell reads them, their comments below one another."""
        width = max((len(line.command) for line in self.lines), default=0)
        return "\n".join(
            f"{line.command:<{width}}  # {line.why}" if line.why else line.command
            for line in self.lines
        )


def job_script(result: RunResult) -> JobScript:
    """The settings that this run shows to gain over the defaults, or that it shows none.

    Of several values of one variable the one that gains most is set, and the others are comments;
    so is one that another case shows to lose by, and one whose gain is only likely.
    """
    lines: list[JobLine] = []
    values: dict[str, str] = {}
    losing = _losing(result)
    gains = [(f.question, case) for f in result.findings for case in f.cases if case.settings]
    for question, case in sorted(gains, key=lambda gain: -_ratio(gain[1])):
        for setting in case.settings:
            variable, _, value = plain(setting).partition("=")
            if setting in losing or case.confidence is not Confidence.SURE:
                command = f"# export {variable}={value}"
            elif values.setdefault(variable, value) == value:
                command = f"export {variable}={value}"
            else:
                command = f"# or {variable}={value}"
            if all(command != line.command for line in lines):
                why = "; ".join(filter(None, (_gain_text(question, case), losing.get(setting))))
                lines.append(JobLine(command, why))
    return JobScript(lines=tuple(lines), sentence="" if lines else _none_text(result))


def _ratio(case: CaseEvidence) -> float:
    return case.comparison.ratio if case.comparison else 1.0


def _losing(result: RunResult) -> dict[str, str]:
    """Settings that a case shows to lose by, with that case: `0.71x [0.65, 0.78]: 8 threads`."""
    settings = {
        q.text: q.rule.settings for q in result.plan.questions if isinstance(q.rule, BetterRule)
    }
    return {
        setting: _gain_text(finding.question, case)
        for finding in result.findings
        for case in finding.cases
        for setting in settings.get(finding.question, ())
        if case.status is AnswerStatus.DECIDED and _ratio(case) < 1 / (1 + MARGIN)
    }


def _gain_text(question: str, case: CaseEvidence) -> str:
    """`81x [70, 92]: parallel, 2 threads`; of a gain that is only likely so."""
    gain = bounded_ratio_text(case.comparison) if case.comparison else case.answer
    likely = f" ({case.confidence.value})" if case.confidence is Confidence.LIKELY else ""
    return plain(f"{gain}{likely}: {case.setting or case.label or question}")


def _none_text(result: RunResult) -> str:
    tried: dict[str, bool] = {}
    decided = {
        f.question
        for f in result.findings
        if f.cases and all(case.status is AnswerStatus.DECIDED for case in f.cases)
    }
    for question in result.plan.questions:
        for setting in _settings_of(question.rule):
            name = setting.partition("=")[0]
            tried[name] = tried.get(name, True) and question.text in decided
    if not tried:
        return ""
    if all(tried.values()):
        return f"The defaults are fine here: no gain by {', '.join(tried)}."
    open_ones = ", ".join(name for name, known in tried.items() if not known)
    return f"No setting is shown to gain over the defaults; undecided: {open_ones}."


def _settings_of(rule: Rule) -> tuple[str, ...]:
    if isinstance(rule, BestRule):
        return tuple(rule.settings.values())
    return rule.settings if isinstance(rule, BetterRule) else ()

"""What came out of a case, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from machmeter.analysis.rules_labels import (
    figure,
    listed,
    percent,
    percent_text,
    ratio_text,
    times,
)
from machmeter.analysis.rules_trials import Case, Trial, band_of
from machmeter.model.estimate import Comparison, ComparisonVerdict
from machmeter.model.study import Band, Question, Rule

SIGNIFICANCE = 0.05
AS_PRINTED = "as printed, without interval"
_MAY_BE_CHANCE = "may be chance, with so many questions"
_SHARES = (Rule.EFFICIENCY, Rule.WAVES)
_AFTER = {Rule.EFFICIENCY: " of an even share", Rule.WAVES: " of the wave model"}


class Outcome(Struct, frozen=True):
    """What came out of one case.

    name: `yes`, a band or a best value, the same for cases that came out the same; figures: the
    ratio behind it; advice: what to do; ratio: None where nothing was decided.
    """

    name: str
    figures: str = ""
    advice: str = ""
    ratio: float | None = None
    printed: bool = False

    @property
    def text(self) -> str:
        """The outcome as a sentence; what to do comes after the last colon."""
        said = ", ".join(part for part in (self.name, self.figures) if part)
        return f"{said}: {self.advice}" if self.advice else said


def outcome_of(question: Question, case: Case) -> Outcome:
    """What came out of a case whose p values account for how much was compared."""
    if not case.trials:
        return Outcome("")
    if question.rule is Rule.BEST:
        return _best_outcome(question, case)
    trial = case.trials[0]
    if not trial.printed and not ratio_text(trial.comparison):
        return Outcome(_meaningless(trial))
    if question.rule is Rule.BETTER:
        return _better_outcome(question, trial)
    return _banded_outcome(question, case, trial)


def in_one_answer(question: Question, outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """The outcomes of several cases, by label, as one answer: those alike are told together."""
    groups: dict[str, list[tuple[str, Outcome]]] = {}
    for label, outcome in outcomes:
        groups.setdefault(outcome.name.partition(":")[0], []).append((label, outcome))
    decided = [group for group in groups.values() if group[0][1].ratio is not None]
    told = [_group_text(question, group, len(decided) == 1) for group in decided]
    for name, group in groups.items():
        if group not in decided:
            told.append(f"{name} for {listed([label for label, _ in group])}")
    answer = "; ".join(told)
    advice = decided[0][0][1].advice if len(decided) == 1 else ""
    return f"{answer}: {advice}" if advice else answer


def _group_text(question: Question, group: Sequence[tuple[str, Outcome]], alone: bool) -> str:
    labels = listed([label for label, _ in group])
    ratios = [outcome.ratio for _, outcome in group if outcome.ratio is not None]
    first = group[0][1]
    in_brackets = f" ({first.advice})" if first.advice and not alone else ""
    printed = f", {AS_PRINTED}" * first.printed
    return f"{first.name} for {labels}{in_brackets}, {_range(question, ratios)}{printed}"


def _range(question: Question, ratios: Sequence[float]) -> str:
    shares = question.rule in _SHARES
    write: Callable[[float], str] = percent if shares else times
    unit = " %" if shares else "x"
    ends = list(dict.fromkeys(f"{write(end)}{unit}" for end in (min(ratios), max(ratios))))
    return " to ".join(ends)


def _meaningless(trial: Trial) -> str:
    small = not (trial.candidate.resolved and trial.baseline.resolved)
    return f"not resolved: {'too small to tell from zero' if small else 'too few launches'}"


def _ratio(question: Question, trial: Trial) -> str:
    """The ratio with its interval, or as printed."""
    comparison = trial.comparison
    shares = question.rule in _SHARES
    after = _AFTER.get(question.rule, "")
    if trial.printed:
        bare = f"{percent(comparison.ratio)} %" if shares else f"{times(comparison.ratio)}x"
        return f"{bare}{after}, {AS_PRINTED}"
    return (percent_text(comparison) if shares else ratio_text(comparison)) + after


def _better_outcome(question: Question, trial: Trial) -> Outcome:
    comparison, ratio = trial.comparison, _ratio(question, trial)
    if comparison.verdict is ComparisonVerdict.UNRESOLVED:
        excludes_one = not comparison.low <= 1 <= comparison.high
        return Outcome("not resolved", ratio, _MAY_BE_CHANCE * excludes_one)
    name, advice = {
        ComparisonVerdict.FASTER: ("yes", question.yes),
        ComparisonVerdict.SLOWER: ("no", question.no),
        ComparisonVerdict.SAME: ("no difference", question.same),
    }[comparison.verdict]
    return Outcome(name, ratio, advice, comparison.ratio, trial.printed)


def _banded_outcome(question: Question, case: Case, trial: Trial) -> Outcome:
    comparison = trial.comparison
    figures = _ratio(question, trial) + (f" ({case.note})" if case.note else "")
    lowest, highest = _ends(question.bands, comparison, trial.printed)
    if lowest != highest:
        return Outcome(f"between {lowest.name} and {highest.name}", figures)
    if not trial.printed and comparison.p_value > SIGNIFICANCE:
        return Outcome("not resolved", figures, _MAY_BE_CHANCE)
    return Outcome(lowest.name, figures, lowest.advice, comparison.ratio, trial.printed)


def _ends(bands: Sequence[Band], comparison: Comparison, printed: bool) -> tuple[Band, Band]:
    """The bands that hold the ends of the interval."""
    if printed:
        band = band_of(bands, comparison.ratio)
        return band, band
    return band_of(bands, comparison.low), band_of(bands, comparison.high)


def _best_outcome(question: Question, case: Case) -> Outcome:
    trials = {trial.against: trial for trial in case.trials}
    reference = trials[case.reference]
    best = reference.candidate
    if not reference.printed and not best.resolved:
        return Outcome(f"not resolved: {case.best} is too small to tell from zero")
    if not reference.printed and best.launches < 2:
        return Outcome("not resolved: too few launches")
    alike = [n for n, t in trials.items() if t.comparison.verdict is not ComparisonVerdict.FASTER]
    if len(alike) == len(trials):
        return Outcome(f"no difference that shows: {listed([case.best, *alike])}")
    ratio = _ratio(question, reference)
    told = f"{ratio} against {case.reference}" if ratio else f"{case.reference} not resolved"
    as_good = f" (not told apart from {listed(alike)})" if alike else ""
    advice = question.advice.get(case.best, question.yes)
    return Outcome(case.best + as_good, told, advice, reference.comparison.ratio, reference.printed)


def part_texts(question: Question, case: Case) -> tuple[str, ...]:
    """Every value of a BEST case with its figure and what it takes of the best."""
    if question.rule is not Rule.BEST or not case.trials:
        return ()
    first = f"{case.best}: {figure(case.trials[0].candidate)}"
    return (first, *(_part(question, trial) for trial in case.trials))


def _part(question: Question, trial: Trial) -> str:
    ratio = _ratio(question, trial)
    behind = f", {ratio} from the best" if ratio else ", not resolved"
    return f"{trial.against}: {figure(trial.baseline)}{behind}"

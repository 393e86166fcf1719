"""What came out of a case, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from machmeter.analysis.rules.labels import (
    cases_listed,
    figure,
    listed,
    percent,
    percent_text,
    points,
    points_text,
    ratio_text,
    times,
)
from machmeter.analysis.rules.ratios import Trial, band_of, points_between
from machmeter.analysis.rules.trials import Case
from machmeter.model.plan.study import Band, Question, Rule
from machmeter.model.results.comparison import Comparison, ComparisonVerdict

SIGNIFICANCE = 0.05
AS_PRINTED = "as printed, without interval"
_MAY_BE_CHANCE = "may be chance, with so many questions"
ALONE = "; few launches, tested by itself"
# How far from the best a value may lie and still be called no different.
_LITTLE = 1.05
SHARE_RULES = (Rule.EFFICIENCY, Rule.WAVES)
_AFTER = {Rule.EFFICIENCY: " of an even share", Rule.WAVES: " of the wave model"}


class Outcome(Struct, frozen=True):
    """What came out of one case.

    name: `yes`, a band or a best value, the same for cases that came out the same; figures: the
    ratio behind it; advice: what to do; ratio: None where nothing was decided; of_shares: it is
    no ratio but the difference of two shares.
    """

    name: str
    figures: str = ""
    advice: str = ""
    ratio: float | None = None
    printed: bool = False
    of_shares: bool = False

    @property
    def said(self) -> str:
        """The outcome and its figures."""
        return ", ".join(part for part in (self.name, self.figures) if part)

    @property
    def text(self) -> str:
        """The outcome as a sentence; what to do comes after the last colon."""
        return f"{self.said}: {self.advice}" if self.advice else self.said


def outcome_of(question: Question, case: Case) -> Outcome:
    """What came out of a case whose p values account for how much was compared."""
    if not case.trials:
        return Outcome("")
    if question.rule is Rule.BEST:
        return _best_outcome(question, case)
    trial = case.trials[0]
    if not trial.printed and not _means_something(trial):
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
    told = [_group_text(question, group, len(decided) == 1, len(outcomes)) for group in decided]
    for name, group in groups.items():
        if group not in decided:
            advice = " or ".join(dict.fromkeys(o.advice for _, o in group if o.advice))
            labels = cases_listed([label for label, _ in group], len(outcomes), question.each)
            told.append(f"{name} for {labels}" + (f" ({advice})" if advice else ""))
    return "; ".join(told)


def _group_text(
    question: Question, group: Sequence[tuple[str, Outcome]], alone: bool, cases: int
) -> str:
    labels = cases_listed([label for label, _ in group], cases, question.each)
    ratios = [outcome.ratio for _, outcome in group if outcome.ratio is not None]
    first = group[0][1]
    in_brackets = f" ({first.advice})" if first.advice and not alone else ""
    at_the_end = f": {first.advice}" if first.advice and alone else ""
    printed = f", {AS_PRINTED}" * first.printed
    figures = f"{_range(question, ratios, first.of_shares)}{printed}"
    return f"{first.name} for {labels}{in_brackets}, {figures}{at_the_end}"


def _range(question: Question, ratios: Sequence[float], of_shares: bool) -> str:
    if of_shares:
        return f"{' to '.join(dict.fromkeys(map(points, (min(ratios), max(ratios)))))} points"
    shares = question.rule in SHARE_RULES
    write: Callable[[float], str] = percent if shares else times
    unit = " %" if shares else "x"
    ends = list(dict.fromkeys(f"{write(end)}{unit}" for end in (min(ratios), max(ratios))))
    return " to ".join(ends)


def _means_something(trial: Trial) -> bool:
    return trial.tested if trial.of_shares else bool(ratio_text(trial.comparison))


def _meaningless(trial: Trial) -> str:
    small = not (trial.candidate.resolved and trial.baseline.resolved)
    return f"not resolved: {'too small to tell from zero' if small else 'too few launches'}"


def _ratio(question: Question, trial: Trial) -> str:
    """The ratio with its interval, or the points between shares, or either as printed."""
    comparison = trial.comparison
    if trial.of_shares:
        text = points_text(points_between(trial.candidate, trial.baseline))
        return f"{text}, {AS_PRINTED}" if trial.printed else text
    shares = question.rule in SHARE_RULES
    after = _AFTER.get(question.rule, "")
    if trial.printed:
        bare = f"{percent(comparison.ratio)} %" if shares else f"{times(comparison.ratio)}x"
        return f"{bare}{after}, {AS_PRINTED}"
    return (percent_text(comparison) if shares else ratio_text(comparison)) + after


def _size(trial: Trial) -> float:
    """The ratio, or of shares the points."""
    if trial.of_shares:
        return points_between(trial.candidate, trial.baseline).value
    return trial.comparison.ratio


def _shows_a_difference(trial: Trial) -> bool:
    """Whether the interval of the ratio or the points holds no difference at all."""
    if trial.of_shares:
        between = points_between(trial.candidate, trial.baseline)
        return not between.low <= 0 <= between.high
    return not trial.comparison.low <= 1 <= trial.comparison.high


def _better_outcome(question: Question, trial: Trial) -> Outcome:
    comparison, ratio = trial.comparison, _ratio(question, trial)
    if comparison.verdict is ComparisonVerdict.UNRESOLVED:
        return Outcome("not resolved", ratio, _MAY_BE_CHANCE * _shows_a_difference(trial))
    name, advice = {
        ComparisonVerdict.FASTER: ("yes", question.yes),
        ComparisonVerdict.SLOWER: ("no", question.no),
        ComparisonVerdict.SAME: ("no difference", question.same),
    }[comparison.verdict]
    return Outcome(name, ratio, advice, _size(trial), trial.printed, trial.of_shares)


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
    best, reference = case.trials[0].candidate, reference_of(case)
    alike = [t.against for t in case.trials if not is_behind(t)]
    names = listed([case.best, *alike]) if alike else case.best
    keep = f"keep {case.usual}" if case.usual in (case.best, *alike) else ""
    if not reference.printed and best.launches < 2:
        return Outcome("not resolved: too few launches")
    if len(alike) == len(case.trials):
        if all(_is_little(trial) for trial in case.trials):
            return Outcome(f"no difference that shows: {names}", advice=keep or question.same)
        small = "" if best.resolved else f" ({case.best} is too small to tell from zero)"
        return Outcome(f"not resolved: {names}{small}", advice=keep)
    told = f"{_ratio(question, reference)} against {reference.against}"
    as_good = f" (not told apart from {listed(alike)})" if alike else ""
    advice = question.advice.get(case.best, "") or keep or question.yes
    if case.usual in alike:
        advice = keep
    name, printed = case.best + as_good, reference.printed
    return Outcome(name, told, advice, _size(reference), printed, reference.of_shares)


def reference_of(case: Case) -> Trial:
    """What the best is set against in words: the usual value if it is behind, or the worst."""
    behind = [trial for trial in case.trials if is_behind(trial)]
    usual = [trial for trial in behind if trial.against == case.usual]
    return (usual or behind[-1:] or list(case.trials[-1:]))[0]


def is_behind(trial: Trial) -> bool:
    """Whether the best is shown to be better than what the trial sets it against."""
    return trial.comparison.verdict is ComparisonVerdict.FASTER


def _is_little(trial: Trial) -> bool:
    """Whether the interval shows that the two differ by little, if at all."""
    comparison = trial.comparison
    if comparison.verdict is ComparisonVerdict.SAME:
        return True
    return not trial.printed and 1 / _LITTLE <= comparison.low <= comparison.high <= _LITTLE


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

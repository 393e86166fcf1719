"""Outcomes of cases as text: a name that cases may share, the numbers behind it, what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from machmeter.analysis.curves.flatness import Octave
from machmeter.analysis.curves.protocols import LEAST_SIZES, step_ratio
from machmeter.analysis.rules.outcome import (
    BandOutcome,
    BestOutcome,
    BetterOutcome,
    CaseResult,
    ConsistentOutcome,
    FlatKind,
    FlatOutcome,
    GrowthOutcome,
    Inconclusive,
    NoCurve,
    NodesOutcome,
    Speedup,
    SwitchOutcome,
    ThresholdKind,
    ThresholdOutcome,
    WaveSpeedup,
)
from machmeter.analysis.rules.sensitivity import JudgedQuantity
from machmeter.analysis.rules.trial import Label, Trial, difference_of
from machmeter.analysis.stats.confidence import Doubt, DoubtKind
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.curves import ProtocolRegion
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    format_interval,
    format_value,
)
from machmeter.text.findings.labels import (
    interval_value,
    is_nothing_set,
    label_text,
    listed,
    value_label,
)
from machmeter.text.findings.nodes import nodes_words
from machmeter.text.findings.pairs import consistent_words
from machmeter.text.findings.sensitivity import AXIS_NOUNS, doubt_text, signed_text
from machmeter.text.findings.words import INCONCLUSIVE, CaseWords
from machmeter.text.numbers import points_text
from machmeter.text.ratios import (
    bounded_ratio_text,
    difference_text,
    percent_text,
    ratio_as_share_text,
    times_text,
)
from machmeter.text.results import scale_of_both, value_text


def words_of(case: CaseResult) -> CaseWords:
    """The outcome of a case as text."""
    return _WORDS[type(case.outcome)](case.outcome, case.advice)


def range_text(cases: Sequence[CaseResult]) -> str:
    """From where to where the ratios (or differences of shares) of decided cases are."""
    trials = [(case.trial, _quantity(case)) for case in cases if case.trial is not None]
    if len(trials) < len(cases) or not all(case.decided for case in cases):
        return ""
    low, high = (pick(trials, key=lambda one: _size(one[0])) for pick in (min, max))
    if low[0].of_shares:
        return f"{100 * _size(low[0]):+.1f} to {points_text(_size(high[0]))}"
    return " to ".join(dict.fromkeys((_size_text(*low), _size_text(*high))))


def _quantity(case: CaseResult) -> JudgedQuantity:
    outcome = case.outcome
    return outcome.quantity if isinstance(outcome, BandOutcome) else JudgedQuantity.RATIO


def _size(trial: Trial) -> float:
    return difference_of(trial).value if trial.of_shares else trial.comparison.ratio


def _size_text(trial: Trial, quantity: JudgedQuantity) -> str:
    """A ratio, share or difference without its interval."""
    if trial.of_shares:
        return points_text(_size(trial))
    ratio = trial.comparison.ratio
    return times_text(ratio) if quantity is JudgedQuantity.RATIO else percent_text(ratio)


_SAME = 1e-9
_ALMOST_SURE = 0.99
_REASONS = {
    Inconclusive.TOO_FEW_LAUNCHES: "too few launches",
    Inconclusive.TOO_FEW_SIZES: f"too few sizes, {2 * LEAST_SIZES} needed",
    Inconclusive.BELOW_RESOLUTION: "not distinguishable from zero",
    Inconclusive.MULTIPLE_COMPARISONS: "not significant after correction for multiple comparisons",
    Inconclusive.INTERVAL: "",
}


def _with_reason(numbers: str, reason: Inconclusive | None) -> str:
    """Numbers, and why they are inconclusive where they do not show it."""
    return ", ".join(text for text in (numbers, _REASONS[reason] if reason else "") if text)


def _trial_text(trial: Trial, quantity: JudgedQuantity = JudgedQuantity.RATIO) -> str:
    """The ratio with its interval, or the difference of shares; published ones without."""
    if trial.of_shares:
        return difference_text(difference_of(trial))
    if trial.quoted:
        return _size_text(trial, quantity)
    # What is several times as much is no share.
    of_ratio = quantity is JudgedQuantity.RATIO or trial.comparison.ratio >= 2
    return (
        bounded_ratio_text(trial.comparison) if of_ratio else ratio_as_share_text(trial.comparison)
    )


def _evidence(trial: Trial) -> str:
    """`parallel: 845 ns against 10.9 µs`: both values, after what they share."""
    a, b = trial.candidate, trial.baseline
    scale = scale_of_both(a, b)
    values = f"{value_text(a, scale)} against {value_text(b, scale)}"
    shared = _setting(trial)
    return f"{shared}: {values}" if shared else values


def _setting(trial: Trial) -> str:
    """The parameters that both results share, and how many threads."""
    a, b = trial.candidate.point, trial.baseline.point
    other = dict(b.parameters)
    shared = [value_label(name, value) for name, value in a.parameters if other.get(name) == value]
    if a.layout.threads == b.layout.threads > 1:
        shared.append(value_label("threads", a.layout.threads))
    return ", ".join(shared)


def _better(outcome: BetterOutcome, advice: str) -> CaseWords:
    trial = outcome.trial
    name = {
        ComparisonVerdict.FASTER: "yes",
        ComparisonVerdict.SLOWER: "no",
        ComparisonVerdict.SAME: "no difference",
        ComparisonVerdict.INCONCLUSIVE: INCONCLUSIVE,
    }[trial.comparison.verdict]
    numbers = _with_reason(_trial_text(trial), outcome.inconclusive)
    return CaseWords(
        INCONCLUSIVE if outcome.inconclusive else name,
        numbers,
        advice,
        _evidence(trial),
        setting=_setting(trial),
    )


def _band(outcome: BandOutcome, advice: str) -> CaseWords:
    trial = outcome.trial
    numbers = _trial_text(trial, outcome.quantity)
    if numbers and outcome.quantity is JudgedQuantity.MODEL_SHARE:
        numbers += " of the model's speedup"
    elif numbers and outcome.quantity is JudgedQuantity.EFFICIENCY:
        numbers = f"parallel efficiency {numbers}"
    if numbers and outcome.detail is not None:
        numbers += f" ({_detail_text(outcome.detail)})"
    if outcome.inconclusive is Inconclusive.INTERVAL:
        numbers = f"{outcome.lowest.name} or {outcome.highest.name}, {numbers}"
    name = INCONCLUSIVE if outcome.inconclusive else outcome.lowest.name
    return CaseWords(name, _with_reason(numbers, outcome.inconclusive), advice, _evidence(trial))


def _detail_text(detail: Speedup | WaveSpeedup) -> str:
    if isinstance(detail, Speedup):
        kind = "nodes" if detail.are_nodes else "ranks" if detail.are_ranks else "threads"
        count = f"{detail.threads} {kind}"
        where = count if detail.base_threads == 1 else f"{count} over {detail.base_threads}"
        text = f"{times_text(detail.ratio)} on {where}"
        return f"{text}, best: {label_text(detail.best)}" if detail.best else text
    text = f"speedup {times_text(detail.measured)}, model {times_text(detail.modeled)}"
    if detail.pace is None:
        return text
    pace = f"{percent_text(detail.pace)} of the pace of one"
    return f"{text}; {detail.slots} at once on one domain run at {pace}"


def _best(outcome: BestOutcome, advice: str) -> CaseWords:
    best = label_text(outcome.best)
    tied = [label_text(label) for label in outcome.tied]
    keep = _keep_text(outcome.keep) if outcome.keep is not None else ""
    evidence, details = _evidence(outcome.reference), _details(outcome)
    advice = advice or keep
    reason = outcome.inconclusive
    if reason is Inconclusive.TOO_FEW_LAUNCHES:
        return CaseWords(INCONCLUSIVE, _REASONS[reason], "", evidence, details)
    if reason is not None:
        name = "no significant difference" if outcome.similar else INCONCLUSIVE
        what = f"{best} is {_REASONS[reason]}" if reason is Inconclusive.BELOW_RESOLUTION else ""
        among = f"between {listed([best, *tied])}{_odds(outcome, best)}"
        numbers = ", ".join(text for text in (among, what) if text)
        return CaseWords(name, numbers, advice, evidence, details)
    # Commas are within a label of several values.
    joined = ("; " if len(outcome.best) > 1 else ", ").join(tied)
    name = f"{best} (tied with {joined})" if tied else best
    over = label_text(outcome.reference.against)
    numbers = f"{_trial_text(outcome.reference)} over {over}{_odds(outcome) * bool(tied)}"
    return CaseWords(name, numbers, advice, evidence, details)


def _keep_text(usual: Label) -> str:
    return "set nothing" if is_nothing_set(usual) else f"keep {label_text(usual)}"


def _details(outcome: BestOutcome) -> tuple[str, ...]:
    """Every value with its result, and what the best is over it."""
    first = outcome.trials[0].candidate
    lines = [f"{label_text(outcome.best)}: {value_text(first)}{_odds(outcome)}"]
    for trial in outcome.trials:
        ratio = _trial_text(trial)
        behind = f"{ratio} from the best" if ratio else INCONCLUSIVE
        if trial.against in outcome.tied and trial.has_ratio and trial.comparison.low > 1:
            behind += f", {doubt_text(Doubt(DoubtKind.CHANCE, trial.comparison.p_value))}"
        lines.append(f"{label_text(trial.against)}: {value_text(trial.baseline)}, {behind}")
    return tuple(lines)


def _odds(outcome: BestOutcome, whose: str = "") -> str:
    """How probably the best is so; whose: its name, where that does not stand before."""
    found = outcome.probability
    if found is None:
        return ""
    share = "over 99 %" if found > _ALMOST_SURE else percent_text(found)
    return f"; {whose}{' is ' * bool(whose)}best with a probability of {share}"


def _switch(outcome: SwitchOutcome, advice: str) -> CaseWords:
    axis, regions = outcome.axis, outcome.regions
    lines = tuple(_line_text(axis, region) for region in regions)
    if len(regions) == 1:
        first, last = (value_label(axis, end) for end in _ends(regions[0]))
        return CaseWords(f"no switch from {first} to {last}", "", advice, lines[0])
    steps = [
        _step_text(axis, before, region, shown=shown)
        for (before, region), shown in zip(pairwise(regions), outcome.jumps, strict=True)
    ]
    return CaseWords(listed(steps), "", advice, "; ".join(lines), lines)


def _ends(region: ProtocolRegion) -> tuple[int, int]:
    return region.first_bytes, region.last_bytes


def _step_text(axis: str, before: ProtocolRegion, region: ProtocolRegion, *, shown: bool) -> str:
    low, high = (value_label(axis, end) for end in (before.last_bytes, region.first_bytes))
    where = f"between {low} and {high}"
    if not shown:
        return f"change of slope {where}, no significant jump"
    step, ratio = region.step_seconds, step_ratio(region, before)
    times = f" ({times_text(ratio)})" if math.isfinite(ratio) else ""
    written = f"{'+' * (step > 0)}{format_value(step, SECONDS)}"
    # A simulated curve has no spread, and where both slopes are the same nothing is between.
    if not math.isclose(region.step_low, region.step_high, rel_tol=_SAME):
        written += f" {format_interval(region.step_low, region.step_high, step, SECONDS)}"
    return f"switch {where}: {written}{times}"


def _line_text(axis: str, region: ProtocolRegion) -> str:
    """One region: its sizes, its startup and the pace beyond."""
    first, last = (value_label(axis, end) for end in _ends(region))
    startup = signed_text(region.startup_seconds, SECONDS)
    if region.seconds_per_byte <= 0:
        return f"{first} to {last}: {startup} at every size"
    pace = format_value(1 / region.seconds_per_byte, BYTES_PER_SECOND_ONE_WAY)
    if region.startup_seconds < 0:
        # A line through larger messages may meet 0 B below zero: no message takes that long.
        return f"{first} to {last}: {pace}"
    return f"{first} to {last}: {startup} and {pace}"


def _flat(outcome: FlatOutcome, advice: str) -> CaseWords:
    axis = outcome.axis
    last, best = value_label(axis, outcome.last), outcome.best
    change = _change_text(outcome.end)
    evidence = f"maximum at {value_label(axis, best.value)}: {interval_value(best.estimate)}"
    names = {
        FlatKind.RISING: f"still rising at {last}",
        FlatKind.RISING_SLOWLY: f"still rising slowly at {last}",
        FlatKind.FALLING: f"falling at {last}",
        FlatKind.FALLING_SLOWLY: f"falling slowly at {last}",
    }
    if outcome.kind in names:
        return CaseWords(names[outcome.kind], change, advice, evidence)
    if outcome.begin is None:
        return CaseWords(INCONCLUSIVE, change, advice, evidence)
    name = f"flat from {value_label(axis, outcome.begin.value)}"
    numbers = f"{interval_value(outcome.begin.estimate)} there"
    if outcome.perhaps is not None:
        numbers += f", possibly from {value_label(axis, outcome.perhaps)}"
    return CaseWords(name, numbers, advice, evidence)


def _change_text(end: Octave) -> str:
    low, high = (100 * (bound - 1) for bound in (end.low, end.high))
    return f"{100 * (end.ratio - 1):+.1f} % [{low:.1f}, {high:.1f}] per doubling there"


def _threshold(outcome: ThresholdOutcome, advice: str) -> CaseWords:
    axis, values = outcome.axis, outcome.values
    by_value = {one.value: one.estimate for one in values}
    lines = tuple(
        f"{value_label(axis, one.value)}: {interval_value(one.estimate)}" for one in values
    )
    at = [value_label(axis, value) for value in outcome.at]
    last = value_label(axis, values[-1].value)
    match outcome.kind:
        case ThresholdKind.FROM:
            everywhere = outcome.at[0] == values[0].value and len(values) > 1
            name = f"from {at[0]}{' on, at every value measured' * everywhere}"
            numbers = f"{interval_value(by_value[outcome.at[0]])} there"
            if outcome.perhaps is not None:
                numbers += f", possibly from {value_label(axis, outcome.perhaps)}"
        case ThresholdKind.NEVER:
            highest = max(values, key=lambda one: one.estimate.value)
            name = f"never up to {last}"
            numbers = (
                f"at most {interval_value(highest.estimate)}, at {value_label(axis, highest.value)}"
            )
        case ThresholdKind.PARTLY:
            name = f"only at {listed(at)}"
            numbers = f"{interval_value(values[-1].estimate)} at {last}"
        case ThresholdKind.UNCLEAR:
            name, numbers = INCONCLUSIVE, f"unclear at {listed(at)}"
    return CaseWords(name, numbers, advice, details=lines)


def _growth(outcome: GrowthOutcome, advice: str) -> CaseWords:
    axis, found, unit = outcome.axis, outcome.growth, outcome.first.estimate.unit
    interval = format_interval(found.low, found.high, found.slope, unit)
    noun = AXIS_NOUNS.get(axis, axis)
    numbers = f"{format_value(found.slope, unit)} {interval} per additional {noun}"
    if not found.even and outcome.last.value - outcome.first.value > 1:
        first, last = (format_value(slope, unit) for slope in (found.first, found.last))
        numbers += f", not linear ({first} at first, {last} at last)"
    ends = (outcome.first, outcome.last)
    evidence = ", ".join(
        f"{interval_value(one.estimate)} with {value_label(axis, one.value)}" for one in ends
    )
    if outcome.lowest == outcome.highest:
        return CaseWords(outcome.lowest.name, numbers, advice, evidence)
    either = f"{outcome.lowest.name} or {outcome.highest.name}"
    return CaseWords(INCONCLUSIVE, f"{either}, {numbers}", advice, evidence)


_WORDS: Mapping[type[Any], Callable[[Any, str], CaseWords]] = {
    BetterOutcome: _better,
    BandOutcome: _band,
    BestOutcome: _best,
    SwitchOutcome: _switch,
    FlatOutcome: _flat,
    ThresholdOutcome: _threshold,
    GrowthOutcome: _growth,
    ConsistentOutcome: consistent_words,
    NodesOutcome: nodes_words,
    NoCurve: lambda outcome, _: CaseWords(INCONCLUSIVE, _REASONS[outcome.inconclusive]),
}

"""Whether a gain over what people have who set nothing is of threads or of pinning, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from machmeter.analysis.rules.trial import compared
from machmeter.analysis.stats.fields import has_values
from machmeter.model.layout import Binding
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Finding, Ranking
from machmeter.text.numbers import count_text
from machmeter.text.ratios import bounded_ratio_text

_BINDING, _RANKS, _THREADS = "binding", "ranks_per_node", "threads_per_rank"
_TOGETHER = (
    "threads and pinning were set together, so that it may be of either (--binding close,none "
    "measures both)"
)
_UNBOUND = tuple(one.value for one in Binding if not one.is_bound)

_Values = Mapping[str, str]


def with_pinning(
    finding: Finding, estimates: Sequence[Estimate], working: Mapping[Point, int]
) -> Finding:
    """The finding with what its answer owes to pinning, where it compares a bound layout with
    nothing set; estimates: of its layouts; working: threads of a rank that were seen to work, of
    those where all launches agree."""
    if len(finding.cases) != 1:
        return finding
    (case,) = finding.cases
    note = _note(case, estimates, working)
    if not note:
        return finding
    noted = replace(case, answer=f"{case.answer}; {note}")
    return replace(finding, answer=f"{finding.answer}; {note}", cases=(noted,))


def _note(case: CaseEvidence, estimates: Sequence[Estimate], working: Mapping[Point, int]) -> str:
    """What the difference is of; empty where the answer shows it."""
    pair = _compared(case)
    if pair is None:
        return ""
    bound, unset = pair
    counts = [_working(one, estimates, working) for one in (bound, unset)]
    if counts[0] is not None and counts[0] == counts[1]:
        threads = count_text(counts[0], "thread", "threads")
        each = " of each rank" * (bound.get(_RANKS, "1") != "1")
        return f"{threads}{each} worked in both: it is of pinning, not of the number of threads"
    results = [_result(one, estimates) for one in (bound, _unbound(bound), unset)]
    if None not in results:
        return _each_gain(*filter(None, results))
    is_best = case.ranking is not None and bound == case.ranking.best
    return _TOGETHER if is_best and not _is_launched_unbound(bound, case.ranking) else ""


def _unbound(bound: _Values) -> _Values:
    return {**bound, _BINDING: Binding.NONE.value}


def _result(values: _Values, estimates: Sequence[Estimate]) -> Estimate | None:
    return next((one for one in estimates if has_values(one, values)), None)


def _each_gain(bound: Estimate, unbound: Estimate, unset: Estimate) -> str:
    """What pinning gives the same ranks and threads, and what these give without it."""
    pinning, number = (
        bounded_ratio_text(compared(*two)) for two in ((bound, unbound), (unbound, unset))
    )
    if not pinning or not number:
        return ""
    return f"of that pinning alone {pinning}, the same ranks and threads without it {number}"


def _compared(case: CaseEvidence) -> tuple[_Values, _Values] | None:
    """The bound layout and the one in which nothing is set that the answer compares, in this order;
    None where it compares others, or other numbers of ranks."""
    ranking = case.ranking
    if case.status is not AnswerStatus.DECIDED or ranking is None or not ranking.behind:
        return None
    usual = [one for one in ranking.behind if _is_unset(one)]
    pair = (ranking.best, (usual or list(ranking.behind[-1:]))[0])
    bound = [one for one in pair if one.get(_BINDING, Binding.NONE) not in _UNBOUND]
    unset = [one for one in pair if _is_unset(one)]
    if not bound or not unset or bound[0].get(_RANKS) != unset[0].get(_RANKS):
        return None
    return bound[0], unset[0]


def _is_unset(values: _Values) -> bool:
    return values.get(_BINDING) == Binding.DEFAULT.value


def _is_launched_unbound(bound: _Values, ranking: Ranking | None) -> bool:
    """Whether the same ranks and threads were compared without pinning too."""
    every = (ranking.best, *ranking.tied, *ranking.behind) if ranking else ()
    same = [one for one in every if all(one.get(n) == bound.get(n) for n in (_RANKS, _THREADS))]
    return any(one.get(_BINDING) == Binding.NONE.value for one in same)


def _working(
    values: _Values, estimates: Sequence[Estimate], working: Mapping[Point, int]
) -> int | None:
    found = (one.point for one in estimates if has_values(one, values))
    return next((working[point] for point in found if point in working), None)

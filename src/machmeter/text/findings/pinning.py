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

_BINDING, _RANKS = "binding", "ranks_per_node"
_TOGETHER = "threads and pinning were set together, so that it may be of either"
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
    ranking = case.ranking
    if case.status is not AnswerStatus.DECIDED or ranking is None or not ranking.behind:
        return ""
    pair = _compared(ranking)
    of_ranks = pair is not None and pair[0].get(_RANKS) == pair[1].get(_RANKS)
    counts = {_working(one, estimates, working) for one in pair} if pair and of_ranks else set()
    if len(counts) == 1 and None not in counts:
        threads = count_text(max(filter(None, counts)), "thread", "threads")
        each = " of each rank" * (ranking.best.get(_RANKS, "1") != "1")
        return f"{threads}{each} worked in both: it is of pinning, not of the number of threads"
    if gains := _each_gain(ranking, estimates):
        return gains
    return _TOGETHER if pair and of_ranks and pair[0] == ranking.best else ""


def _compared(ranking: Ranking) -> tuple[_Values, _Values] | None:
    """The bound layout and the one in which nothing is set that the answer compares, in this order;
    None where it compares others."""
    usual = [one for one in ranking.behind if _is_unset(one)]
    pair = (ranking.best, (usual or list(ranking.behind[-1:]))[0])
    bound = [one for one in pair if one.get(_BINDING, Binding.NONE) not in _UNBOUND]
    unset = [one for one in pair if _is_unset(one)]
    return (bound[0], unset[0]) if bound and unset else None


def _each_gain(ranking: Ranking, estimates: Sequence[Estimate]) -> str:
    """What pinning gives the ranks and threads of the best layout, and what these give without it,
    where all three were launched next to each other; empty where they were not."""
    every = (ranking.best, *ranking.tied, *ranking.behind)
    axes = [name for name in ranking.best if name != _BINDING]
    same = [one for one in every if all(one.get(n) == ranking.best.get(n) for n in axes)]
    groups = (
        [one for one in same if one.get(_BINDING) not in _UNBOUND],
        [one for one in same if one.get(_BINDING) == Binding.NONE.value],
        [one for one in every if _is_unset(one)],
    )
    if not all(groups) or _is_unset(ranking.best):
        return ""
    found = [[one for one in estimates if has_values(one, values[0])][:1] for values in groups]
    if not all(found):
        return ""
    bound, unbound, unset = (one for (one,) in found)
    ratios = compared(bound, unbound), compared(unbound, unset)
    pinning, number = map(bounded_ratio_text, ratios)
    if not (pinning and number and all(one.paired for one in ratios)):
        return ""
    return f"of that pinning alone {pinning}, the same ranks and threads without it {number}"


def _is_unset(values: _Values) -> bool:
    return values.get(_BINDING) == Binding.DEFAULT.value


def _working(
    values: _Values, estimates: Sequence[Estimate], working: Mapping[Point, int]
) -> int | None:
    found = (one.point for one in estimates if has_values(one, values))
    return next((working[point] for point in found if point in working), None)

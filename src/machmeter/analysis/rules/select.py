"""Which results a question is about."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.scaling.common_limit import NodeLimits
from machmeter.analysis.stats.estimates import interval_of
from machmeter.analysis.stats.fields import SPLIT, value_of
from machmeter.model.benchmark import Formula, Value
from machmeter.model.layout import Assignment, Layout
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.question import (
    FARTHEST,
    LARGEST,
    NEAREST,
    OTHER,
    OWN,
    SMALLEST,
    SMALLEST_TEAM,
    Question,
    Resource,
    Selector,
    ShareRule,
)
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate, Scale

_SYMBOLS_OF_PAIRS = (OWN, OTHER, NEAREST, FARTHEST)
_THREAD_FIELDS = ("threads_per_rank", "inner_threads")
_THREADS = "threads"
# More ranks than cores are oversubscribed, and that is no difference of its own.
_STANDS_FOR = {
    SPLIT: _THREAD_FIELDS,
    _THREADS: _THREAD_FIELDS,
    "ranks": ("nodes", "ranks_per_node", "oversubscribe"),
    # Where nothing is set, idle threads do what they do by default too.
    "is_placed": ("binding", "wait_policy"),
    # Who makes progress says which cores are kept free for it.
    "progress": ("progress", "reserved_cores"),
}


class TopologyFacts(Struct, frozen=True):
    """What is known of the machine that was measured; empty where it is not known."""

    pair_distances: Mapping[str, int]
    """By pair (`0-17`): the rank of what the two share, that of the smallest group of CPUs first.
    """
    assignments: Mapping[Layout, Assignment]
    """The CPUs of each layout."""
    resources: Mapping[Resource, int] = MappingProxyType({})
    """How many it has of what questions require."""
    cores_per_domain: int = 0
    """Cores of a NUMA domain."""
    rank_hosts: tuple[str, ...] = ()
    """The host of each rank of the pairs whose consistency is in question, or of each node."""
    planned_pairs: tuple[Point, ...] = ()
    """The points of pairs of ranks that the run was to measure."""
    dropped_out: frozenset[Point] = frozenset()
    """What a race showed to be slower than another one, at levels that err in 5 % of races."""
    settings: frozenset[str] = frozenset()
    """Environment variables that people have set, values in small letters: `OMP_DYNAMIC=true`."""
    hosts: tuple[ObservedHost, ...] = ()
    """What hosts say of themselves."""
    node_limits: NodeLimits = NodeLimits()
    """What the hardware of nodes can at most."""


class Opposed(Struct, frozen=True):
    """The two results that a question compares."""

    candidate: Estimate
    """The candidate's."""
    baseline: Estimate
    """The baseline's."""


def metrics_of(question: Question) -> frozenset[tuple[str, str]]:
    """Benchmark and metric that a question is about, and those that it is a share of."""
    own, rule = (question.benchmark, question.metric), question.rule
    if not isinstance(rule, ShareRule):
        return frozenset({own})
    return frozenset({own, (rule.benchmark, rule.metric or question.metric)})


def pool_of(question: Question, estimates: Sequence[Estimate]) -> list[Estimate]:
    """The results of the question's metrics."""
    wanted = metrics_of(question)
    return [e for e in estimates if (e.point.benchmark, e.metric) in wanted]


def opposed(
    candidate: Selector, baseline: Selector, pool: Sequence[Estimate], facts: TopologyFacts
) -> Opposed | None:
    """What is compared; None where there is not one result on each side, or both ran on the same
    CPUs and differ in nothing else.
    """
    found = _opposed(candidate, baseline, pool, facts)
    if found is None or _is_same(found.candidate, found.baseline, facts.assignments):
        return None
    return found


def are_equivalent(
    candidate: Selector, baseline: Selector, pool: Sequence[Estimate], facts: TopologyFacts
) -> bool:
    """Whether candidate and baseline exist, but on the same CPUs and different in nothing else."""
    found = _opposed(candidate, baseline, pool, facts)
    if found is None or found.candidate.point == found.baseline.point:
        return False
    return _is_same(found.candidate, found.baseline, facts.assignments)


def _opposed(
    candidate: Selector, baseline: Selector, pool: Sequence[Estimate], facts: TopologyFacts
) -> Opposed | None:
    """One result on each side, which differ in nothing that is not named."""
    candidates = select(candidate, pool, facts.pair_distances)
    baselines = select(baseline, pool, facts.pair_distances)
    named = _names((candidate, baseline))
    shared = {_unnamed(e, named) for e in candidates} & {_unnamed(e, named) for e in baselines}
    if len(shared) != 1:
        return None
    one = _one([e for e in candidates if _unnamed(e, named) in shared], candidate)
    other = _one([e for e in baselines if _unnamed(e, named) in shared], baseline)
    return Opposed(one, other) if one and other else None


def select(
    selector: Selector, pool: Sequence[Estimate], distances: Mapping[str, int]
) -> list[Estimate]:
    """All estimates that a selector leaves, one condition after the other."""
    kept = list(pool)
    for name, wanted in selector.parameters.items():
        values = [dict(e.point.parameters).get(name, "") for e in kept]
        if wanted in _SYMBOLS_OF_PAIRS:
            chosen = _pairs(str(wanted), [str(value) for value in values], distances)
            kept = [e for e, value in zip(kept, values, strict=True) if value in chosen]
        else:
            kept = _having(kept, values, wanted)
    for name, wanted in selector.layout.items():
        fields = [value_of(e, name) for e in kept]
        most = wanted == 0 and name in (_THREADS, *_THREAD_FIELDS)
        kept = _having(kept, fields, LARGEST if most else wanted)
    return kept


def without_repeats(
    estimates: Sequence[Estimate], assignments: Mapping[Layout, Assignment]
) -> list[Estimate]:
    """Without those of all packages that run on the CPUs of one package, which stands for them."""
    of_one = [e for e in estimates if e.point.layout.package >= 0]
    return [
        e
        for e in estimates
        if e.point.layout.package >= 0
        or not any(_is_same(e, other, assignments, "package") for other in of_one)
    ]


def differ_only_in(names: Iterable[str], estimates: Sequence[Estimate]) -> bool:
    """Whether the estimates are of points that differ in nothing but these."""
    exempt = _expanded(names)
    return len({_unnamed(estimate, exempt) for estimate in estimates}) == 1


def blended(
    estimates: Sequence[Estimate], blend: Callable[[Sequence[float]], float]
) -> Estimate | None:
    """One estimate of what `blend` makes of the values that were taken side by side.

    Values of the same launch belong together where all were measured in the same launches,
    otherwise those of the same round; None where there are none. The result is positive and has
    Student's interval on logs.
    """
    first = estimates[0]
    for by_launch in (True, False):
        numbers = [e.launch_numbers if by_launch else e.rounds for e in estimates]
        common = sorted(set.intersection(*(set(taken) for taken in numbers)))
        if not common:
            continue
        values = [
            blend([e.launch_values[n.index(k)] for e, n in zip(estimates, numbers, strict=True)])
            for k in common
        ]
        interval = interval_of(values, Formula.TIME)
        of_first = [numbers[0].index(k) for k in common]
        return replace(
            first,
            scale=Scale.LOG,
            value=interval.value,
            low=interval.low,
            high=interval.high,
            launches=len(values),
            precision=interval.precision,
            launch_values=tuple(values),
            launch_numbers=tuple(common) if by_launch else (),
            rounds=tuple(first.rounds[i] for i in of_first) if first.rounds else (),
        )
    return None


def geometric_mean(values: Sequence[float]) -> float:
    """`exp` of the mean log. Raises ValueError for a value that is not positive."""
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _one(estimates: Sequence[Estimate], selector: Selector) -> Estimate | None:
    """The one estimate, or the geometric mean over pairs; None where it is not clear what is meant.

    A difference or share can be zero, so of those there is no geometric mean.
    """
    if len(estimates) == 1:
        return estimates[0]
    averaged = [n for n, value in selector.parameters.items() if value in _SYMBOLS_OF_PAIRS]
    scales = {estimate.scale for estimate in estimates}
    if not averaged or scales != {Scale.LOG} or not differ_only_in(averaged, estimates):
        return None
    return blended(estimates, geometric_mean)


def _pairs(symbol: str, values: Sequence[str], distances: Mapping[str, int]) -> set[str]:
    apart = {value: not _is_own(value) for value in values if value}
    if symbol == OWN:
        return {value for value, is_apart in apart.items() if not is_apart}
    others = {value for value, is_apart in apart.items() if is_apart}
    known = {value: distances[value] for value in others if value in distances}
    if symbol == OTHER or not known:
        return others
    target = min(known.values()) if symbol == NEAREST else max(known.values())
    return {value for value, rank in known.items() if rank == target}


def _is_own(pair: str) -> bool:
    first, _, second = pair.partition("-")
    return first == second


def _having(
    estimates: Sequence[Estimate], values: Sequence[Value], wanted: Value
) -> list[Estimate]:
    target = wanted
    if wanted in (LARGEST, SMALLEST, SMALLEST_TEAM):
        choose = max if wanted == LARGEST else min
        numbers = [value for value in values if isinstance(value, int)]
        if wanted == SMALLEST_TEAM:
            numbers = [number for number in numbers if number > 1]
        # Published figures may lack a size: then nothing is larger.
        target = choose(numbers) if numbers else ""
    return [e for e, value in zip(estimates, values, strict=True) if value == target]


def _names(selectors: Iterable[Selector]) -> frozenset[str]:
    return _expanded(n for one in selectors for n in (*one.parameters, *one.layout))


def _expanded(names: Iterable[str]) -> frozenset[str]:
    """Names, with the layout fields that stand behind them."""
    return frozenset(real for name in names for real in _STANDS_FOR.get(name, (name,)))


def _unnamed(estimate: Estimate, named: frozenset[str]) -> tuple[tuple[str, Value], ...]:
    """What is not named of a point."""
    fields = estimate.point.configuration
    return tuple(
        (name, value)
        for name, value in (*estimate.point.parameters, *fields.items())
        if name not in named
    )


def _is_same(
    a: Estimate, b: Estimate, assignments: Mapping[Layout, Assignment], by: str = "binding"
) -> bool:
    """Whether both are one point, or differ in `by` alone and run on the same CPUs."""
    if a.point == b.point:
        return True
    if _unnamed(a, frozenset({by})) != _unnamed(b, frozenset({by})):
        return False
    layouts = (a.point.layout, b.point.layout)
    if not all(layout in assignments for layout in layouts):
        return False
    first, second = (_teams(assignments[layout], layout.inner_threads) for layout in layouts)
    return first == second


def _teams(assignment: Assignment, inner_threads: int) -> list[list[list[tuple[int, ...]]]]:
    """The CPUs of each inner team of each rank, in whatever order its threads were given them."""
    return [
        sorted(
            sorted(rank[start : start + inner_threads])
            for start in range(0, len(rank), inner_threads)
        )
        for rank in assignment.cpus
    ]

"""From the results of machines to the components of a score: one for each quantity of a code."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from machmeter.analysis.matching.bases import has_interval
from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.analysis.scores.problems import (
    REFERENCE_TFLOP,
    Amount,
    Best,
    Quantity,
    best_of,
    code_of,
    cores_used,
    names_of,
    nodes_used,
)
from machmeter.analysis.scores.rounds import (
    MeanError,
    Side,
    error_of_mean,
    log_variance_of,
    logs_by_round,
    ratios_by_round,
)
from machmeter.analysis.scores.scores import Component, ScoreUse, ssp_rate
from machmeter.analysis.stats.comparison import combine_log_ratios
from machmeter.analysis.stats.student import student_quantile
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import Basis, ComparedResult, MachineComparison
from machmeter.model.units import FLOPS, SECONDS, SHARE, format_value

# More than all computers ever did: a number to refuse.
_MOST_TFLOP = 10**18


class Components(NamedTuple):
    """Components of a score, and the codes of the reference that the machine lacks."""

    found: tuple[Component, ...]
    """The components."""
    missing: tuple[str, ...]
    """Codes of the reference without a result."""
    doubts: tuple[str, ...] = ()
    """Which results do not count, and why."""


def ratio_components(
    reference: MachineResults, comparison: MachineComparison, *, every: bool = False
) -> Components:
    """How much better the machine is than the reference in each code, from comparable results.

    A code with several results (sizes, core counts) counts once, by their geometric mean; those
    without a ratio, for not being resolved or above zero, do not count. every: results of all
    benchmarks count; otherwise those of applications alone.
    """
    groups: dict[str, list[ComparedResult]] = {}
    without: Counter[str] = Counter()
    for result in comparison.results:
        if not _is_wanted(result.a, every=every):
            continue
        if _has_ratio(result):
            groups.setdefault(code_of(result.a), []).append(result)
        else:
            without[code_of(result.a)] += 1
    wanted = dict.fromkeys(
        code_of(e) for e in reference.estimates if _is_wanted(e, every=every) and _counts(e)
    )
    sides = (comparison.a, comparison.b)
    found = tuple(_mean_ratio(name, results, sides) for name, results in groups.items())
    doubts = tuple(
        f"{name}: {count} of {count + len(groups.get(name, ()))} results left out: "
        "without a ratio: below resolution, not above 0, or of one launch, which has no interval"
        for name, count in without.items()
    )
    return Components(found, tuple(name for name in wanted if name not in groups), doubts)


def speedups(
    reference: MachineResults, machine: MachineResults
) -> tuple[Components, dict[str, tuple[ScoreUse, ScoreUse]]]:
    """Speedups of applications over the reference, and what nodes both used for each.

    Each machine may use as many nodes as it does best with: of several results of a quantity the
    one with the fewest node-seconds counts. Where the nodes of either machine are not known, cores
    are counted. A result whose source does not say how many it used does not count.
    """
    both = (reference, machine)
    by_nodes = all(one.parts.nodes for one in both)
    amount = nodes_used if by_nodes else cores_used
    here, there = (best_of(one, lambda side: _work_cost(side, amount), amount) for one in both)
    names = names_of([*here.sides, *here.open])
    common = [quantity for quantity in here.sides if quantity in there.sides]
    uses = {
        names[one]: (
            _use(here.sides[one], amount, by_nodes),
            _use(there.sides[one], amount, by_nodes),
        )
        for one in common
    }
    found = tuple(_speedup(names[one], here.sides[one], there.sides[one]) for one in common)
    missing = tuple(name for name in names.values() if name not in uses)
    unit = "nodes" if by_nodes else "cores"
    doubts = (
        *_left_open(here, names, reference, unit),
        *_left_open(there, {q: n for q, n in names.items() if q in here.sides}, machine, unit),
    )
    return Components(found, missing, doubts), uses


def ssp_rates(machines: Sequence[MachineResults]) -> tuple[Components, ...]:
    """Flop/s of one node of each machine: of times whose reference operations are known, and rates.

    A time has them as the parameter `reference_tflop`, 10^12 operations. missing: codes of the
    machine whose results do not say on how many nodes they were taken.
    """
    best = [best_of(one, _rate_cost, nodes_used, counted=True) for one in machines]
    names = names_of([quantity for one in best for quantity in (*one.sides, *one.open)])
    return tuple(
        Components(
            tuple(_of_rate(names[quantity], side) for quantity, side in one.sides.items()),
            tuple(names[quantity] for quantity in one.open),
            tuple(_left_open(one, names, machine, "nodes")),
        )
        for machine, one in zip(machines, best, strict=True)
    )


def _is_wanted(estimate: Estimate, *, every: bool) -> bool:
    if estimate.unit == SHARE:
        return False
    return every or (estimate.point.is_work and is_extensive(estimate))


def _counts(estimate: Estimate) -> bool:
    return estimate.resolved and estimate.value > 0


def _has_ratio(result: ComparedResult) -> bool:
    if Basis.AS_MEASURED not in result.by or not (_counts(result.a) and _counts(result.b)):
        return False
    return result.as_printed or result.by[Basis.AS_MEASURED].is_bounded


def _left_open(
    best: Best, names: Mapping[Quantity, str], machine: MachineResults, unit: str
) -> Iterator[str]:
    for quantity in best.open:
        if quantity in names:
            yield f"{names[quantity]}: on how many {unit} is not stated by {machine.id}"


def _sources(results: Iterable[tuple[str, Estimate]]) -> tuple[str, ...]:
    """Where results stand, each place once: of a machine's id and its result."""
    return tuple(dict.fromkeys(one.source or f"results of {of}" for of, one in results))


def _mean_ratio(name: str, results: Sequence[ComparedResult], sides: tuple[str, str]) -> Component:
    ratios = [result.by[Basis.AS_MEASURED] for result in results]
    printed = any(result.as_printed for result in results)
    even = [1 / len(results)] * len(results)
    logs = [(logs_by_round(one.a), logs_by_round(one.b)) for one in results]
    if all(one.paired for one in ratios):
        by_round: tuple[Side, ...] = (tuple(ratios_by_round(b, a) for a, b in logs),)
    else:
        by_round = (tuple(a for a, _ in logs), tuple(b for _, b in logs))
    apart = [
        MeanError(0.0 if printed else log_variance_of(one), max(one.degrees, 1.0)) for one in ratios
    ]
    codes = [tuple((side[n],) for side in by_round) for n in range(len(results))]
    error = MeanError(0.0, 1.0) if printed else error_of_mean(codes, even, apart)
    return Component(
        name,
        statistics.geometric_mean([one.ratio for one in ratios]),
        error.variance,
        error.degrees,
        printed,
        parts=f"of {len(results)} results" if len(results) > 1 else results[0].name,
        sources=_sources(
            pair for one in results for pair in zip(sides, (one.a, one.b), strict=True)
        ),
        by_round=by_round,
    )


def _work_cost(side: Operand, amount: Amount) -> float | None:
    """Node-seconds (or core-seconds) of one piece of work; None of what is no application's."""
    estimate = side.estimate
    if not (estimate.point.is_work and is_extensive(estimate) and estimate.value > 0):
        return None
    return _seconds(estimate) * amount(side)


def _seconds(estimate: Estimate) -> float:
    """Time of one piece of work; of a rate the time of one unit of it."""
    lower = estimate.direction is Direction.LOWER
    return estimate.value if lower else 1 / estimate.value


def _speedup(name: str, reference: Operand, machine: Operand) -> Component:
    printed = not (has_interval(reference.estimate) and has_interval(machine.estimate))
    logs = [math.log(_seconds(side.estimate)) for side in (reference, machine)]
    known = combine_log_ratios(
        logs,
        [0.0 if printed else _variance_of(side.estimate) for side in (reference, machine)],
        [max(side.estimate.launches - 1, 1) for side in (reference, machine)],
        (1.0, -1.0),
    )
    error = 0.0 if printed else math.log(known.high / known.value) / student_quantile(known.degrees)
    sources = _sources((side.machine.id, side.estimate) for side in (reference, machine))
    by_round = tuple((logs_by_round(side.estimate),) for side in (reference, machine))
    return Component(
        name, known.value, error**2, known.degrees, printed, sources=sources, by_round=by_round
    )


def _variance_of(estimate: Estimate) -> float:
    """Squared standard error of the log of a result that has an interval above zero."""
    half = math.log(estimate.high / estimate.value)
    return (half / student_quantile(estimate.launches - 1)) ** 2


def _use(side: Operand, amount: Amount, by_nodes: bool) -> ScoreUse:
    parts = side.machine.parts
    return ScoreUse(amount(side), parts.nodes if by_nodes else parts.cores)


def _rate_cost(side: Operand) -> float | None:
    """The more operations a node does in a second, the lower; None where they are not known."""
    if side.estimate.value <= 0 or not _operations(side.estimate):
        return None
    return -_rate_per_node(side)


def _rate_per_node(side: Operand) -> float:
    estimate = side.estimate
    if estimate.unit == FLOPS:
        return estimate.value / side.nodes
    return ssp_rate(_operations(estimate), estimate.value, side.nodes)


def _operations(estimate: Estimate) -> float:
    """Operations behind a result, 1 where it is a rate of them; 0 where they are not known."""
    if estimate.unit == FLOPS and is_extensive(estimate):
        return 1.0
    tflop = dict(estimate.point.parameters).get(REFERENCE_TFLOP)
    if estimate.unit == SECONDS and isinstance(tflop, int) and 0 < tflop <= _MOST_TFLOP:
        return tflop * 1e12
    return 0.0


def _of_rate(name: str, side: Operand) -> Component:
    estimate = side.estimate
    known = has_interval(estimate)
    nodes = f"{side.nodes} node{'s' * (side.nodes > 1)}"
    return Component(
        name,
        _rate_per_node(side),
        _variance_of(estimate) if known else 0.0,
        max(estimate.launches - 1, 1),
        not known,
        parts=f"{format_value(estimate.value, estimate.unit)} on {nodes}",
        sources=_sources([(side.machine.id, estimate)]),
        by_round=((logs_by_round(estimate),),),
    )

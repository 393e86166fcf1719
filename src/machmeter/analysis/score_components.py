"""From the figures of machines to the components of a score: one for each code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from machmeter.analysis.alike_layouts import Side, is_extensive, is_work
from machmeter.analysis.bases import has_interval
from machmeter.analysis.comparison import combine_log_ratios
from machmeter.analysis.scores import Component, ScoreUse, ssp_rate
from machmeter.analysis.student import student_quantile
from machmeter.model.benchmark import Direction
from machmeter.model.compared import Basis, ComparedFigure, MachineComparison
from machmeter.model.estimate import Comparison, Estimate
from machmeter.model.known import KnownMachine
from machmeter.model.units import FLOPS, SECONDS, SHARE, format_value, is_unbounded

REFERENCE_TFLOP = "reference_tflop"
# What a problem is run on and with, which is no part of the problem.
_NOT_OF_PROBLEM = {
    *("mpi", "mpi_library", "library", "compiler", "runtime", "version", "software"),
    *("nodes", "cores", "ranks", "threads", REFERENCE_TFLOP),
}


class Components(NamedTuple):
    """Components of a score, and the codes of the reference that the machine lacks."""

    found: tuple[Component, ...]
    missing: tuple[str, ...]


class _Best(NamedTuple):
    """The figure by which a machine does most of a code's work for a node and second."""

    side: Side
    node_seconds: float


def ratio_components(
    reference: KnownMachine, comparison: MachineComparison, *, every: bool = False
) -> Components:
    """How much better the machine is than the reference in each code, from figures alike.

    A code with several figures (sizes, core counts) counts once, by their geometric mean. every:
    figures of all benchmarks count; otherwise those of applications alone.
    """
    groups: dict[str, list[ComparedFigure]] = {}
    for figure in comparison.figures:
        if _counts(figure.a, every=every) and Basis.AS_MEASURED in figure.by:
            groups.setdefault(code_of(figure.a), []).append(figure)
    wanted = dict.fromkeys(code_of(e) for e in reference.estimates if _counts(e, every=every))
    found = tuple(_mean_ratio(name, figures) for name, figures in groups.items())
    return Components(found, tuple(name for name in wanted if name not in groups))


def speedups(
    reference: KnownMachine, machine: KnownMachine
) -> tuple[Components, dict[str, tuple[ScoreUse, ScoreUse]]]:
    """Speed-ups of applications over the reference, and what nodes both used for each.

    Each machine may use as many nodes as it does best with: of several figures of a code the one
    with the fewest node-seconds counts. Without a known number of nodes cores are counted.
    """
    here, there = _best_of(reference), _best_of(machine)
    names = _short_names(here)
    found, uses = [], {}
    for problem, best in here.items():
        other = there.get(problem)
        if other is None or other.side.estimate.unit != best.side.estimate.unit:
            continue
        found.append(_speedup(names[problem], best.side, other.side))
        uses[names[problem]] = _uses(best.side, other.side)
    missing = tuple(name for name in names.values() if name not in uses)
    return Components(tuple(found), missing), uses


def ssp_rates(machine: KnownMachine) -> tuple[Component, ...]:
    """Flop/s of one node by code: of times whose reference operations are known, and of rates.

    A time has them as the parameter `reference_tflop`, 10^12 operations.
    """
    best: dict[str, tuple[float, Side]] = {}
    for estimate in machine.estimates:
        side = Side(machine, estimate)
        rate = _rate_per_node(side)
        name = code_of(estimate)
        if rate and (name not in best or rate > best[name][0]):
            best[name] = rate, side
    return tuple(_of_rate(name, rate, side) for name, (rate, side) in best.items())


def code_of(estimate: Estimate) -> str:
    """The name of the code that a figure is of: its benchmark, without the group of workloads."""
    return estimate.point.benchmark.removeprefix("workload.")


def _counts(estimate: Estimate, *, every: bool) -> bool:
    if estimate.unit == SHARE or not estimate.resolved or estimate.value <= 0:
        return False
    if every:
        return True
    return is_work(estimate) and is_extensive(estimate)


def _mean_ratio(name: str, figures: Sequence[ComparedFigure]) -> Component:
    ratios = [figure.by[Basis.AS_MEASURED] for figure in figures]
    printed = any(figure.as_printed for figure in figures)
    known = combine_log_ratios(
        [math.log(one.ratio) for one in ratios],
        [0.0 if printed else _log_variance(one) for one in ratios],
        [max(one.degrees, 1.0) for one in ratios],
        [1 / len(ratios)] * len(ratios),
    )
    half = 0.0 if printed else math.log(known.high / known.value)
    several = f"of {len(figures)} figures" if len(figures) > 1 else figures[0].name
    error = half / student_quantile(known.degrees)
    return Component(name, known.value, error**2, known.degrees, printed, parts=several)


def _log_variance(comparison: Comparison) -> float:
    if is_unbounded(comparison.high) or comparison.degrees <= 0:
        return 0.0
    return (
        math.log(comparison.high / comparison.ratio) / student_quantile(comparison.degrees)
    ) ** 2


def _best_of(machine: KnownMachine) -> dict[str, _Best]:
    """By code, in the order of the machine's figures."""
    best: dict[str, _Best] = {}
    for estimate in machine.estimates:
        if not (is_work(estimate) and is_extensive(estimate) and estimate.value > 0):
            continue
        side = Side(machine, estimate)
        one = _Best(side, _seconds(estimate) * side.nodes)
        name = _problem_of(estimate)
        if name not in best or one.node_seconds < best[name].node_seconds:
            best[name] = one
    return best


def _problem_of(estimate: Estimate) -> str:
    """A code with everything that its source states of the problem."""
    parameters = estimate.point.parameters
    stated = [f"{name} {value}" for name, value in parameters if name not in _NOT_OF_PROBLEM]
    return ", ".join([code_of(estimate), *stated])


def _short_names(problems: Iterable[str]) -> dict[str, str]:
    """Each problem by the name of its code alone, where that has but one."""
    codes = {problem: problem.partition(", ")[0] for problem in problems}
    counts = Counter(codes.values())
    return {p: code if counts[code] == 1 else p for p, code in codes.items()}


def _seconds(estimate: Estimate) -> float:
    """Time of one piece of work; of a rate the time of one unit of it."""
    lower = estimate.direction is Direction.LOWER
    return estimate.value if lower else 1 / estimate.value


def _speedup(name: str, reference: Side, machine: Side) -> Component:
    printed = not (has_interval(reference.estimate) and has_interval(machine.estimate))
    logs = [math.log(_seconds(side.estimate)) for side in (reference, machine)]
    known = combine_log_ratios(
        logs,
        [0.0 if printed else _variance_of(side.estimate) for side in (reference, machine)],
        [max(side.estimate.launches - 1, 1) for side in (reference, machine)],
        (1.0, -1.0),
    )
    error = 0.0 if printed else math.log(known.high / known.value) / student_quantile(known.degrees)
    return Component(name, known.value, error**2, known.degrees, printed)


def _variance_of(estimate: Estimate) -> float:
    """Squared standard error of the log of a figure that has an interval above zero."""
    half = math.log(estimate.high / estimate.value)
    return (half / student_quantile(estimate.launches - 1)) ** 2


def _uses(reference: Side, machine: Side) -> tuple[ScoreUse, ScoreUse]:
    sides = (reference, machine)
    if all(side.machine.parts.nodes for side in sides):
        first, second = (ScoreUse(side.nodes, side.machine.parts.nodes) for side in sides)
    else:
        first, second = (ScoreUse(side.cores, side.machine.parts.cores) for side in sides)
    return first, second


def _rate_per_node(side: Side) -> float:
    estimate = side.estimate
    if estimate.value <= 0 or not side.nodes:
        return 0.0
    if estimate.unit == FLOPS and is_extensive(estimate):
        return estimate.value / side.nodes
    tflop = dict(estimate.point.parameters).get(REFERENCE_TFLOP)
    if estimate.unit == SECONDS and tflop:
        return ssp_rate(float(tflop) * 1e12, estimate.value, side.nodes)
    return 0.0


def _of_rate(name: str, rate: float, side: Side) -> Component:
    estimate = side.estimate
    known = has_interval(estimate)
    return Component(
        name,
        rate,
        _variance_of(estimate) if known else 0.0,
        max(estimate.launches - 1, 1),
        not known,
        parts=f"{format_value(estimate.value, estimate.unit)} on {side.nodes} nodes",
    )

"""Scores over a named set of codes: of whole machines, and without codes that do not fit one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from machmeter.analysis.matching.operands import Operand
from machmeter.analysis.scores.components import Components, ratio_components
from machmeter.benchmarks.catalogue import is_primary
from machmeter.model.layout import Binding
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import ComparedResult, MachineComparison

LEAST_EFFICIENCY = 0.3
"""A code whose threads scale worse on either machine does not fit it."""
_DATA = "data"


def why_unlike(first: MachineResults, other: MachineResults) -> str:
    """Why two machines have no score of a set; empty where they have, or neither has a set."""
    here, there = first.code_set, other.code_set
    if here is None and there is None:
        return ""
    if here is None or there is None:
        silent, known = (first, there) if here is None else (other, here)
        return f"{silent.id} is no run of {known.title}" if known else ""
    if (here.name, here.version) != (there.name, there.version):
        return f"{first.id} has {here.title}, {other.id} {there.title}"
    return ""


def set_components(
    first: MachineResults, other: MachineResults, comparison: MachineComparison, codes: CodeSet
) -> Components:
    """The ratio of every code with all cores of both machines, threads close.

    Codes that either lacks are missing; so is one of another version, which a doubt states.
    """
    versions = [one.code_set.codes if one.code_set else {} for one in (first, other)]
    changed = [name for name in codes.codes if len({of.get(name) for of in versions}) > 1]
    kept = tuple(
        one
        for one in comparison.results
        if one.a.point.benchmark in codes.codes
        and one.a.point.benchmark not in changed
        and is_primary(one.a)
        and _is_of_all(first, one.a)
        and _is_of_all(other, one.b)
    )
    found = ratio_components(first, replace(comparison, results=kept), every=True)
    names = {one.name for one in found.found}
    doubts = [f"{name} is of another version on {other.id}: its ratio is out" for name in changed]
    return Components(
        found.found,
        tuple(name for name in codes.codes if name not in names),
        (*found.doubts, *doubts),
    )


def left_out(
    first: MachineResults, other: MachineResults, comparison: MachineComparison, codes: CodeSet
) -> dict[str, str]:
    """Codes of the set that do not fit one of the machines, each with the reason: data larger than
    a memory domain, or an efficiency of threads below 0.3. No ratio between the machines enters it.
    """
    return {
        one.a.point.benchmark: reason
        for one in comparison.results
        if one.a.point.benchmark in codes.codes
        for reason in _unfitting(first, other, one)
    }


def _unfitting(
    first: MachineResults, other: MachineResults, result: ComparedResult
) -> Iterator[str]:
    for machine, one in ((first, result.a), (other, result.b)):
        if not (is_primary(one) and _is_of_all(machine, one)):
            continue
        data = _of_point(machine, one, _DATA)
        if data is not None and 0 < machine.domain_bytes < data.value:
            yield f"its data exceed a memory domain of {machine.id}"
        efficiency = thread_efficiency(machine, one)
        if efficiency is not None and efficiency < LEAST_EFFICIENCY:
            yield f"its threads have an efficiency of {efficiency:.2f} on {machine.id}"


def thread_efficiency(machine: MachineResults, rate: Estimate) -> float | None:
    """Rate over threads times the rate of one thread, of the same work; None without such a one."""
    layout = replace(rate.point.layout, threads_per_rank=1)
    alone = replace(rate.point, layout=layout)
    found = next(
        (
            one.value
            for one in machine.estimates
            if one.point == alone and one.metric == rate.metric and one.resolved
        ),
        0.0,
    )
    return rate.value / (found * rate.point.layout.threads) if found > 0 else None


def _of_point(machine: MachineResults, of: Estimate, metric: str) -> Estimate | None:
    same = (one for one in machine.estimates if one.point == of.point and one.metric == metric)
    return next(same, None)


def _is_of_all(machine: MachineResults, one: Estimate) -> bool:
    """Whether one process used every core of the machine, its threads close."""
    layout = one.point.layout
    return layout.ranks == 1 and layout.binding is Binding.CLOSE and Operand(machine, one).is_whole

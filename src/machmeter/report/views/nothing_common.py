"""Of two machines without a comparable result: what would be comparable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from machmeter.analysis.matching.comparability import comparability
from machmeter.analysis.matching.operands import Operand
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Benchmark
from machmeter.model.origin import Origin
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import Precision, Request
from machmeter.text.commands import command_for
from machmeter.text.comparison import MachinePair
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

MOST_COMMANDS, MOST_NEEDS = 3, 4
_MOST_NAMED = 4
_REQUEST = Request((), Study("", "", "", ()), LayoutOptions(), Precision(), "mpich", "")
"""As `machmeter run` has it where no option says otherwise."""


def what_would_be(pair: MachinePair) -> tuple[str, ...]:
    """Commands that measure here what the other machine has; what a benchmark needs where this
    machine lacks it. Empty where neither was measured here.
    """
    here, there = (pair.a, pair.b) if _is_measured(pair.a) else (pair.b, pair.a)
    if not _is_measured(here):
        return ()
    commands, needs, foreign = [], [], []
    for name in _benchmarks(there):
        benchmark = known(name)
        mine = [one for one in there.estimates if one.point.benchmark == name]
        if benchmark is None:
            foreign.append(name)
            continue
        lacks = [_lacks(Operand(there, one), here) or _refused(benchmark, one) for one in mine]
        fitting = [one for one, lack in zip(mine, lacks, strict=True) if not lack]
        commands += [f"`{one}`" for one in _commands(benchmark, there, fitting)][:1]
        needs += [] if fitting else [f"{name}: {lacks[0]}"]
    shown = [f"Measure what {plain(there.title, 60)} has: {one}" for one in commands]
    others = [f"machmeter does not measure {_listed(foreign)}"] if foreign else []
    return (*shown[:MOST_COMMANDS], *map(plain, needs[:MOST_NEEDS]), *others)


def _commands(
    benchmark: Benchmark, machine: MachineResults, estimates: Sequence[Estimate]
) -> Iterator[str]:
    """One for each point that the benchmark still has."""
    names = {parameter.name for parameter in benchmark.parameters}
    for one in estimates:
        if names >= dict(one.point.parameters).keys():
            point = replace(one.point, layout=Operand(machine, one).layout)
            yield command_for(point, _REQUEST)


def _lacks(there: Operand, here: MachineResults) -> str:
    """Why this machine cannot measure a result, or what it measures would not be comparable."""
    layout = there.layout
    if layout.nodes > 1:
        return f"it takes {layout.nodes} nodes, named with `--hosts`"
    room = here.parts.cores // max(here.parts.nodes, 1)
    if room and layout.threads // layout.nodes > room:
        return f"it takes {count_text(layout.threads, 'core', 'cores')}, and here are {room}"
    same = replace(there.estimate, origin=Origin.MEASURED, printed=None)
    same = replace(same, point=replace(same.point, layout=layout))
    return "; ".join(dict.fromkeys(comparability(Operand(here, same), there).reasons))


def _refused(benchmark: Benchmark, one: Estimate) -> str:
    """Why the benchmark does not take a parameter of a result."""
    values = dict(one.point.parameters)
    threads = one.point.layout.threads
    refusals = (
        f"machmeter measures no {parameter.name} of {values[parameter.name]} ({refusal})"
        for parameter in benchmark.parameters
        if parameter.name in values
        and (refusal := parameter.refusal(values[parameter.name], threads))
    )
    return next(refusals, "")


def _is_measured(machine: MachineResults) -> bool:
    return machine.origin is Origin.MEASURED


def _benchmarks(machine: MachineResults) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.point.benchmark for one in machine.estimates))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    shown = ", ".join(names[:_MOST_NAMED]) or "no result"
    return f"{shown} and {more} more" if more > 0 else shown

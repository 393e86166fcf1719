"""Whether two results are comparable, and in what their definitions differ."""

from __future__ import annotations

import math

from msgspec import Struct, field

from machmeter.analysis.matching.layouts import Reach, compare_layouts
from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.benchmarks.catalogue import BENCHMARKS, known
from machmeter.benchmarks.network.messages import ON_DEVICE
from machmeter.model.benchmark import AutoRule, Statistic, Value
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.printed import HowKnown
from machmeter.model.units import SECONDS, format_bytes

# Sizes that `auto` takes from the machine, so that they differ between machines by design.
_CHOSEN = {
    benchmark.name: one.name
    for benchmark in BENCHMARKS
    for one in benchmark.parameters
    if one.auto and one.auto.follows_caches
}
# By its run rules STREAM is larger than every cache, whoever ran it (McCalpin 1995).
_BY_RULE_IN_MEMORY = frozenset(
    benchmark.name
    for benchmark in BENCHMARKS
    for one in benchmark.parameters
    if one.auto in (AutoRule.CACHES_ARRAY, AutoRule.CACHES_DEVICE)
)
# How long a series is, which changes what is seen of it and not what is measured.
_LENGTHS = ("seconds", "slice_ms")
# What an application was built with belongs to the machine that is compared.
_SOFTWARE = ("mpi", "mpi_library", "library", "compiler", "runtime", "version", "software")
# Sizes of messages and arrays, on which a time depends as much as on the machine.
_SIZED = ("network", "shmem", "memory", "threads")
# What an application is given, where that is no number, and numbers that are no part of it.
_INPUTS = ("case", "input", "model", "problem", "dataset", "matrix", "analysis")
# Of the samples of one result: near each other where it is steady.
_OF_SAMPLES = frozenset({Statistic.MEAN, Statistic.MEDIAN, Statistic.BEST})
_NOT_OF_WORK = ("reference_tflop", "nodes", "cores", "ranks", "threads")


class Comparability(Struct, frozen=True):
    """How far two results of one benchmark and metric are the same thing."""

    reach: Reach
    """How much of both machines they use."""
    reasons: tuple[str, ...] = ()
    """Definitions that both state and that differ, so that they are not compared."""
    notes: tuple[str, ...] = ()
    """In what they differ, or may differ, where that is no reason."""
    on_axis: bool = False
    """Whether the reasons are only other values of a number that is swept."""
    distance: float = 0.0
    """0 for the same point, more the more is not stated."""


class _Found(Struct):
    """What has been found so far of two results."""

    reasons: list[str]
    notes: list[str]
    # What one source says of the work and another leaves out, by who does.
    of_work: dict[str, list[str]] = field(default_factory=dict)
    swept: int = 0
    distance: float = 0.0


def comparability(a: Operand, b: Operand) -> Comparability:
    """In what two results of the same benchmark, metric and unit differ.

    A parameter that one source does not state is open: noted, and refused only where it is how much
    work a time or a rate of work is of.
    """
    found = _Found([], [])
    here, there = dict(a.estimate.point.parameters), dict(b.estimate.point.parameters)
    for name in sorted({*here, *there}):
        if name in here and name in there:
            _both_state(found, name, a, b)
        else:
            _one_states(found, name, a, b)
    found.reasons += [
        f"{', '.join(left_out)}: not stated {who}, so that it is not known to be the same work"
        for who, left_out in found.of_work.items()
    ]
    _of_sources(found, a, b)
    found.reasons += _of_one_machine(a, b)
    libraries = {a.estimate.mpi_library: None, b.estimate.mpi_library: None}
    if len(libraries) > 1 and all(libraries.keys()):
        found.notes.append(f"other library: {' against '.join(libraries)}")
    layouts = compare_layouts(a, b)
    found.distance += layouts.distance
    return Comparability(
        reach=layouts.reach,
        reasons=(*found.reasons, *layouts.reasons),
        notes=(*found.notes, *layouts.notes),
        on_axis=found.swept == len(found.reasons) and found.swept + len(layouts.reasons) == 1,
        distance=found.distance,
    )


def _of_sources(found: _Found, a: Operand, b: Operand) -> None:
    """What sources say of a number that is no parameter of it: thresholds, statistics, nodes."""
    printed = [one.estimate.printed for one in (a, b)]
    if any(one and one.how_known is HowKnown.THRESHOLD for one in printed):
        found.reasons.append("a threshold of a site's test is no measurement")
    here, there = (_statistic_of(one.estimate) for one in (a, b))
    if here and there and here is not there:
        words = f"statistic {here.value} against {there.value}"
        if {here, there} <= _OF_SAMPLES:
            found.notes.append(words)
            found.distance += 0.5
        else:
            found.reasons.append(words)
    relations = {one.relation for one in printed if one and one.relation}
    if len(relations) > 1:
        found.reasons.append(" against ".join(f"nodes of {one.value}" for one in sorted(relations)))
    elif relations and not all(one and one.relation for one in printed):
        found.notes.append(f"nodes of {min(relations).value}: not stated of both")
        found.distance += 0.5


def _of_one_machine(a: Operand, b: Operand) -> list[str]:
    """Where the nodes of either operand, not of both, were no machines of their own."""
    sides = [
        one.machine.id
        for one in (a, b)
        if one.layout.nodes > 1
        and any(said.kind is CaveatKind.ONE_MACHINE for said in one.machine.caveats)
    ]
    return [f"all nodes of {sides[0]} were one machine"] if len(sides) == 1 else []


def _statistic_of(estimate: Estimate) -> Statistic | None:
    """As its source says, else as the catalogue has it for what machmeter measured."""
    if estimate.printed is not None:
        return estimate.printed.statistic
    declared = known(estimate.point.benchmark)
    metrics = declared.metrics if declared else ()
    return next((one.statistic for one in metrics if one.name == estimate.metric), None)


def settled(estimate: Estimate) -> tuple[tuple[str, Value | None], ...]:
    """The parameters that must be equal where both state them; of the others the names alone."""
    free = {_CHOSEN.get(estimate.point.benchmark, ""), "pair", *_LENGTHS, *_SOFTWARE}
    return tuple(
        (name, None if name in free else value) for name, value in estimate.point.parameters
    )


def value_text(name: str, value: Value) -> str:
    """A parameter's value; sizes with their binary prefix."""
    return format_bytes(value) if name == "size" and isinstance(value, int) else str(value)


def _both_state(found: _Found, name: str, a: Operand, b: Operand) -> None:
    here, there = a.estimate.point.get(name), b.estimate.point.get(name)
    words = f"{name} {value_text(name, here)} against {value_text(name, there)}"
    if _CHOSEN.get(a.estimate.point.benchmark) == name:
        _chosen(found, words, a, b)
    elif name == "pair":
        _pairs(found, words, a, b)
    elif here == there:
        return
    elif name in _LENGTHS:
        found.notes.append(words)
        found.distance += 0.25
    elif name in _SOFTWARE:
        found.notes.append(words)
        family = str(here).split()[:1] == str(there).split()[:1]
        found.distance += 0.5 if family else 1.0
    else:
        found.reasons.append(words)
        found.swept += isinstance(here, int) and isinstance(there, int)


def _chosen(found: _Found, words: str, a: Operand, b: Operand) -> None:
    """A size that each machine chose for itself: the same point where both are in memory."""
    where = (a.estimate.memory_level, b.estimate.memory_level)
    name = _CHOSEN[a.estimate.point.benchmark]
    same = a.estimate.point.get(name) == b.estimate.point.get(name)
    if same:
        if MemoryLevel.MEMORY in where and MemoryLevel.CACHES in where:
            found.notes.append(f"the same {name}, in {where[0]} against in {where[1]}")
        return
    by_rule = a.estimate.point.benchmark in _BY_RULE_IN_MEMORY and MemoryLevel.CACHES not in where
    if where == (MemoryLevel.MEMORY, MemoryLevel.MEMORY):
        found.notes.append(f"{words}: both in memory")
    elif by_rule:
        found.notes.append(f"{words}: assumed to be in memory, as STREAM's rules ask")
        found.distance += 1
    else:
        found.reasons.append(words + _where_text(where))
        found.swept += 1
    found.distance += 1 + _smallness(a.estimate) + _smallness(b.estimate)


def _where_text(where: tuple[MemoryLevel | None, MemoryLevel | None]) -> str:
    if where[0] and where[1]:
        return f" (in {where[0]} against in {where[1]})"
    return " (the memory level is not known of both)"


def _smallness(estimate: Estimate) -> float:
    """Below 1, and the less the larger: of several sizes in memory the largest is nearest."""
    size = dict(estimate.point.parameters).get(_CHOSEN.get(estimate.point.benchmark, ""))
    return 1 / math.log2(size + 4) if isinstance(size, int) and size >= 0 else 0.0


def _pairs(found: _Found, words: str, a: Operand, b: Operand) -> None:
    """CPU numbers mean nothing on another machine; what the two CPUs share does."""
    here, there = (side.estimate.pair_relation for side in (a, b))
    same = a.estimate.point.get("pair") == b.estimate.point.get("pair")
    if here and there and here != there:
        found.reasons.append(f"pair on {here} against {there}")
    elif same:
        return
    elif here and here == there:
        found.notes.append(f"{words}: {here} on both")
        found.distance += 0.5
    else:
        found.reasons.append(f"{words}: what their CPUs share is not known of both")


def _one_states(found: _Found, name: str, a: Operand, b: Operand) -> None:
    stated, silent = (a, b) if name in dict(a.estimate.point.parameters) else (b, a)
    text = value_text(name, stated.estimate.point.get(name))
    who = "here" if silent.machine.origin is Origin.MEASURED else f"by {silent.machine.id}"
    if _CHOSEN.get(stated.estimate.point.benchmark) == name:
        if stated.estimate.memory_level is MemoryLevel.CACHES:
            found.reasons.append(f"{name} {text}, in caches, against one not stated {who}")
            found.swept += 1
            return
        in_memory = stated.estimate.memory_level is MemoryLevel.MEMORY
        taken = f"{name} is not stated {who}: assumed to be in memory, as {text}"
        found.notes.append(taken if in_memory else f"{name} {text}: not stated {who}")
        found.distance += 1 + _smallness(stated.estimate)
        return
    if (name, stated.estimate.point.get(name)) == ON_DEVICE:
        found.reasons.append(
            f"in memory of devices, against one for which that is not stated {who}"
        )
        return
    if _is_of_work(name, stated.estimate):
        found.of_work.setdefault(who, []).append(f"{name} {text}")
        return
    found.notes.append(f"{name} {text}: not stated {who}")
    found.distance += 1


def _is_of_work(name: str, stated: Estimate) -> bool:
    """Whether a parameter says how much work a time, or a rate of such work, is of."""
    if stated.point.is_work:
        number = isinstance(stated.point.get(name), int)
        settled = name in _NOT_OF_WORK or name in _LENGTHS
        return is_extensive(stated) and (name in _INPUTS or (number and not settled))
    sized = stated.point.benchmark.partition(".")[0] in _SIZED
    return name == "size" and sized and stated.unit == SECONDS

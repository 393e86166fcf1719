"""The plan of a run: everything it will launch, and how long that may take. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.network.traffic import traffic_of
from machmeter.benchmarks.programs import find_program
from machmeter.benchmarks.reference import REFERENCE
from machmeter.model.benchmark import (
    SCALING,
    WEAK,
    Benchmark,
    Parameter,
    ParameterKind,
    ParameterRole,
    Value,
)
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine, MpiStart
from machmeter.model.plan.launch import FEWEST_LAUNCHES, LaunchRole, LaunchSpec
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.point import Point, make_point
from machmeter.model.results.run import Plan, Precision
from machmeter.run.planning.automatic import automatic_values
from machmeter.run.planning.automatic_names import automatic_parameters
from machmeter.run.planning.expand import expand
from machmeter.run.planning.layouts import quota_note
from machmeter.run.planning.other_library import library_specs
from machmeter.run.planning.sizing import (
    SIZING_LAUNCHES,
    Sizes,
    needs_sizes,
    sizing_spec,
)
from machmeter.run.planning.sizing_network import (
    message_sizing_launches,
    message_sizing_spec,
    needs_message_sizes,
)

# However short the time: without a second launch nothing has an interval.
REFERENCE_LAUNCHES = 5
REFERENCE_START = "reference at the start"
REFERENCE_END = "reference at the end"

# The noise of the host, measured before and after, is most of it.
_STARTUP_SECONDS = 0.15
# Nodes start their ranks at the same time, one rank of a node after another. More nodes are more to
# reach, and more ranks more addresses to exchange.
_STARTUP_SECONDS_A_RANK_OF_A_NODE = 0.02
_STARTUP_SECONDS_A_NODE = 0.02
_STARTUP_SECONDS_AN_ADDRESS = 1e-4
_SETUP_SECONDS_PER_BYTE = 0.4e-9
# However short its time, a point takes a warm-up, a calibration, 8 samples, a reset and a check.
_FEWEST_EVENTS = 12
# What checks take beside an event on one thread, as a part of it.
_CHECKED = 0.3
_BYTES_PER_SECOND = 25e9
# Of products and factorizations of matrices, by each thread.
_FLOPS_PER_SECOND = 30e9
# Of a program that was not seen yet nothing is known.
_COMMAND_SECONDS = 1.0
_SIMULATED_SECONDS = 0.1
_AT_ONCE = (ParameterKind.NODE, ParameterKind.RANK_PAIR)
# More threads move more, until memory is the limit.
_MOST_TIMES = 16


def make_plan(
    study: Study, machine: Machine, options: LayoutOptions, precision: Precision, sizes: Sizes
) -> Plan:
    """The plan for `study` on `machine`. Raises UsageError where a value has no meaning."""
    automatic = automatic_values(machine, sizes, precision.budget_seconds, options)
    expansion = expand(study.experiments, machine, options, automatic.values, study.benchmarks)
    left_to_auto = automatic_parameters(study)
    lacking = (one for key, of in automatic.lacking.items() if key in left_to_auto for one in of)
    return Plan(
        specs=(
            *expansion.specs,
            *library_specs(expansion.specs, machine),
            reference_spec(machine, REFERENCE_START),
            reference_spec(machine, REFERENCE_END),
        ),
        precision=precision,
        skipped=(*expansion.skipped, *lacking),
        sizes={name: max(v["size"]) for name, v in sizes.values.items() if "size" in v},
        memory_short=sizes.memory_short,
        last_cache=sizes.last_cache,
        notes=tuple(
            note
            for note in (
                sizes.note,
                quota_note(machine, options),
                _idle_option(expansion.specs, options),
            )
            if note
        ),
        questions=study.questions,
    )


def _idle_option(specs: Sequence[LaunchSpec], options: LayoutOptions) -> str:
    """The note where hosts or ranks were named and nothing that is measured has ranks."""
    named = {"--hosts": options.hosts, "--nodes": options.nodes, "--ranks": options.rank_counts}
    idle = [option for option, value in named.items() if value]
    if not idle or any(find_program(spec.program).has_ranks for spec in specs):
        return ""
    return f"nothing that is measured has ranks: {' and '.join(idle)} changes nothing"


def reference_launches(precision: Precision) -> int:
    """How many launches of the reference kernel a run begins with, and ends with: no more than it
    makes of a layout, but two at least."""
    return min(REFERENCE_LAUNCHES, max(FEWEST_LAUNCHES, precision.most_launches))


def reference_spec(machine: Machine, name: str) -> LaunchSpec:
    """The reference kernel, on one thread, as every run measures it at its start and end."""
    layout = Layout(page_bytes=machine.memory.base_page_bytes)
    parts = REFERENCE.parameters[0].values
    return LaunchSpec(
        name=name,
        program=REFERENCE.program.name,
        benchmark=REFERENCE.name,
        layout=layout,
        points=tuple(make_point(REFERENCE.name, {"part": part}, layout) for part in parts),
        seconds_per_point=REFERENCE.seconds_per_point,
        samples=100,
        role=LaunchRole.REFERENCE,
    )


def expected_launch_seconds(spec: LaunchSpec, starts: Mapping[str, MpiStart]) -> float:
    """How long one launch of `spec` may take, seconds, before one was seen: a rough guess.

    starts: of MPI libraries, as `Software.mpi_starts`.
    """
    if spec.simulated:
        return _SIMULATED_SECONDS
    if not spec.is_ours:
        return spec.description.seconds if spec.description else _COMMAND_SECONDS
    declared = known(spec.benchmark)
    arrays = declared.arrays if declared else 1
    largest = max(int(dict(point.parameters).get("size", 0)) for point in spec.points)
    times = min(spec.layout.threads, _MOST_TIMES)
    return (
        _startup_seconds(spec, starts)
        + sum(_point_seconds(point, spec, declared) for point in _in_turn(spec, declared))
        + arrays * largest * _SETUP_SECONDS_PER_BYTE / times
    )


def _startup_seconds(spec: LaunchSpec, starts: Mapping[str, MpiStart]) -> float:
    """Until the first point: as measured on this machine where it was, for the ranks of a node."""
    layout = spec.layout
    one_rank, each_further = 0.0, _STARTUP_SECONDS_A_RANK_OF_A_NODE
    start = starts.get(spec.variant.mpi)
    if start and find_program(spec.program).chooses_mpi:
        one_rank, each_further = start.one_rank, start.each_further_rank
    others = layout.nodes - 1
    return (
        _STARTUP_SECONDS
        + one_rank
        + each_further * (layout.ranks_per_node - 1)
        + _STARTUP_SECONDS_A_NODE * others
        + _STARTUP_SECONDS_AN_ADDRESS * layout.ranks_per_node * others
    )


def _in_turn(spec: LaunchSpec, declared: Benchmark | None) -> Iterator[Point]:
    """Of points that are measured at the same time the first: all nodes at once, and pairs of ranks
    in as many rounds as a rank has pairs, and one."""
    declares = declared.parameters if declared else ()
    together = {one.name: one.kind for one in declares if one.kind in _AT_ONCE}
    by_others: dict[tuple[tuple[str, Value], ...], list[Point]] = {}
    for point in spec.points:
        others = tuple(one for one in point.parameters if one[0] not in together)
        by_others.setdefault(others, []).append(point)
    for points in by_others.values():
        rounds = 1
        if ParameterKind.RANK_PAIR in together.values():
            names = (str(dict(p.parameters)[name]) for p in points for name in together)
            rounds += max(Counter(rank for pair in names for rank in pair.split("-")).values())
        yield from points[:rounds]


def _point_seconds(point: Point, spec: LaunchSpec, declared: Benchmark | None) -> float:
    most, threads = spec.seconds_per_point, spec.layout.threads
    parameters = dict(point.parameters)
    size = int(parameters.get("size", 0))
    if "seconds" in parameters:
        return float(parameters["seconds"])
    if declared and declared.setup_seconds_per_byte:
        return 1.3 * most + size * declared.setup_seconds_per_byte
    if declared and declared.event_seconds:
        event = declared.event_seconds * _times_usual(declared, parameters, threads)
        return max(1.3 * most, event * (1 / threads + _CHECKED))
    arrays = declared.arrays if declared else 1
    events = 1 if declared and declared.long_events else _FEWEST_EVENTS
    declares = declared.parameters if declared else ()
    if flops := sum(_flops(one, parameters.get(one.name)) for one in declares):
        return max(1.3 * most, events * flops / (threads * _FLOPS_PER_SECOND))
    in_flight = parameters.get("window", parameters.get("outstanding", 1))
    # Of one-sided communication the window is no number, but how it was made.
    at_once = in_flight if isinstance(in_flight, int) else int(parameters.get("outstanding", 1))
    moved = events * arrays * at_once * size
    traffic = traffic_of(point.benchmark, parameters, spec.layout)
    return max(
        1.3 * most,
        moved / (min(threads, _MOST_TIMES) * _BYTES_PER_SECOND),
        events * traffic.seconds if traffic else 0.0,
    )


def _times_usual(declared: Benchmark, parameters: Mapping[str, Value], threads: int) -> float:
    """How many times the work of the usual numbers a point is, about."""
    work = float(threads) if parameters.get(SCALING) == WEAK else 1.0
    for one in declared.parameters:
        number, usual = parameters.get(one.name), one.values[0]
        # What may be 0, such as wrong letters of a thousand, is no work by itself.
        counts = one.role is ParameterRole.WORK and one.minimum > 0
        if counts and isinstance(number, int) and isinstance(usual, int):
            work *= (number / usual) ** (one.grows or one.power)
    return work


def _flops(parameter: Parameter, number: Value | None) -> float:
    whole = number if isinstance(number, int) else 0
    return parameter.flops_each * float(whole) ** (parameter.power + 1)


class Expected(Struct, frozen=True):
    """What a plan takes, as a rough guess."""

    launches: int
    """Fewest launches."""
    seconds: float
    """Wall time, seconds."""
    fewest_seconds: float
    """Wall time that it takes whatever the budget, seconds."""


def expected(
    plan: Plan, study: Study, machine: Machine, known_seconds: Mapping[str, float] | None = None
) -> Expected:
    """The fewest launches of a run with this plan, those that size it included, and their time.

    known_seconds: of one launch, of specs by name, as far as they were computed already.
    """
    before = known_seconds or {}
    times = [(_least_launches(spec, plan.precision), spec) for spec in plan.specs]
    if needs_sizes(study):
        times.append((SIZING_LAUNCHES, sizing_spec(machine)))
    if needs_message_sizes(study) and (sizing := message_sizing_spec(plan)):
        times.append((message_sizing_launches(sizing), sizing))
    starts = machine.software.mpi_starts
    seconds = [
        (n, before.get(spec.name) or expected_launch_seconds(spec, starts), spec)
        for n, spec in times
    ]
    return Expected(
        sum(launches for launches, _ in times),
        sum(launches * each for launches, each, _ in seconds),
        sum(
            (min(spec.fewest_launches, n) if spec.of_points else n) * each
            for n, each, spec in seconds
        ),
    )


def _least_launches(spec: LaunchSpec, precision: Precision) -> int:
    if not spec.of_points:
        return spec.most_launches or reference_launches(precision)
    return min(precision.least_launches, spec.most_launches or precision.least_launches)

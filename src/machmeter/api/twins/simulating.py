"""Simulate single points on a twin, outside of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from machmeter.api.context import Context
from machmeter.benchmarks.catalogue import find
from machmeter.launch.launcher import Attempt
from machmeter.launch.simulated import JOB, SimulatingLauncher
from machmeter.layout.assign import assign
from machmeter.model.errors import MachmeterError, storage_error
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Launch, LaunchSpec, PointRecord, Record, Verdict
from machmeter.model.point import Point
from machmeter.model.program import SIMULATOR
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Precision
from machmeter.model.twin import Twin
from machmeter.run.measuring.judge import judge_attempt
from machmeter.run.measuring.tally import Tally
from machmeter.run.programs.compiled import compiled_simulator
from machmeter.simulation.as_machine import machine_of
from machmeter.store.records import read_record

_LIMIT_SECONDS = 120.0
_ONCE = Precision(least_launches=1, most_launches=1)


def estimates_on(
    twin: Twin, points: Sequence[Point], context: Context | None = None, pair: str = JOB
) -> tuple[Estimate, ...]:
    """Every result of each point on the twin, with its error band.

    Args:
        twin: The model.
        points: Of one variant each, without a name of an MPI library.
        context: Folders and listeners.
        pair: Which two nodes layouts of two nodes have: `job`, `near` or `far`.

    Raises:
        MachineLacksError: The program that simulates cannot be compiled.
        MachmeterError: The model does not describe a point, or the program failed.
    """
    (found,) = estimates_on_each((twin,), points, context, pair)
    return found


def estimates_on_each(
    twins: Iterable[Twin],
    points: Sequence[Point],
    context: Context | None = None,
    pair: str = JOB,
) -> Iterator[tuple[Estimate, ...]]:
    """Of each twin what `estimates_on` has of it; the program is looked up once."""
    context = context or Context()
    program = _program(context)
    for twin in twins:
        yield _estimates(twin, _launched(twin, points, context, pair, program))


def _estimates(
    twin: Twin, launched: Iterable[tuple[Launch, Record, Attempt]]
) -> tuple[Estimate, ...]:
    tally = Tally(_ONCE, twin=twin)
    specs = []
    for launch, record, attempt in launched:
        outcome = judge_attempt(launch, attempt, record)
        if outcome.verdict is not Verdict.ACCEPTED:
            raise _failed(twin, launch, "; ".join(outcome.reasons))
        tally.add(launch.spec, outcome, record)
        specs.append(launch.spec)
    return tuple(one for spec in specs for one in tally.estimates(spec))


def records_on(
    twin: Twin, points: Sequence[Point], context: Context | None = None, pair: str = JOB
) -> dict[Point, PointRecord]:
    """What the program records of each point, the quantities of a message among them; arguments and
    errors as of `estimates_on`."""
    context = context or Context()
    program = _program(context)
    found: dict[Point, PointRecord] = {}
    for launch, record, attempt in _launched(twin, points, context, pair, program):
        if not record.complete:
            raise _failed(twin, launch, attempt.result.output.strip() or record.problem)
        found |= {launch.spec.point(one.parameters): one for one in record.points}
    return found


def _program(context: Context) -> str:
    return compiled_simulator("", (), context.for_builds, context.notify)


def _launched(
    twin: Twin, points: Sequence[Point], context: Context, pair: str, program: str
) -> Iterator[tuple[Launch, Record, Attempt]]:
    """Each benchmark and layout in a launch of its own, its files gone when it is read."""
    launcher = SimulatingLauncher(program, twin, context.environment, pair=pair)
    topology = machine_of(twin).topology
    try:
        with tempfile.TemporaryDirectory(dir=context.cache, prefix="simulated-") as folder:
            for number, spec in enumerate(_specs(points), 1):
                launch = Launch(number, spec, number, assign(spec.layout, topology))
                path = Path(folder) / f"{number}.jsonl"
                attempt = launcher.start(launch, path, _LIMIT_SECONDS)
                yield launch, read_record(path), attempt
    except OSError as error:
        raise storage_error(error, context.cache) from error


def _specs(points: Sequence[Point]) -> list[LaunchSpec]:
    groups: dict[tuple[str, Layout], list[Point]] = {}
    for point in dict.fromkeys(points):
        groups.setdefault((point.benchmark, point.layout), []).append(point)
    return [
        LaunchSpec(
            f"{name} {number}",
            SIMULATOR,
            name,
            layout,
            tuple(group),
            find(name).seconds_per_point,
        )
        for number, ((name, layout), group) in enumerate(groups.items(), 1)
    ]


def _failed(twin: Twin, launch: Launch, why: str) -> MachmeterError:
    return MachmeterError(
        f"{launch.spec.benchmark} cannot be simulated on {twin.name}: {why}",
        "name what the model describes: `machmeter list NAME` shows it",
    )

"""The whole of a run: size, plan, measure in rounds, and stop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from machmeter.analysis.knees import find_knees
from machmeter.launch.local import Launcher
from machmeter.model.errors import MachmeterError
from machmeter.model.estimate import Knee
from machmeter.model.launch import LaunchSpec
from machmeter.model.machine import Machine
from machmeter.model.run import Plan, Precision, RunState
from machmeter.run.plan import REFERENCE_LAUNCHES
from machmeter.run.progress import ProgressListener
from machmeter.run.schedule import round_order
from machmeter.run.session import Session
from machmeter.run.sizing import (
    NO_SIZES,
    SIZING_LAUNCHES,
    Sizes,
    choose_sizes,
    needs_sizes,
    sizing_spec,
)
from machmeter.run.sizing_network import SIZING_LAUNCHES as MESSAGE_SIZING_LAUNCHES
from machmeter.run.sizing_network import (
    choose_message_sizes,
    message_sizing_spec,
    needs_message_sizes,
)
from machmeter.run.tally import Tally
from machmeter.store.run_folder import RunFolder, StateFile

# However short the time: without a second launch nothing has an interval.
FEWEST_ROUNDS = 2
FEWEST_WORKING_SETS = 6

Planner = Callable[[Sizes], Plan]


def measure(
    folder: RunFolder,
    launcher: Launcher,
    precision: Precision,
    planner: Planner,
    listener: ProgressListener,
) -> None:
    """Measure the run in `folder` to its end, or go on with it where it was interrupted.

    `planner` is asked once, after the sizing launches where any size is `auto`; its plan is kept
    with the run. Raises MachineLacksError when the disk takes no more, and whatever interrupts it;
    what was measured until then is on disk.
    """
    header = folder.header()
    machine, studies = header.machine, [header.asked.study]
    studies += [header.against.asked.study] if header.against else []
    session = Session(folder, launcher, machine.topology, precision, listener)
    with _state_kept(folder, session):
        plan = folder.plan()
        if plan is None:
            sizes = _size(session, machine) if any(map(needs_sizes, studies)) else NO_SIZES
            probed = any(map(needs_message_sizes, studies))
            if probed and (spec := message_sizing_spec(planner(sizes))):
                sizes = _size_messages(session, spec, sizes)
            plan = planner(sizes)
            folder.write_plan(plan)
        # A plan that cannot be measured in full leaves time for the reference at the end.
        start, end = (spec for spec in plan.specs if spec.role == "reference")
        _repeat(session, start, REFERENCE_LAUNCHES, "reference")
        reserve = REFERENCE_LAUNCHES * session.launch_seconds(start)
        if session.launches(end) == 0:
            _measure_rounds(session, folder, plan, reserve)
        _repeat(session, end, REFERENCE_LAUNCHES, "reference")


@contextlib.contextmanager
def _state_kept(folder: RunFolder, session: Session) -> Iterator[None]:
    # A sitting that was killed could not say how long it lasted; its launches did.
    earlier = max(folder.state().wall_seconds, session.launch_seconds_so_far)
    folder.write_state(StateFile(RunState.RUNNING, earlier))
    try:
        yield
    except BaseException:
        with contextlib.suppress(MachmeterError):
            folder.write_state(StateFile(RunState.INTERRUPTED, earlier + session.elapsed))
        raise
    folder.write_state(StateFile(RunState.FINISHED, earlier + session.elapsed))


def _size(session: Session, machine: Machine) -> Sizes:
    spec = sizing_spec(machine)
    _repeat(session, spec, SIZING_LAUNCHES, "sizing")
    small = sizing_spec(machine, huge_pages=False)
    if small.layout != spec.layout and not session.tally.estimates(spec):
        # Huge pages were promised and not given.
        spec = small
        _repeat(session, spec, SIZING_LAUNCHES, "sizing")
    return choose_sizes(machine, knees_of(session.tally, spec))


def _size_messages(session: Session, spec: LaunchSpec, sizes: Sizes) -> Sizes:
    """`sizes` with those of a bandwidth curve, which ends where bandwidth is flat."""
    _repeat(session, spec, MESSAGE_SIZING_LAUNCHES, "sizing")
    estimates = session.tally.estimates(spec, primary_only=True)
    measured = sorted((int(e.point.get("size")), e.value) for e in estimates)
    chosen = choose_message_sizes(measured)
    return Sizes(
        {**sizes.values, spec.benchmark: {"size": chosen.sizes}},
        sizes.last_cache_bytes,
        "; ".join(filter(None, (sizes.note, chosen.note))),
    )


def knees_of(tally: Tally, spec: LaunchSpec) -> tuple[Knee, ...]:
    """The knees of a latency curve, from the launches that have every working set of `spec`.

    None where the curve has fewer than six: its last one would be taken for memory.
    """
    points = sorted(spec.points, key=lambda point: int(point.get("size")))
    columns = [tally.by_launch(spec, point, "latency") for point in points]
    if len(points) < FEWEST_WORKING_SETS:
        return ()
    whole = sorted(set(columns[0]).intersection(*columns[1:]))
    if not whole:
        return ()
    curves = [[column[launch] for column in columns] for launch in whole]
    return find_knees([int(point.get("size")) for point in points], curves)


def _repeat(session: Session, spec: LaunchSpec, times: int, phase: str) -> None:
    while session.launches(spec) < times and not session.gave_up(spec):
        session.tell(phase, spec.name, (spec,), times * session.launch_seconds(spec), times)
        session.launch(spec)


def _wanting(session: Session, specs: Sequence[LaunchSpec]) -> tuple[LaunchSpec, ...]:
    """Specs that need another launch, and their partners, without which it could not be paired."""
    names = {spec.partner or spec.name for spec in specs if session.wants_more(spec)}
    return tuple(
        spec for spec in specs if (spec.partner or spec.name) in names and session.may_go_on(spec)
    )


def _measure_rounds(session: Session, folder: RunFolder, plan: Plan, reserve: float) -> None:
    """Rounds over all specs that need more, until none does or the time is over.

    The first rounds are made whatever the time.

    reserve: seconds kept for what follows the rounds.
    """
    specs = tuple(spec for spec in plan.specs if spec.role == "points")
    seed = folder.header().seed
    spent_before = folder.state().wall_seconds
    number = max(1, session.rounds_begun)
    while wanting := _wanting(session, specs):
        for spec in round_order(wanting, seed, number):
            if number == session.rounds_begun and spec.name in session.launched_in_last_round:
                continue
            left = plan.precision.budget_seconds - spent_before - session.elapsed - reserve
            if number > FEWEST_ROUNDS and left < session.launch_seconds(spec):
                return
            session.tell("measuring", spec.name, specs, left)
            session.launch(spec, number)
        number += 1

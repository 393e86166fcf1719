"""The whole of a run: size, plan, measure in rounds, and stop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec.structs import replace

from machmeter.analysis.curves.knees import find_knees
from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.launch.launcher import Launcher
from machmeter.layout.assign import assign
from machmeter.layout.elsewhere import NodeCpus
from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchRole, LaunchSpec, LostHost
from machmeter.model.results.curves import EarlierCache, Knee
from machmeter.model.results.run import Plan, Precision, Request, RunState
from machmeter.run.measuring.hosts.continued import renumbered
from machmeter.run.measuring.hosts.lost import on_hosts_left
from machmeter.run.measuring.progress import ProgressListener, Remaining
from machmeter.run.measuring.quiet import QuietWatch
from machmeter.run.measuring.session import Session
from machmeter.run.measuring.tally import Tally
from machmeter.run.measuring.unbound import unbound_trio
from machmeter.run.planning.other_library import LIBRARY_LAUNCHES
from machmeter.run.planning.plan import reference_launches
from machmeter.run.planning.schedule import round_order
from machmeter.run.planning.sizing import (
    NO_SIZES,
    SIZING_LAUNCHES,
    Sizes,
    choose_sizes,
    needs_sizes,
    sizing_spec,
)
from machmeter.run.planning.sizing_network import (
    choose_message_sizes,
    message_sizing_launches,
    message_sizing_spec,
    needs_message_sizes,
)
from machmeter.store.run_folder import RunFolder, StateFile

FEWEST_WORKING_SETS = 6
# Launches that others disturbed, in their place in the round.
_MOST_REPEATED = 2

Planner = Callable[[Sizes], Plan]


def measure(  # noqa: PLR0913, PLR0917 - all that a run is made of
    folder: RunFolder,
    launcher: Launcher,
    precision: Precision,
    planner: Planner,
    listener: ProgressListener,
    likely: Plan | None = None,
    quiet: QuietWatch | None = None,
    earlier: Sequence[EarlierCache] = (),
    lost: Sequence[LostHost] = (),
    nodes: Sequence[NodeCpus] = (),
) -> None:
    """Measure the run in `folder` to its end, or go on with it where it was interrupted.

    likely: the plan before sizing (None: planned now); quiet: as of `Session`; earlier: as
    `choose_sizes` takes them; lost: hosts that `planner` does without, other than the plan of the
    run, which is extended; nodes: as of `Session`. `planner` is called after sizing launches, where
    any size is `auto`; the plan is kept with the run. Raises MachineLacksError when the disk takes
    no more, HostsLostError where hosts are lost, and whatever interrupts it; what was measured
    until then is on disk.
    """
    header = folder.header()
    machine, studies = header.machine, [header.request.study]
    studies += [header.baseline.request.study] if header.baseline else []
    session = Session(folder, launcher, machine.topology, precision, listener, quiet, nodes)
    with _state_kept(folder, session):
        plan = folder.plan()
        if plan is None or lost:
            sized = any(map(needs_sizes, studies))
            sizes = choose_sizes(machine, (), earlier) if sized else NO_SIZES
            likely = likely or planner(sizes)
            # A model has no memory to size anything by.
            if sized and not header.request.origin.is_quoted:
                sizes = _size(session, machine, likely, earlier)
            probed = any(map(needs_message_sizes, studies))
            if probed and (spec := message_sizing_spec(likely)):
                sizes = _size_messages(session, spec, sizes, likely)
            now = likely if sizes is NO_SIZES else planner(sizes)
            plan = _on_hosts_left(header.request, plan, now, lost) if plan else now
            cpus = {spec.name: assign(spec.layout, machine.topology) for spec in plan.specs}
            plan = replace(plan, assignments=cpus)
            folder.write_plan(plan)
        # A run that is continued may have less time than it was planned with.
        planned, seconds = plan.precision, precision.budget_seconds
        plan = replace(plan, precision=replace(planned, budget_seconds=seconds))
        session.pair(_of_points(plan), plan.superseded or ())
        if header.request.origin.is_quoted:
            # Nothing changes while it is simulated: there is no reference to repeat.
            _measure_rounds(session, folder, plan, 0.0)
            return
        # A plan that cannot be measured in full leaves time for the reference at the end.
        start, end = (spec for spec in plan.specs if spec.of_reference)
        times = reference_launches(plan.precision)
        # What was disturbed too often then is not made again hours later.
        before = () if session.rounds_begun else plan.specs
        if before:
            _repeat(session, start, times, "reference", partial(_to_come, session, plan))
        for spec in (one for one in before if one.of_other_library):
            # It may be gone when a run is resumed, which can do without.
            with contextlib.suppress(MachineLacksError):
                to_come = partial(_to_come, session, plan)
                _repeat(session, spec, LIBRARY_LAUNCHES, "another MPI library", to_come)
        reserve = times * session.launch_seconds(start)
        if session.launches(end) == 0:
            # What is launched without binding follows the race, also where it was interrupted.
            unbound = (spec for spec in plan.specs if spec.role is LaunchRole.UNBOUND)
            if all(map(session.is_superseded, unbound)):
                _measure_rounds(session, folder, plan, reserve)
            _measure_unbound(session, folder, plan, reserve)
        _repeat(session, end, times, "reference")


def _on_hosts_left(request: Request, plan: Plan, left: Plan, lost: Sequence[LostHost]) -> Plan:
    began_on, own = request.layout_options.hosts, request.study.benchmarks
    return on_hosts_left(plan, left, lost, renumbered(plan, began_on, lost, own))


@contextlib.contextmanager
def _state_kept(folder: RunFolder, session: Session) -> Iterator[None]:
    folder.write_state(StateFile(RunState.RUNNING, session.spent))
    try:
        yield
    except BaseException:
        with contextlib.suppress(MachmeterError):
            folder.write_state(StateFile(RunState.INTERRUPTED, session.spent))
        raise
    folder.write_state(StateFile(RunState.FINISHED, session.spent))


def _size(
    session: Session, machine: Machine, likely: Plan, earlier: Sequence[EarlierCache]
) -> Sizes:
    spec, to_come = sizing_spec(machine), partial(_to_come, session, likely)
    _repeat(session, spec, SIZING_LAUNCHES, "sizing", to_come)
    small = sizing_spec(machine, huge_pages=False)
    if small.layout != spec.layout and not session.tally.estimates(spec):
        # Huge pages were promised and not given.
        spec = small
        _repeat(session, spec, SIZING_LAUNCHES, "sizing", to_come)
    return choose_sizes(machine, knees_of(session.tally, spec), earlier)


def _size_messages(session: Session, spec: LaunchSpec, sizes: Sizes, likely: Plan) -> Sizes:
    """`sizes` with those of a bandwidth curve, which ends where bandwidth is flat."""
    times = message_sizing_launches(spec)
    _repeat(session, spec, times, "sizing", partial(_to_come, session, likely))
    estimates = session.tally.estimates(spec, primary_only=True)
    measured = sorted((int(e.point.get("size")), e.value) for e in estimates)
    chosen = choose_message_sizes(measured)
    return Sizes(
        {**sizes.values, spec.benchmark: {"size": chosen.sizes}},
        sizes.last_cache,
        "; ".join(filter(None, (sizes.note, chosen.note))),
        sizes.memory_short,
    )


def knees_of(tally: Tally, *specs: LaunchSpec) -> tuple[Knee, ...]:
    """The knees of a latency curve, from the launches that have every working set of its spec; of
    a curve that is divided between several, from the rounds that have.

    None where the curve has fewer than six: its last one would be taken for memory; and none from
    fewer than five launches.
    """
    by = tally.by_launch if len(specs) == 1 else tally.by_round
    columns = {
        int(point.get("size")): by(spec, point, "latency")
        for spec in specs
        for point in spec.points
    }
    if len(columns) < FEWEST_WORKING_SETS:
        return ()
    sizes = sorted(columns)
    whole = sorted(set.intersection(*(set(column) for column in columns.values())))
    if len(whole) < SIZING_LAUNCHES:
        return ()
    return find_knees(sizes, [[columns[size][number] for size in sizes] for number in whole])


def _repeat(
    session: Session,
    spec: LaunchSpec,
    times: int,
    phase: str,
    to_come: Callable[[], float] = lambda: 0.0,
) -> None:
    """to_come: seconds of what follows. Launches that others disturb are repeated, two at most."""
    for _ in range(times + _MOST_REPEATED):
        if session.launches(spec) >= times or session.gave_up(spec):
            break
        of_these = times * session.launch_seconds(spec)
        after = to_come()
        remaining = Remaining(after=after, at_most=after > 0)
        session.notify(phase, spec.name, (spec,), of_these, times, remaining)
        session.launch(spec)


def _to_come(session: Session, plan: Plan) -> float:
    """Seconds that the rounds of a plan and the reference after them take at most."""
    specs = _of_points(plan)
    last = plan.specs[-1]
    times = reference_launches(plan.precision) * last.of_reference
    reserve = times * session.launch_seconds(last)
    a_round = sum(session.launch_seconds(spec) for spec in specs)
    left = plan.precision.budget_seconds - session.spent - reserve
    longest = max(map(session.launch_seconds, specs), default=0.0)
    is_explored = not any(spec.is_ours for spec in specs)
    without_binding = 3 * LEAST_ROUNDS * longest * is_explored
    most = min(plan.precision.most_launches * a_round + without_binding, left)
    return max(_first_rounds(session, specs), most) + reserve


def _first_rounds(session: Session, specs: Sequence[LaunchSpec]) -> float:
    """Seconds of the launches that are made whatever the time."""
    return sum(
        max(0, spec.fewest_launches - session.tried(spec)) * session.launch_seconds(spec)
        for spec in specs
        if session.may_go_on(spec)
    )


def _of_points(plan: Plan) -> tuple[LaunchSpec, ...]:
    return tuple(spec for spec in plan.specs if spec.of_points)


def _wanting(
    session: Session, specs: Sequence[LaunchSpec], *, over: bool
) -> tuple[LaunchSpec, ...]:
    """Specs that need another launch, and their partners, without which it could not be paired;
    where the time is over, those alone that are launched whatever the time."""
    names = {
        spec.group or spec.name
        for spec in specs
        if session.wants_more(spec) and not (over and session.tried(spec) >= spec.fewest_launches)
    }
    return tuple(
        spec for spec in specs if (spec.group or spec.name) in names and session.may_go_on(spec)
    )


def _measure_rounds(session: Session, folder: RunFolder, plan: Plan, reserve: float) -> None:
    """Rounds over all specs that need more, until none does or the time is over.

    The first rounds are made whatever the time. A half of a pair is not launched later, for what a
    killed session began is not the same time: the pair is launched again in the next round.

    reserve: seconds kept for what follows the rounds.
    """
    specs = _of_points(plan)
    seed = folder.header().seed
    number = max(1, session.rounds_begun)

    def left() -> float:
        return plan.precision.budget_seconds - session.spent - reserve

    begun = _together(specs, session.launched_in_last_round) if session.rounds_begun else set()
    over = False
    session.begin_round(number)
    while wanting := _wanting(session, specs, over=over):
        for partners in round_order(wanting, seed, number):
            if begun.intersection(spec.name for spec in partners):
                continue
            if session.tried(partners[0]) >= partners[0].fewest_launches:
                over = over or left() < sum(map(session.launch_seconds, partners))
                if over:
                    continue
            for spec in partners:
                # A half of a pair is not repeated: the pair is, in the next round.
                for _ in range(1 + _MOST_REPEATED * (len(partners) == 1)):
                    remaining = Remaining(_first_rounds(session, specs), reserve)
                    session.notify("measuring", spec.name, specs, left(), remaining=remaining)
                    outcome = session.launch(spec, number)
                    repeated = outcome.disturbed and not session.gave_up(spec)
                    if not repeated or left() < session.launch_seconds(spec):
                        break
        number += 1
        session.begin_round(number)
        begun = set()


def _measure_unbound(session: Session, folder: RunFolder, plan: Plan, reserve: float) -> None:
    """Rounds of the fastest layout of a program without binding, with it, and of nothing set, where
    the time is enough for all of them; the plan of the run has the spec from then on."""
    header = folder.header()
    trio = unbound_trio(plan, session.tally, header.request, header.machine)
    if trio is None or any(map(session.gave_up, trio)):
        return

    def left() -> float:
        return plan.precision.budget_seconds - session.spent - reserve

    def a_round() -> float:
        seen = trio.unbound if session.launches(trio.unbound) else trio.fastest
        return sum(map(session.launch_seconds, (trio.unset, trio.fastest, seen)))

    if trio.unbound not in plan.specs:
        if left() < LEAST_ROUNDS * a_round():
            return
        specs = (*plan.specs[:-1], trio.unbound, plan.specs[-1])
        cpus = assign(trio.unbound.layout, header.machine.topology)
        assignments = {**plan.assignments, trio.unbound.name: cpus}
        folder.write_plan(replace(plan, specs=specs, assignments=assignments))
    for _ in range(LEAST_ROUNDS + _MOST_REPEATED):
        to_make = LEAST_ROUNDS - session.rounds_of_all(trio)
        if to_make <= 0 or left() < a_round() or any(map(session.gave_up, trio)):
            break
        number = session.rounds_begun + 1
        for spec in chain.from_iterable(round_order(trio, header.seed, number)):
            remaining = Remaining(to_make * a_round(), reserve)
            session.notify("without binding", spec.name, trio, left(), remaining=remaining)
            session.launch(spec, number)


def _together(specs: Sequence[LaunchSpec], names: Collection[str]) -> set[str]:
    """The named specs and their partners."""
    groups = {spec.group or spec.name for spec in specs if spec.name in names}
    return {spec.name for spec in specs if (spec.group or spec.name) in groups}

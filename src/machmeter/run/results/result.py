"""A run as read from its files: everything a report needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import UNSET
from msgspec.structs import replace

from machmeter.analysis.curves.last_cache import last_cache
from machmeter.analysis.rules.system.host_attributes import differing_attributes
from machmeter.analysis.rules.system.node_classes import hosts_in_order, node_classes
from machmeter.analysis.rules.system.nodes import NODE
from machmeter.analysis.stats.drift import reference_drift
from machmeter.analysis.stats.noise import check_noise, steal_shares, summarize_noise
from machmeter.analysis.stats.precision import precision_reached
from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.memory.access import LATENCY
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.benchmarks.reference import REFERENCE
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import MachmeterError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import (
    Launch,
    LaunchOutcome,
    LaunchSpec,
    Noise,
    Record,
    Toolchain,
    Verdict,
    library_name,
)
from machmeter.model.point import Point
from machmeter.model.results.caveat import Caveat, CaveatKind, gravest_first
from machmeter.model.results.curves import Knee
from machmeter.model.results.run import (
    NoiseSummary,
    ObservedBuild,
    Plan,
    ReferenceDrift,
    Request,
    ResolvedProgram,
    ResourceUse,
    RunResult,
    ShownPoint,
    TimeUse,
)
from machmeter.model.variant import Role
from machmeter.run.ab.baseline_result import (
    candidate_toolchain,
    no_difference,
    not_as_then,
    result_of_baseline,
)
from machmeter.run.ab.machines import compared
from machmeter.run.measuring.hosts.continued import tells_hosts_apart
from machmeter.run.measuring.judge import as_it_stands, cpu_numbers
from machmeter.run.measuring.measure import knees_of
from machmeter.run.measuring.stopping import dropped_out
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.other_library import small_message
from machmeter.run.planning.plan import REFERENCE_END, REFERENCE_START
from machmeter.run.programs.cached import ran_by
from machmeter.run.results.caveats import (
    adapter_caveats,
    cache_caveats,
    few_launches_caveats,
    missing_caveats,
    not_observed_caveats,
    not_verified_caveats,
    one_host_caveats,
    one_machine_caveats,
    run_caveats,
    simulated_caveats,
)
from machmeter.run.results.contention import among_others_caveats, with_contention
from machmeter.run.results.device_use import device_uses, is_on_gpu
from machmeter.run.results.disturbed import LaunchAsSeen, disturbed_estimates, with_disturbed
from machmeter.run.results.findings import RunFacts, findings
from machmeter.run.results.mpi_caveats import (
    LibraryLatency,
    failed_library_caveats,
    other_library_caveats,
    system_time_caveats,
)
from machmeter.run.results.observed import (
    Observed,
    observed_with,
    threads_that_worked,
    with_what_was_seen,
)
from machmeter.run.results.protocol_curves import protocol_curves
from machmeter.run.results.resolved import blas_caveats, reference_caveats, resolved_with
from machmeter.run.results.resource_use import LaunchUse, resource_use
from machmeter.run.results.unlike_hosts import unlike_hosts_caveats
from machmeter.store.run_folder import RunFolder, as_written

_LONGEST_SECONDS = 1e12


def collect(folder: RunFolder) -> RunResult:
    """The result of the run in `folder`, finished or not.

    Noise that cannot be is left out, with a warning. Raises MachmeterError when the run was
    interrupted before it had a plan, or its files hold what machmeter does not write.
    """
    plan = _plan(folder)
    own_benchmarks = folder.header().request.study.benchmarks
    tally = Tally(plan.precision, own_benchmarks, folder.header().request.twin)
    outcomes: list[LaunchOutcome] = []
    others: list[LaunchOutcome] = []
    noises: list[Noise] = []
    readings: list[tuple[Noise, Noise, float]] = []
    builds: dict[tuple[str, Toolchain], None] = {}
    ran: dict[str, ObservedBuild] = {}
    shown: dict[str, ShownPoint] = {}
    observed = Observed()
    resolved: dict[str, ResolvedProgram] = {}
    kept: list[LaunchAsSeen] = []
    timed = 0.0
    usable = cpu_numbers(folder.header().machine.topology)
    for number in folder.launch_numbers():
        outcome = folder.outcome(number)
        if outcome is None:
            continue
        record, launch = folder.record(number), folder.launch(number)
        outcome = as_it_stands(outcome, launch, record, usable)
        (others if launch.spec.of_other_library else outcomes).append(outcome)
        with as_written(f"launch {number} of the run in {folder.path}"):
            _check_launch(number, launch, outcome)
            tally.add(launch.spec, outcome, record)
        if outcome.disturbed or is_on_gpu(record):
            kept.append(LaunchAsSeen(launch.spec, outcome, record))
        if outcome.verdict is Verdict.ACCEPTED:
            # Hosts of what is launched no more are not those that results are of.
            of_candidate = not (
                launch.spec.of_other_library
                or launch.spec.variant.is_baseline
                or launch.spec.name in (plan.superseded or ())
            )
            if of_candidate and find(launch.spec.benchmark, own_benchmarks).shows_samples:
                shown |= _shown(launch.spec, outcome, record)
            noises += _noises(record)
            readings += _readings(record, outcome)
            if not launch.spec.is_ours:
                observed = with_what_was_seen(observed, launch.spec, record)
            timed += record.closing.timed_seconds if record.closing else 0.0
            if build := ran_by(launch.spec, record.header):
                builds[_program(launch.spec), build.toolchain] = None
                ran.setdefault(launch.spec.name, build)
            if of_candidate and record.header is not None:
                observed = observed_with(
                    *(observed, launch.spec, record.header, record.closing, record.observed),
                    elsewhere=launch.nodes_moved,
                )
                resolved = resolved_with(resolved, launch.spec, record)
    with as_written(f"the run in {folder.path}"):
        _check_length(folder.state().wall_seconds)
        steal = steal_shares(readings, len(folder.header().machine.topology.cpus))
        result = _result(folder, plan, tally, outcomes, noises, builds, ran, timed, observed, steal)
        caveats = (
            *result.caveats,
            *failed_library_caveats(others),
            *not_observed_caveats(len(observed.without)),
            *not_verified_caveats(observed.threads_unseen),
            *reference_caveats(plan, resolved),
            *blas_caveats(resolved),
            *among_others_caveats(folder.header().request.among_others),
        )
        result = replace(
            result,
            caveats=gravest_first(with_contention(caveats, outcomes)),
            resolved=tuple(resolved.values()),
            shown=tuple(shown.values()),
            device_uses=device_uses([o for o in kept if o.outcome.verdict is Verdict.ACCEPTED]),
        )
        contended = [one for one in kept if one.outcome.disturbed]
        apart = disturbed_estimates(plan, tally, contended, own_benchmarks)
        return compared(with_disturbed(result, apart))


def _shown(spec: LaunchSpec, outcome: LaunchOutcome, record: Record) -> dict[str, ShownPoint]:
    """The usable points of a launch whose raw series a report shows, by key."""
    points = {p.key: (p, r) for r in record.points for p in [spec.point(r.parameters)]}
    return {
        key: ShownPoint(point, outcome.launch, recorded)
        for key, (point, recorded) in points.items()
        if key not in outcome.dropped_points
    }


def _plan(folder: RunFolder) -> Plan:
    plan = folder.plan()
    if plan is None:
        raise MachmeterError(
            f"run {folder.header().id} in {folder.path} was interrupted before it measured "
            "anything",
            f"go on with `machmeter run --resume {folder.path}`",
        )
    return plan


def _check_launch(number: int, launch: Launch, outcome: LaunchOutcome) -> None:
    """Raises ValueError for files that are of no one launch."""
    if not launch.number == outcome.launch == number:
        raise ValueError("its files are of different launches")
    _check_length(outcome.wall_seconds)


def _check_length(seconds: float) -> None:
    """Raises ValueError for a length that sums and rates cannot be made of."""
    if not abs(seconds) <= _LONGEST_SECONDS:
        raise ValueError(f"it took {seconds} s")


def _result(  # noqa: PLR0913, PLR0917 - a result is made of all that the files hold
    folder: RunFolder,
    plan: Plan,
    tally: Tally,
    outcomes: Sequence[LaunchOutcome],
    noises: Sequence[Noise],
    builds: Mapping[tuple[str, Toolchain], None],
    ran: Mapping[str, ObservedBuild],
    timed: float,
    observed: Observed,
    steal: Mapping[str, float],
) -> RunResult:
    header, state = folder.header(), folder.state()
    of_study = header.request.study.benchmarks
    points = [spec for spec in plan.specs if spec.gives_results and _is_named(spec, plan, of_study)]
    racing = [spec for spec in points if spec.of_points]
    by_role = {role: [s for s in points if s.variant.role is role] for role in Role}
    estimates, of_baseline = (
        tuple(
            replace(one, mpi_library=_library(ran.get(spec.name)))
            for spec in by_role[role]
            for one in tally.estimates(spec)
        )
        for role in Role
    )
    own = replace(plan, specs=plan.own_specs)
    old = result_of_baseline(header, plan, of_baseline, ran)
    noise, unsound = _noise(noises)
    drift = _drift(plan, tally)
    ended = _points_of(own, plan.superseded or ())
    no_answer = ended | _points_of(own, observed.without)
    ranked = [one for one in estimates if one.point not in no_answer]
    dropped = dropped_out(racing, tally, of_study) if plan.precision.race else ()
    knees = _knees(own, tally)
    cache = plan.last_cache or last_cache(
        header.machine.topology.last_cache_bytes(), knees[max(knees, key=int)] if knees else ()
    )
    launched = sum(outcome.wall_seconds for outcome in outcomes)
    return RunResult(
        header=header,
        state=state.state,
        plan=plan,
        estimates=estimates,
        outcomes=tuple(outcomes),
        knees=knees,
        last_cache=cache,
        findings=findings(
            own,
            header.machine,
            ranked,
            RunFacts(
                observed.rank_hosts,
                observed.hosts,
                frozenset(one.name for one in dropped),
                threads_that_worked(observed, own.specs),
                header.thread_settings,
            ),
        ),
        drift=drift,
        noise=noise,
        time_use=TimeUse(wall=state.wall_seconds, launches=launched, timed=timed),
        caveats=gravest_first(
            (
                *simulated_caveats(header.request.twin),
                *run_caveats(header.machine, plan, outcomes, drift, noise, builds, steal),
                *few_launches_caveats(plan, outcomes, {one.name for one in dropped}),
                *cache_caveats(cache),
                *missing_caveats(folder.missing_launches()),
                *one_host_caveats(observed.rank_hosts, header.request.layout_options.hosts),
                *one_machine_caveats(observed.one_machine),
                *unlike_hosts_caveats(observed.hosts, observed.with_other_cpus),
                *adapter_caveats(header.machine, observed.rank_hosts),
                *system_time_caveats(observed.system_times, header.machine.architecture),
                *_other_library(header.request, plan, tally, ran),
                *not_as_then(header.baseline, plan, ran),
                *no_difference(old),
                *(Caveat(CaveatKind.UNSOUND_NOISE, _unsound_text(one)) for one in unsound),
            )
        ),
        toolchain=candidate_toolchain(own, ran) if _measures_ours(header.request) else None,
        protocols=protocol_curves(estimates),
        rank_hosts=observed.rank_hosts,
        node_classes=node_classes(hosts_in_order(observed.rank_hosts), observed.hosts) or UNSET,
        node_attributes=(
            differing_attributes(hosts_in_order(observed.rank_hosts), observed.hosts) or UNSET
            if any(NODE in dict(one.point.parameters) for one in estimates)
            else UNSET
        ),
        transports=observed.transports,
        mpi_libraries=_mpi_libraries(own, ran),
        baseline=old,
        kernel_hashes={
            ran[spec.name].benchmark: ran[spec.name].toolchain.kernel_hash
            for spec in own.specs
            if spec.name in ran
        },
        precision=None
        if header.request.origin.is_quoted
        else precision_reached(
            [one for one in estimates if one.point not in ended],
            plan.precision,
            state.wall_seconds,
        ),
        steal=dict(steal),
        dropped_out=dropped,
        resource_use=_resource_use(own, observed),
        not_observed=tuple(dict.fromkeys(observed.without)),
        tried=folder.tried(),
    )


def _is_named(spec: LaunchSpec, plan: Plan, own: Sequence[Benchmark]) -> bool:
    """Whether what its results are of can be named: where hosts were lost, numbers of hosts are of
    those that are left."""
    return spec.name not in (plan.superseded or ()) or not tells_hosts_apart(spec, own)


def _points_of(plan: Plan, specs: Collection[str]) -> set[Point]:
    return {point for spec in plan.specs if spec.name in specs for point in spec.points}


def _resource_use(plan: Plan, observed: Observed) -> tuple[ResourceUse, ...]:
    """Of each spec of a program that is not ours of which a launch was observed."""
    found: dict[str, list[LaunchUse]] = {spec.name: [] for spec in plan.specs}
    for name, use in observed.uses:
        # A plan that was read while the run went on may lack what was added since.
        if name in found:
            found[name].append(use)
    return tuple(resource_use(name, uses) for name, uses in found.items() if uses)


def _library(build: ObservedBuild | None) -> str:
    """The MPI library that a result is of; that of a program that is not ours is not known."""
    if build is None or build.program != MPI_PROGRAM.name:
        return ""
    return library_name(build.toolchain.mpi_library)


def _mpi_libraries(plan: Plan, ran: Mapping[str, ObservedBuild]) -> dict[str, str]:
    """What MPI libraries call themselves, by their names in variants."""
    builds = [ran[spec.name] for spec in plan.specs if spec.name in ran]
    return {one.mpi: one.toolchain.mpi_library for one in builds if one.program == MPI_PROGRAM.name}


def _measures_ours(request: Request) -> bool:
    """Whether any program is ours: the toolchain of the reference kernel, which every run has, says
    nothing of others."""
    return any(one.command is None and not one.lacks for one in request.study.experiments)


def _other_library(
    request: Request, plan: Plan, tally: Tally, ran: Mapping[str, ObservedBuild]
) -> list[Caveat]:
    """That the library that measured is far from another one, in the launches of that."""

    def latency(spec: LaunchSpec, point: Point) -> LibraryLatency:
        said = ran[spec.name].toolchain.mpi_library if spec.name in ran else ""
        name = spec.variant.mpi or request.mpi
        return LibraryLatency(name, said or name, tally.values(spec, point, "latency"))

    other = next((spec for spec in plan.specs if spec.of_other_library), None)
    measured = ((spec, small_message(spec)) for spec in plan.specs)
    ours = next((latency(spec, point) for spec, point in measured if point is not None), None)
    if other is None or ours is None:
        return []
    return other_library_caveats(ours, latency(other, other.points[0]))


def _unsound_text(problem: str) -> str:
    return f"left out of the noise: {problem}"


def _noises(record: Record) -> tuple[Noise, ...]:
    before = record.header.noise if record.header else ()
    after = record.closing.noise if record.closing else ()
    return (*before, *after)


def _readings(record: Record, outcome: LaunchOutcome) -> list[tuple[Noise, Noise, float]]:
    """Noise of each host before and after one launch, and how long that took."""
    if record.header is None or record.closing is None:
        return []
    after = {noise.host: noise for noise in record.closing.noise}
    return [
        (before, after[before.host], outcome.wall_seconds)
        for before in record.header.noise
        if before.host in after and outcome.wall_seconds > 0
    ]


def _noise(noises: Sequence[Noise]) -> tuple[tuple[NoiseSummary, ...], tuple[str, ...]]:
    """A summary of what can be, and what is wrong with the others, each problem once."""
    with suppress(ValueError):
        return summarize_noise(noises), ()
    sound, problems = [], []
    for noise in noises:
        try:
            check_noise(noise)
            sound.append(noise)
        except ValueError as error:
            problems.append(str(error))
    return summarize_noise(sound), tuple(dict.fromkeys(problems))


def _program(spec: LaunchSpec) -> str:
    return " of ".join(filter(None, (spec.program, spec.variant.name)))


def _knees(plan: Plan, tally: Tally) -> dict[str, tuple[Knee, ...]]:
    """Of each curve, the working sets of which may be divided between several specs."""
    curves: dict[Layout, list[LaunchSpec]] = {}
    for spec in plan.specs:
        if spec.benchmark == LATENCY.name:
            curves.setdefault(spec.layout, []).append(spec)
    return {
        str(layout.page_bytes): knees
        for layout, specs in curves.items()
        if (knees := knees_of(tally, *specs))
    }


def _drift(plan: Plan, tally: Tally) -> tuple[ReferenceDrift, ...]:
    by_name = {spec.name: spec for spec in plan.specs}
    if all(spec.simulated for spec in plan.specs):
        return ()
    start, end = by_name[REFERENCE_START], by_name[REFERENCE_END]
    metric = REFERENCE.metrics[0].name
    found = []
    for point in start.points:
        before, after = (tally.values(spec, point, metric) for spec in (start, end))
        if before and after:
            found.append(reference_drift(str(point.get("part")), before, after))
    return tuple(found)

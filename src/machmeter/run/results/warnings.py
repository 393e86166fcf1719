"""What a person should know before believing the figures, each with its remedy. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from machmeter.analysis.stats.drift import drifted
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, Toolchain, Verdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import NoiseSummary, Plan, ReferenceDrift
from machmeter.model.units import format_bytes
from machmeter.run.planning.schedule import given_up

_NOISY_P99 = 1.10


def run_warnings(
    machine: Machine,
    plan: Plan,
    outcomes: Sequence[LaunchOutcome],
    estimates: Sequence[Estimate],
    drift: Sequence[ReferenceDrift],
    noise: Sequence[NoiseSummary],
    builds: Iterable[tuple[str, Toolchain]] = (),
) -> tuple[str, ...]:
    """Every warning of a run, the gravest first.

    builds: each program that accepted launches ran, with its MPI where there are several, and what
    it was built with.
    """
    return (
        *_launches(outcomes),
        *_given_up(plan, outcomes),
        *_builds(builds),
        *_drift(drift),
        *_precision(plan, outcomes, estimates),
        *_dropped(outcomes),
        *_noise(noise),
        *_machine(machine),
        *(f"not measured: {skipped.what}: {skipped.reason}" for skipped in plan.skipped),
    )


def _launches(outcomes: Sequence[LaunchOutcome]) -> list[str]:
    bad = [o for o in outcomes if o.verdict is not Verdict.ACCEPTED]
    grouped: dict[tuple[str, Verdict, str], list[int]] = defaultdict(list)
    for o in bad:
        grouped[o.spec, o.verdict, o.reasons[0] if o.reasons else ""].append(o.launch)
    return [
        f"{len(numbers)} launch{'es' * (len(numbers) > 1)} {verdict.value}: {spec}: {reason} "
        f"(see launches/{numbers[0]:05d}*)"
        for (spec, verdict, reason), numbers in grouped.items()
    ]


def _abandoned(plan: Plan, outcomes: Sequence[LaunchOutcome]) -> list[LaunchSpec]:
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for outcome in outcomes:
        if not outcome.interrupted:
            verdicts[outcome.spec].append(outcome.verdict)
    return [spec for spec in plan.specs if given_up(verdicts[spec.name])]


def _given_up(plan: Plan, outcomes: Sequence[LaunchOutcome]) -> list[str]:
    return [
        f"given up: {spec.name}: its last launches all failed or did not end: start a new run once "
        "their cause is mended"
        for spec in _abandoned(plan, outcomes)
    ]


def _builds(builds: Iterable[tuple[str, Toolchain]]) -> list[str]:
    """Each program of a run is to be of one build."""
    by_program: dict[str, set[str]] = defaultdict(set)
    for program, toolchain in builds:
        by_program[program].add(" ".join(filter(None, _named(toolchain))))
    return [
        f"launches of more than one build of {program} are in this run "
        f"({'; '.join(sorted(several))}): measure again in a new run"
        for program, several in by_program.items()
        if len(several) > 1
    ]


def _named(toolchain: Toolchain) -> tuple[str, ...]:
    built = toolchain.compiler, toolchain.flags, toolchain.source_hash
    return (*built, toolchain.mpi_library)


def _dropped(outcomes: Sequence[LaunchOutcome]) -> list[str]:
    counted = Counter(item for o in outcomes for item in o.dropped_points.items())
    return [
        f"dropped in {count} launch{'es' * (count > 1)}: {key}: {reason}"
        for (key, reason), count in counted.items()
    ]


def _precision(
    plan: Plan, outcomes: Sequence[LaunchOutcome], estimates: Sequence[Estimate]
) -> list[str]:
    missed = [e for e in estimates if not e.reached and e.resolved]
    if not missed:
        return []
    few = sum(e.launches < plan.precision.least_launches for e in missed)
    hint = f"; {few} of them have fewer than {plan.precision.least_launches} launches" * (few > 0)
    accepted = Counter(o.spec for o in outcomes if o.verdict is Verdict.ACCEPTED)
    missing = {e.point for e in missed}
    # What has a fixed number of launches reaches no precision by more of anything.
    open_ended = [spec for spec in plan.specs if not spec.most_launches]
    specs = [spec for spec in open_ended if missing.intersection(spec.points)]
    most = [spec for spec in specs if accepted[spec.name] >= plan.precision.most_launches]
    abandoned = _abandoned(plan, outcomes)
    remedies = [
        *["allow more launches with --max-launches"] * bool(most),
        *["start a new run with a longer --budget"]
        * any(spec not in most and spec not in abandoned for spec in specs),
    ]
    text = (
        f"±{100 * plan.precision.half_width:g} % was not reached for {len(missed)} of "
        f"{len(estimates)} results{hint}"
    )
    return [": ".join(filter(None, (text, ", and ".join(remedies))))]


def _drift(drift: Sequence[ReferenceDrift]) -> list[str]:
    return [
        f"performance drifted during the run: the reference kernel ({d.part}) took {d.ratio:.3f} "
        f"[{d.low:.3f}, {d.high:.3f}] times as long at the end: measure again on a quiet machine "
        "before comparing this run with others"
        for d in drift
        if drifted(d)
    ]


def _noise(noise: Sequence[NoiseSummary]) -> list[str]:
    noisy = [n for n in noise if n.p99_slowdown > _NOISY_P99]
    if not noisy:
        return []
    worst = max(noisy, key=lambda n: n.p99_slowdown)
    return [
        f"noise: on {len(noisy)} of {len(noise)} CPUs one piece of fixed work in a hundred took "
        f"{worst.p99_slowdown:.2f} times as long or more (CPU {worst.cpu}, worst "
        f"{worst.worst_slowdown:.1f}): stop other work on the machine"
    ]


def _machine(machine: Machine) -> list[str]:
    found = []
    software = machine.software
    if software.hypervisor:
        found.append(
            f"virtual machine ({software.hypervisor}): neighbors share caches and memory; caches "
            "as described by the system may not be what you get"
        )
    if software.governor not in ("", "performance"):
        found.append(
            f"frequency governor {software.governor}: as root, `cpupower frequency-set -g "
            "performance`"
        )
    if machine.memory.limit_bytes and machine.memory.limit_bytes < machine.memory.total_bytes:
        found.append(
            f"memory is limited to {format_bytes(machine.memory.limit_bytes)} by a cgroup: arrays "
            "are kept within it; raise memory.max, or ask the batch system for more memory"
        )
    if machine.cpu_quota and machine.cpu_quota < len(machine.topology.usable):
        found.append(
            f"a cgroup allows {machine.cpu_quota:g} CPUs of time for "
            f"{len(machine.topology.usable)} CPUs: threads are stopped in the middle; raise cpu.max"
        )
    return found

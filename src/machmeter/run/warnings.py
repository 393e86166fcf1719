"""What a person should know before believing the figures, each with its remedy. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from machmeter.analysis.drift import drifted
from machmeter.model.estimate import Estimate
from machmeter.model.launch import Outcome, Verdict
from machmeter.model.machine import Machine
from machmeter.model.run import NoiseSummary, Plan, ReferenceDrift
from machmeter.model.units import format_bytes

_NOISY_P99 = 1.10


def run_warnings(
    machine: Machine,
    plan: Plan,
    outcomes: Sequence[Outcome],
    estimates: Sequence[Estimate],
    drift: Sequence[ReferenceDrift],
    noise: Sequence[NoiseSummary],
) -> tuple[str, ...]:
    """Every warning of a run, the gravest first."""
    return (
        *_launches(outcomes),
        *_dropped(outcomes),
        *(f"not measured: {skipped.what}: {skipped.reason}" for skipped in plan.skipped),
        *_precision(plan, estimates),
        *_drift(drift),
        *_noise(noise),
        *_machine(machine),
    )


def _launches(outcomes: Sequence[Outcome]) -> list[str]:
    bad = [o for o in outcomes if o.verdict is not Verdict.ACCEPTED]
    counted = Counter((o.spec, o.verdict, o.reasons[0] if o.reasons else "") for o in bad)
    return [
        f"{count} launch{'es' * (count > 1)} {verdict.value}: {spec}: {reason}"
        for (spec, verdict, reason), count in counted.items()
    ]


def _dropped(outcomes: Sequence[Outcome]) -> list[str]:
    counted = Counter(item for o in outcomes for item in o.dropped_points.items())
    return [
        f"dropped in {count} launch{'es' * (count > 1)}: {key}: {reason}"
        for (key, reason), count in counted.items()
    ]


def _precision(plan: Plan, estimates: Sequence[Estimate]) -> list[str]:
    missed = [e for e in estimates if not e.reached and e.resolved]
    if not missed:
        return []
    few = sum(e.launches < plan.precision.least_launches for e in missed)
    hint = f"; {few} of them have fewer than {plan.precision.least_launches} launches" * (few > 0)
    return [
        f"±{100 * plan.precision.half_width:g} % was not reached for {len(missed)} of "
        f"{len(estimates)} figures{hint}: give more time with --budget"
    ]


def _drift(drift: Sequence[ReferenceDrift]) -> list[str]:
    return [
        f"the machine itself drifted: the reference kernel ({d.part}) took {d.ratio:.3f} "
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
        found.append(f"memory is limited to {format_bytes(machine.memory.limit_bytes)} by a cgroup")
    if machine.cpu_quota and machine.cpu_quota < len(machine.topology.usable):
        found.append(
            f"a cgroup allows {machine.cpu_quota:g} CPUs of time for "
            f"{len(machine.topology.usable)} CPUs: threads are stopped in the middle; raise cpu.max"
        )
    return found

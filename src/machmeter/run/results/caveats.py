"""What a reader must know before trusting the results of a run, each with its remedy. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from machmeter.analysis.scaling.hardware import network_limit
from machmeter.analysis.stats.drift import drifted
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, Toolchain, Verdict
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.curves import LastCache
from machmeter.model.results.run import NoiseSummary, Plan, ReferenceDrift
from machmeter.model.twin import Twin, TwinBasis
from machmeter.model.units import format_bytes
from machmeter.run.measuring.hosts.lost import lost_text
from machmeter.run.planning.schedule import given_up
from machmeter.text.hardware.adapters import held_back_text
from machmeter.text.numbers import count_text
from machmeter.text.results import last_cache_text

_NOISY_P99 = 1.10
_WORTH_STATING = 0.005
# Budgets that people type: seconds in steps of which a few suffice.
_BUDGET_STEPS, _MOST_STEPS, _BUDGET_MARGIN = (10, 30, 60, 300, 600), 12, 1.1
_MOST_NAMED = 3
_MORE_CPUS = "ask for as many CPUs on every node (Slurm: --exclusive)"
# More last words than these hold numbers of processes, addresses and the like.
_MOST_WORDS = 4
_REASONS_OF_FAILED = 2
_UNLIKE_DESCRIPTION = 4


def run_caveats(
    machine: Machine,
    plan: Plan,
    outcomes: Sequence[LaunchOutcome],
    drift: Sequence[ReferenceDrift],
    noise: Sequence[NoiseSummary],
    builds: Iterable[tuple[str, Toolchain]] = (),
    steal: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Caveat, ...]:
    """Every caveat of a run.

    builds: each program that accepted launches ran, with its MPI where there are several, and what
    it was built with; steal: the share of CPU time that other
    guests took, by host.
    """
    return (
        *_lost_hosts(outcomes),
        *_launches(plan, outcomes),
        *_given_up(plan, outcomes),
        *_builds(builds),
        *_drift(drift),
        *_dropped(outcomes),
        *_virtual_machine(machine, steal),
        *_noise(noise),
        *_limits(machine),
        *_not_measured(plan),
    )


def simulated_caveats(twin: Twin | None) -> tuple[Caveat, ...]:
    """That nothing was measured, what the model rests on, and how far it may be off."""
    if twin is None:
        return ()
    bases = Counter(one.basis for one in twin.parameters)
    numbers = ", ".join(f"{bases[basis]} {basis.value}" for basis in TwinBasis if bases[basis])
    changed = ", ".join(one.name for one in twin.parameters if one.changed)
    known = twin.bands
    widest = max((one.share for one in known), default=0.0)
    error = f"off by up to {100 * widest:.0f} % where that is known" if known else "error unknown"
    return (
        Caveat(
            CaveatKind.SIMULATED,
            f"simulated on a model of {twin.name}, nothing was measured; of the model's parameters "
            f"{numbers}; {error}" + f"; changed: {changed}" * bool(changed),
        ),
    )


def cache_caveats(cache: LastCache) -> tuple[Caveat, ...]:
    """The caveat of a last cache that behaves as one four times smaller or larger than described"""
    one, other = sorted((cache.described, cache.measured))
    if not one or other <= _UNLIKE_DESCRIPTION * one:
        return ()
    text = f"Last cache: {last_cache_text(cache)}: neighbors may share it, or a virtual machine "
    return (
        Caveat(
            CaveatKind.CACHE,
            text + "may describe another processor",
            "set sizes with --set size=... where results of several machines are compared",
        ),
    )


def _launches(plan: Plan, outcomes: Sequence[LaunchOutcome]) -> list[Caveat]:
    program_of = {spec.name: spec.benchmark for spec in plan.specs if not spec.is_ours}
    # What others do on the machine has nothing to do with a layout (see `with_contention`).
    apart = [o for o in outcomes if o.disturbed or o.lost_hosts]
    bad = [o for o in outcomes if o.verdict is not Verdict.ACCEPTED and o not in apart]
    grouped: dict[tuple[str, Verdict, str], list[LaunchOutcome]] = defaultdict(list)
    for o in bad:
        # Shares that others took are never the same (in runs from before `disturbed` was kept).
        contended = o.verdict is Verdict.CONTENDED
        why = o.reasons[0] if o.reasons and not contended else ""
        # Nor has most often what a program ends with that is the same under every layout.
        whose = program_of.get(o.spec, o.spec) if o.verdict is Verdict.FAILED else o.spec
        grouped["" if contended else whose, o.verdict, why].append(o)
    return [
        Caveat(
            CaveatKind.FAILED_LAUNCHES,
            f"{count_text(len(ended), 'launch', 'launches')} {verdict.value}: "
            f"{_of_layouts(ended)}: {_why(ended[0])} (see launches/{ended[0].launch:05d}*)",
        )
        for (_, verdict, _), group in grouped.items()
        for ended in (
            _by_words(group)
            if verdict is Verdict.FAILED and group[0].spec in program_of
            else [group]
        )
    ]


def _lost_hosts(outcomes: Sequence[LaunchOutcome]) -> list[Caveat]:
    return [
        Caveat(
            CaveatKind.LOST_HOSTS,
            f"{lost_text(o.lost_hosts)} since launch {o.launch}: what was measured after it is of "
            "the other hosts",
            _MORE_CPUS
            if all(one.lacks_cpus for one in o.lost_hosts)
            else "have it looked at before other jobs get it, and measure it by itself",
        )
        for o in outcomes
        if o.lost_hosts
    ]


def _by_words(outcomes: Sequence[LaunchOutcome]) -> list[list[LaunchOutcome]]:
    """Launches of one program that failed with one exit code, by what it said where that is one of
    a few things."""
    by_words: dict[tuple[str, ...], list[LaunchOutcome]] = defaultdict(list)
    for one in outcomes:
        by_words[one.reasons[1:_REASONS_OF_FAILED]].append(one)
    return list(by_words.values()) if len(by_words) <= _MOST_WORDS else [list(outcomes)]


def _of_layouts(outcomes: Sequence[LaunchOutcome]) -> str:
    return _first_of(list(dict.fromkeys(one.spec for one in outcomes)))


def _first_of(specs: Sequence[str]) -> str:
    more = count_text(len(specs) - 1, "other layout", "other layouts")
    return specs[0] + f" and {more}" * (len(specs) > 1)


def _why(outcome: LaunchOutcome) -> str:
    """The first reason; of a program that failed also what it said."""
    count = _REASONS_OF_FAILED if outcome.verdict is Verdict.FAILED else 1
    return "; ".join(outcome.reasons[:count])


def _abandoned(plan: Plan, outcomes: Sequence[LaunchOutcome]) -> list[LaunchSpec]:
    """Those that others disturbed too often are not among them."""
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for outcome in outcomes:
        if not (outcome.interrupted or outcome.lost_hosts):
            verdicts[outcome.spec].append(outcome.verdict)
    return [
        spec
        for spec in plan.specs
        if given_up(verdicts[spec.name]) and Verdict.CONTENDED not in verdicts[spec.name][-1:]
    ]


def _given_up(plan: Plan, outcomes: Sequence[LaunchOutcome]) -> list[Caveat]:
    """Of a program that is not ours all layouts at once; each of ours has a cause of its own."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for spec in _abandoned(plan, outcomes):
        grouped[spec.name if spec.is_ours else spec.benchmark].append(spec.name)
    return [
        Caveat(
            CaveatKind.GIVEN_UP,
            f"given up: {_first_of(names)}: {'its' if len(names) == 1 else 'their'} last launches "
            "all failed or did not end",
            "start a new run once their cause is mended",
        )
        for names in grouped.values()
    ]


def _builds(builds: Iterable[tuple[str, Toolchain]]) -> list[Caveat]:
    """Each program of a run is to be of one build."""
    by_program: dict[str, set[str]] = defaultdict(set)
    for program, toolchain in builds:
        by_program[program].add(" ".join(filter(None, _named(toolchain))))
    return [
        Caveat(
            CaveatKind.SEVERAL_BUILDS,
            f"launches of more than one build of {program} are in this run "
            f"({'; '.join(sorted(several))})",
            "measure again in a new run",
        )
        for program, several in by_program.items()
        if len(several) > 1
    ]


def _named(toolchain: Toolchain) -> tuple[str, ...]:
    built = toolchain.compiler, toolchain.flags, toolchain.source_hash
    return (*built, toolchain.mpi_library)


def few_launches_caveats(
    plan: Plan, outcomes: Sequence[LaunchOutcome], dropped: Collection[str] = ()
) -> list[Caveat]:
    """Of layouts that were not launched as often as an interval needs, or not at all.

    dropped: those that dropped out of a race.
    """
    accepted = Counter(o.spec for o in outcomes if o.verdict is Verdict.ACCEPTED)
    least = plan.precision.least_launches
    abandoned = _abandoned(plan, outcomes)
    specs = [
        spec
        for spec in plan.specs
        if spec.of_points
        and not spec.most_launches
        and spec not in abandoned
        and spec.name not in dropped
        and spec.name not in (plan.superseded or ())
    ]
    counts = [accepted[spec.name] for spec in specs if accepted[spec.name] < least]
    if not counts or not outcomes:
        return []
    fewest, most = min(counts), max(counts)
    seen = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return [
        Caveat(
            CaveatKind.FEW_LAUNCHES,
            f"too few launches: {seen} for {_which(len(counts), len(specs))}, {least} needed",
            f"run it again with --budget {_budget_for(specs, outcomes, least)}",
        )
    ]


def _which(some: int, layouts: int) -> str:
    if layouts == 1:
        return "the only layout"
    return "each layout" if some == layouts else f"{some} of {layouts} layouts"


def _budget_for(specs: Sequence[LaunchSpec], outcomes: Sequence[LaunchOutcome], least: int) -> str:
    """The time that `least` launches of every spec take, from those made, rounded up to read; never
    less than was spent."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.verdict is Verdict.ACCEPTED:
            seconds[outcome.spec].append(outcome.wall_seconds)
    made = [wall for walls in seconds.values() for wall in walls]
    usual = sum(made) / len(made) if made else 1.0
    others = sum(sum(walls) for name, walls in seconds.items() if name not in _names(specs))
    needed = others + sum(
        (sum(walls) / len(walls) if (walls := seconds[spec.name]) else usual)
        * max(least, len(walls))
        for spec in specs
    )
    waits = sum(one.waited.seconds for one in outcomes if one.waited)
    needed = max(needed, sum(one.wall_seconds for one in outcomes) + waits)
    step = next(step for step in _BUDGET_STEPS if needed <= _MOST_STEPS * step or step >= 600)
    rounded = math.ceil(needed * _BUDGET_MARGIN / step) * step
    return f"{rounded}s" if rounded % 60 else f"{rounded // 60}min"


def _names(specs: Sequence[LaunchSpec]) -> set[str]:
    return {spec.name for spec in specs}


def not_observed_caveats(launches: int) -> list[Caveat]:
    """That launches of a program that is not ours were counted by an older version without a look
    at their ranks."""
    if not launches:
        return []
    return [
        Caveat(
            CaveatKind.NOT_OBSERVED,
            f"{count_text(launches, 'launch was', 'launches were')} not observed: nobody saw ranks "
            "of the program; their results are shown and not compared",
            "measure again with this version",
        )
    ]


def not_verified_caveats(unseen: int) -> list[Caveat]:
    """That threads of a program that is not ours were not observed; unseen: in how many launches
    that count."""
    if not unseen:
        return []
    return [
        Caveat(
            CaveatKind.NOT_VERIFIED,
            f"{count_text(unseen, 'launch was', 'launches were')} too short or too idle to observe "
            "threads of the program: these were placed as requested, which nobody saw",
        )
    ]


def one_host_caveats(rank_hosts: Sequence[str], requested: Sequence[str] = ()) -> list[Caveat]:
    """That several ranks ran on one host only; rank_hosts: the host of each rank; requested: the
    hosts that the run named."""
    if len(rank_hosts) < 2 or len(set(rank_hosts)) > 1:
        return []
    return [
        Caveat(
            CaveatKind.ONE_HOST,
            "all ranks ran on one host: messages pass through its memory, not a network",
            "" if len(requested) > 1 else "name several with --hosts",
        )
    ]


def one_machine_caveats(names: Sequence[str]) -> list[Caveat]:
    """That nodes were names of one machine, as requested; empty names: none were."""
    if not names:
        return []
    return [
        Caveat(
            CaveatKind.ONE_MACHINE,
            f"nodes {_few_of(names)} were one machine (--one-machine), by one kernel: no result is "
            "of a network, and no node had its CPUs and memory to itself",
            "name hosts that are machines of their own",
        )
    ]


def adapter_caveats(machine: Machine, rank_hosts: Sequence[str]) -> list[Caveat]:
    """That slots of network adapters are slower than their links, where ranks ran on several hosts;
    machine: the one that was described, which stands for the others."""
    if len(set(rank_hosts)) < 2:
        return []
    used = network_limit(machine)
    slow = [
        held_back_text(one) for one in (used.adapters if used else ()) if one.is_limited_by_slot
    ]
    return [Caveat(CaveatKind.ADAPTER, f"on {machine.host} {text}", why) for text, why in slow]


def missing_caveats(missing: Sequence[range]) -> list[Caveat]:
    """That files of launches were removed from the run; missing: their numbers."""
    if not missing:
        return []
    named = ", ".join(
        str(gap.start) if len(gap) == 1 else f"{gap.start} to {gap.stop - 1}"
        for gap in missing[:_MOST_NAMED]
    )
    more = ", ..." if len(missing) > _MOST_NAMED else ""
    lost = count_text(sum(map(len, missing)), "launch", "launches")
    return [
        Caveat(
            CaveatKind.FAILED_LAUNCHES,
            f"the files of {lost} are missing: {named}{more}",
            "restore them, or measure again: what is left may be a selection",
        )
    ]


def _dropped(outcomes: Sequence[LaunchOutcome]) -> list[Caveat]:
    counted = Counter(item for o in outcomes for item in o.dropped_points.items())
    return [
        Caveat(
            CaveatKind.DROPPED_POINTS,
            f"dropped in {count_text(count, 'launch', 'launches')}: {key}: {reason}",
        )
        for (key, reason), count in counted.items()
    ]


def _drift(drift: Sequence[ReferenceDrift]) -> list[Caveat]:
    return [
        Caveat(
            CaveatKind.DRIFT,
            f"performance drifted during the run: the reference kernel ({d.part}) took "
            f"{d.ratio:.2f}x [{d.low:.2f}, {d.high:.2f}] the time at the end",
            "measure again on a quiet machine before comparing this run with others",
        )
        for d in drift
        if drifted(d)
    ]


def _virtual_machine(machine: Machine, steal: Mapping[str, float]) -> list[Caveat]:
    hypervisor = machine.software.hypervisor
    if not hypervisor:
        return []
    most = max(steal.values(), default=0.0)
    stolen = f" and took {100 * most:.1f} % of CPU time" if most >= _WORTH_STATING else ""
    return [
        Caveat(
            CaveatKind.VIRTUAL_MACHINE,
            f"virtual machine ({hypervisor}): neighbors share caches and memory{stolen}",
        )
    ]


def _noise(noise: Sequence[NoiseSummary]) -> list[Caveat]:
    noisy = [n for n in noise if n.p99_slowdown > _NOISY_P99]
    if not noisy:
        return []
    worst = max(noisy, key=lambda n: n.p99_slowdown)
    return [
        Caveat(
            CaveatKind.NOISE,
            f"OS noise on {len(noisy)} of {count_text(len(noise), 'CPU', 'CPUs')}: the slowest 1 % "
            f"of fixed-work intervals took at least {worst.p99_slowdown:.2f}x the time of the "
            f"fastest tenth (worst {worst.worst_slowdown:.0f}x)",
            "stop other work before measuring again",
        )
    ]


def _limits(machine: Machine) -> list[Caveat]:
    found = []
    software = machine.software
    if software.governor not in {"", "performance"}:
        text = f"frequency governor {software.governor}"
        found.append((text, "as root, `cpupower frequency-set -g performance`"))
    if machine.memory.limit_bytes and machine.memory.limit_bytes < machine.memory.total_bytes:
        source = machine.memory.limit_source or "memory.max"
        text = f"memory is limited to {format_bytes(machine.memory.limit_bytes)} by {source}"
        remedy = f"arrays are kept within it; raise {source}, or ask the batch system for more"
        found.append((text, remedy))
    if machine.cpu_quota and machine.cpu_quota < len(machine.topology.usable):
        text = (
            f"a cgroup allows {machine.cpu_quota:g} CPUs of time for "
            f"{len(machine.topology.usable)} CPUs: threads are stopped in the middle"
        )
        found.append((text, "raise cpu.max"))
    return [Caveat(CaveatKind.LIMITED, text, remedy) for text, remedy in found]


def _not_measured(plan: Plan) -> list[Caveat]:
    """What is skipped, all of one reason together."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for skipped in plan.skipped:
        by_reason[skipped.reason].append(skipped.what)
    return [
        Caveat(CaveatKind.NOT_MEASURED, f"not measured: {_few_of(what)}: {reason}")
        for reason, what in by_reason.items()
    ]


def _few_of(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown

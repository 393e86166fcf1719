"""Diagnoses of what this process may use: CPUs, time, memory, beside whom."""

from __future__ import annotations

from machmeter.machine.diagnosis.probe import Probes
from machmeter.machine.system_files import format_cpu_list
from machmeter.model.machine import Diagnosis, Machine, Severity

_SMALL_MEMORY = 2**30
_MUCH_STEAL = 0.01


def diagnose_limits(machine: Machine, probes: Probes) -> list[Diagnosis]:
    """One diagnosis for each limit and each neighbor."""
    return [
        _cpuset(machine),
        _quota(machine, probes),
        _virtual_machine(machine, probes),
        _container(machine),
        _memory(machine),
        _swap(probes),
        _load(machine, probes),
    ]


def good(what: str, found: str) -> Diagnosis:
    """A diagnosis that needs no remedy."""
    return Diagnosis(what, Severity.GOOD, found)


def roughly(size: int) -> str:
    """A size in bytes as a person says it: `23.1 GiB`, `640 MiB`."""
    for factor, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor:
            return (
                f"{size / factor:.3g} {unit}"
                if size < 1000 * factor
                else f"{size // factor} {unit}"
            )
    return f"{size} B"


def _cpuset(machine: Machine) -> Diagnosis:
    online = [cpu.number for cpu in machine.topology.cpus if cpu.online]
    usable = [cpu.number for cpu in machine.topology.usable]
    if len(online) == len(usable):
        return good("cpuset", f"All {len(online)} online CPUs may be used.")
    return Diagnosis(
        "cpuset",
        Severity.NOTE,
        f"CPUs {format_cpu_list(usable) or 'none'} of the online {format_cpu_list(online)} may be "
        "used; figures describe this part of the machine.",
        "Ask the batch system for the whole node (`--exclusive`), or start the container without "
        "--cpuset-cpus; `taskset -p $$` shows what the shell has.",
    )


def _quota(machine: Machine, probes: Probes) -> Diagnosis:
    cores = len(machine.topology.usable)
    if not machine.cpu_quota:
        return good("CPU quota", "No control group limits CPU time.")
    stopped = (
        f", and it has stopped this group {probes.throttled_periods} times so far"
        if probes.throttled_periods
        else ""
    )
    enough = machine.cpu_quota >= cores
    return Diagnosis(
        "CPU quota",
        Severity.NOTE if enough else Severity.WARNING,
        f"A control group allows {machine.cpu_quota:.2f} CPUs' worth of time on {cores} CPUs"
        f"{stopped}: threads beyond it are paused for up to 0.1 s at a time.",
        "Start the container without --cpus (Kubernetes: without a CPU limit), use "
        f"--cpuset-cpus instead, or measure at most {max(int(machine.cpu_quota), 1)} threads.",
    )


def _virtual_machine(machine: Machine, probes: Probes) -> Diagnosis:
    stolen = f"{100 * probes.steal_share:.1f} % of CPU time went to other guests since boot"
    if not machine.software.hypervisor:
        return good("virtual machine", "No hypervisor is seen.")
    much = probes.steal_share > _MUCH_STEAL
    return Diagnosis(
        "virtual machine",
        Severity.WARNING if much else Severity.NOTE,
        f"Hypervisor: {machine.software.hypervisor}; {stolen}. Cache sizes and NUMA domains may "
        "not be those of the hardware, and neighbors may disturb.",
        "Compare figures of one run with one another rather than of different hours; for the "
        "hardware's own figures, ask for dedicated or bare-metal hosts with pinned virtual CPUs.",
    )


def _container(machine: Machine) -> Diagnosis:
    memory = machine.memory
    limit = f"limits memory to {roughly(memory.limit_bytes)}" if memory.limit_bytes else ""
    name = machine.software.container
    if not name and not limit:
        return good("container", "No container and no memory limit are seen.")
    where = f"This runs inside {name}" if name else "This runs in a control group"
    return Diagnosis(
        "container",
        Severity.NOTE,
        f"{where}{', which ' + limit if limit else ', without a memory limit'}.",
        "Working sets are chosen within what is left of it; raise it (`docker run --memory`, "
        "`sbatch --mem`) to measure larger ones."
        if limit
        else "Nothing need be done; kernel settings are those of the host.",
    )


def _memory(machine: Machine) -> Diagnosis:
    usable = roughly(machine.memory.usable_bytes)
    if machine.memory.usable_bytes >= _SMALL_MEMORY:
        return good("memory", f"{usable} may be allocated now.")
    return Diagnosis(
        "memory",
        Severity.WARNING,
        f"Only {usable} may be allocated now: working sets may not reach beyond the caches.",
        f"End other programs or raise the limit until {roughly(_SMALL_MEMORY)} are free.",
    )


def _swap(probes: Probes) -> Diagnosis:
    if not probes.swap_used_bytes:
        return good("swap", "Nothing is swapped out.")
    return Diagnosis(
        "swap",
        Severity.NOTE,
        f"{roughly(probes.swap_used_bytes)} are swapped out: memory has been short.",
        "End other programs; `sudo swapoff -a` makes a shortage visible instead of slow.",
    )


def _load(machine: Machine, probes: Probes) -> Diagnosis:
    cpus = max(len(machine.topology.usable), 1)
    found = f"{probes.load:.1f} runnable tasks in the last minute on {cpus} CPU(s)"
    if probes.load <= max(0.1 * cpus, 0.5):
        return good("load", f"{found}.")
    return Diagnosis(
        "load",
        Severity.WARNING,
        f"{found}: other programs compete with what is measured.",
        "Look with `top` for them and end them, or wait until they are done.",
    )

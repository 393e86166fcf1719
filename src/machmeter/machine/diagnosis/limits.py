"""Checks of what this process may use: CPUs, time, memory, and of other load."""

from __future__ import annotations

from machmeter.machine.diagnosis.probe import Probes
from machmeter.machine.memory import MEMS_ALLOWED
from machmeter.machine.system_files import format_cpu_list
from machmeter.machine.topology.another import other_machine_text
from machmeter.model.machine import Diagnosis, Machine, Severity

_SMALL_MEMORY = 2**30
_MUCH_STEAL = 0.01


def diagnose_limits(machine: Machine, probes: Probes) -> list[Diagnosis]:
    """One diagnosis for each limit and each source of interference."""
    return [
        *_topology_file(machine),
        _cpuset(machine),
        _quota(machine, probes),
        _virtual_machine(machine, probes),
        _container(machine),
        *_domains(machine),
        _memory(machine),
        _swap(probes),
        _load(machine, probes),
    ]


def good(what: str, found: str) -> Diagnosis:
    """A diagnosis that needs no remedy."""
    return Diagnosis(what, Severity.GOOD, found)


def roughly(size: int) -> str:
    """A size in bytes, rounded: `23.1 GiB`, `640 MiB`."""
    for factor, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor:
            return (
                f"{size / factor:.3g} {unit}"
                if size < 1000 * factor
                else f"{size // factor} {unit}"
            )
    return f"{size} B"


def _topology_file(machine: Machine) -> list[Diagnosis]:
    text = other_machine_text(machine)
    remedy = "Write the file on this machine with `lstopo FILE.xml`, or leave out --hwloc-xml."
    found = f"{text[:1].upper()}{text[1:]}."
    return [Diagnosis("topology file", Severity.WARNING, found, remedy)] if text else []


def _cpuset(machine: Machine) -> Diagnosis:
    online = [cpu.number for cpu in machine.topology.cpus if cpu.online]
    usable = [cpu.number for cpu in machine.topology.usable]
    if len(online) == len(usable):
        return good("cpuset", f"All {len(online)} online CPUs are available.")
    return Diagnosis(
        "cpuset",
        Severity.NOTE,
        f"CPUs {format_cpu_list(usable) or 'none'} of the online {format_cpu_list(online)} are "
        "available: results describe this part of the machine.",
        "Request the whole node from the batch system (`--exclusive`), or start the container "
        "without --cpuset-cpus; `taskset -p $$` shows the CPUs of the shell.",
    )


def _quota(machine: Machine, probes: Probes) -> Diagnosis:
    cores = len(machine.topology.usable)
    if not machine.cpu_quota:
        return good("CPU quota", "No cgroup limits CPU time.")
    stopped = (
        f"; throttled {probes.throttled_periods} times so far" if probes.throttled_periods else ""
    )
    enough = machine.cpu_quota >= cores
    return Diagnosis(
        "CPU quota",
        Severity.NOTE if enough else Severity.WARNING,
        f"A cgroup limits CPU time to {machine.cpu_quota:.2f} of {cores} CPUs{stopped}: more "
        "threads are paused for up to 0.1 s at a time.",
        "Start the container without --cpus (Kubernetes: without a CPU limit), use "
        f"--cpuset-cpus instead, or use at most {max(int(machine.cpu_quota), 1)} threads.",
    )


def _virtual_machine(machine: Machine, probes: Probes) -> Diagnosis:
    stolen = f"{100 * probes.steal_share:.1f} % of CPU time stolen by other guests since boot"
    if not machine.software.hypervisor:
        return good("virtual machine", "No hypervisor detected.")
    much = probes.steal_share > _MUCH_STEAL
    return Diagnosis(
        "virtual machine",
        Severity.WARNING if much else Severity.NOTE,
        f"Hypervisor: {machine.software.hypervisor}; {stolen}. Cache sizes and NUMA domains may "
        "differ from the hardware's, and neighbors share caches and memory.",
        "Compare results of one run rather than of different hours; for results of the hardware, "
        "use dedicated or bare-metal hosts with pinned virtual CPUs.",
    )


def _container(machine: Machine) -> Diagnosis:
    memory = machine.memory
    source = f" ({memory.limit_source})" if memory.limit_source else ""
    limited = memory.limit_bytes and memory.limit_source != MEMS_ALLOWED
    limit = f"limits memory to {roughly(memory.limit_bytes)}{source}" if limited else ""
    name = machine.software.container
    if not name and not limit:
        return good("container", "No container and no memory limit detected.")
    where = f"Inside {name}" if name else "Inside a cgroup"
    return Diagnosis(
        "container",
        Severity.NOTE,
        f"{where}{', which ' + limit if limit else ', without a memory limit'}.",
        "Working sets are chosen within the limit; raise it (`docker run --memory`, "
        "`sbatch --mem`) to measure larger ones."
        if limit
        else "Nothing to do; kernel settings are those of the host.",
    )


def _domains(machine: Machine) -> list[Diagnosis]:
    """Whether memory of every NUMA domain may be used, and every CPU has some of its own."""
    topology, found = machine.topology, []
    refused = [domain.number for domain in topology.domains if not domain.allowed]
    if refused:
        allowed = format_cpu_list(topology.memory_domains) or "none"
        found.append(
            Diagnosis(
                "memory of NUMA domains",
                Severity.NOTE,
                f"Memory may be allocated of NUMA domains {allowed}, and not of "
                f"{format_cpu_list(refused)} ({MEMS_ALLOWED} in /proc/self/status).",
                "Request the whole node from the batch system (`--exclusive`), or start the "
                "container without --cpuset-mems.",
            )
        )
    alone = [cpu.number for cpu in topology.usable if cpu.numa < 0]
    if alone:
        found.append(
            Diagnosis(
                "local memory",
                Severity.NOTE,
                f"No NUMA domain holds CPUs {format_cpu_list(alone)}: no memory is local to them.",
                "Nothing to do where the machine is built so; otherwise check in the firmware and "
                "in the cpuset that the memory of these CPUs is online and allowed.",
            )
        )
    return found


def _memory(machine: Machine) -> Diagnosis:
    usable = roughly(machine.memory.usable_bytes)
    if machine.memory.usable_bytes >= _SMALL_MEMORY:
        return good("memory", f"{usable} available.")
    return Diagnosis(
        "memory",
        Severity.WARNING,
        f"Only {usable} available: working sets may not exceed the caches.",
        f"Stop other programs or raise the limit until {roughly(_SMALL_MEMORY)} are free.",
    )


def _swap(probes: Probes) -> Diagnosis:
    if not probes.swap_used_bytes:
        return good("swap", "No memory is swapped out.")
    return Diagnosis(
        "swap",
        Severity.NOTE,
        f"{roughly(probes.swap_used_bytes)} are swapped out: memory was short.",
        "Stop other programs; `sudo swapoff -a` turns a shortage into an error.",
    )


def _load(machine: Machine, probes: Probes) -> Diagnosis:
    cpus = max(len(machine.topology.usable), 1)
    found = f"{probes.load:.1f} runnable tasks in the last minute on {cpus} CPU(s)"
    if probes.load <= max(0.1 * cpus, 0.5):
        return good("load", f"{found}.")
    return Diagnosis(
        "load",
        Severity.WARNING,
        f"{found}: other programs compete for CPUs.",
        "Find them with `top` and stop them, or wait until they end.",
    )

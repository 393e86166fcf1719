"""Diagnoses of the machine itself: cores, pages, clock, settings, noise."""

from __future__ import annotations

from machmeter.machine.diagnosis.limits import good
from machmeter.machine.diagnosis.probe import Probes
from machmeter.machine.system_files import format_cpu_list
from machmeter.model.machine import Diagnosis, Machine, Severity
from machmeter.model.units import format_bytes

_STEADY_CLOCKS = ("tsc", "arch_sys_counter", "timebase", "riscv_clocksource", "tod")
_VIRTUAL_CLOCKS = ("kvm-clock", "xen", "hyperv_clocksource_tsc_page", "hyperv_clocksource_msr")
_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_NOISY = 1.25


def diagnose_system(machine: Machine, probes: Probes) -> list[Diagnosis]:
    """One diagnosis for each thing looked at."""
    return [
        _cores(machine),
        _smt(machine),
        _kinds(machine),
        _isolation(probes),
        _base_pages(machine),
        _huge_pages(machine),
        _numa_balancing(machine),
        _governor(machine),
        _clock(machine),
        _noise(probes),
    ]


def _cores(machine: Machine) -> Diagnosis:
    count = len(machine.topology.usable_cores)
    if count > 1:
        domains = sum(bool(domain.cpus) for domain in machine.topology.domains)
        packages = len({cpu.package for cpu in machine.topology.usable})
        return good(
            "cores",
            f"{count} usable cores, {packages} package(s), {domains} NUMA domain(s) with CPUs.",
        )
    return Diagnosis(
        "cores",
        Severity.WARNING if count else Severity.LACKING,
        f"{count} core may be used: nothing can run in parallel on it, and what the system does "
        "beside it disturbs every figure.",
        "Give the machine, container or job at least 2 cores, or pass --oversubscribe to see how "
        "ranks and threads share one.",
    )


def _smt(machine: Machine) -> Diagnosis:
    threads = max((cpu.smt for cpu in machine.topology.usable), default=0) + 1
    if threads == 1:
        return good("SMT", "Each core offers one hardware thread.")
    return good(
        "SMT",
        f"Cores offer {threads} hardware threads; one is used unless --smt {threads} is passed.",
    )


def _kinds(machine: Machine) -> Diagnosis:
    kinds = sorted({cpu.kind for cpu in machine.topology.usable})
    if len(kinds) < 2:
        return good("kinds of core", "All usable cores are of one kind.")
    groups = [
        format_cpu_list(cpu.number for cpu in machine.topology.usable if cpu.kind == kind)
        for kind in kinds
    ]
    return Diagnosis(
        "kinds of core",
        Severity.NOTE,
        f"Cores differ; CPUs from the most capable kind on: {' | '.join(groups)}. The most "
        "capable ones are used first.",
        f"To measure one kind alone, start machmeter with `taskset -c {groups[0]}`.",
    )


def _isolation(probes: Probes) -> Diagnosis:
    if not probes.isolated_cpus:
        return good("isolation", "No CPUs are kept from the scheduler (isolcpus is not set).")
    return Diagnosis(
        "isolation",
        Severity.NOTE,
        f"CPUs {probes.isolated_cpus} are isolated by the kernel command line: unbound threads "
        "never run there, and threads on them are not moved apart.",
        "Keep the binding on (no --binding none), or remove isolcpus from the kernel command line.",
    )


def _base_pages(machine: Machine) -> Diagnosis:
    size = machine.memory.base_page_bytes
    if size == 4096:
        return good("base pages", "The base page is 4 KiB.")
    return Diagnosis(
        "base pages",
        Severity.NOTE,
        f"The base page is {format_bytes(size)}; points that ask for 4 KiB pages cannot be had.",
        f"Ask for the machine's own size with --pages {size // 1024}KiB.",
    )


def _huge_pages(machine: Machine) -> Diagnosis:
    memory = machine.memory
    size = format_bytes(memory.huge_page_bytes)
    if memory.transparent_huge_pages in ("always", "madvise"):
        return good(
            "huge pages",
            f"Transparent huge pages of {size} are given on request "
            f"({memory.transparent_huge_pages}).",
        )
    if memory.transparent_huge_pages == "never":
        found, remedy = (
            "Transparent huge pages are switched off.",
            f"`echo madvise | sudo tee {_THP}`.",
        )
    else:
        found, remedy = (
            "The kernel has no transparent huge pages.",
            "Use a kernel with CONFIG_TRANSPARENT_HUGEPAGE (every usual distribution has it).",
        )
    return Diagnosis(
        "huge pages",
        Severity.WARNING,
        f"{found} Points that ask for huge pages will be dropped, for they would run on small "
        "ones.",
        remedy,
    )


def _numa_balancing(machine: Machine) -> Diagnosis:
    domains = len(machine.topology.domains)
    state = machine.software.numa_balancing
    if state != "on" or domains < 2:
        return good("NUMA balancing", f"Automatic NUMA balancing: {state}; {domains} domain(s).")
    return Diagnosis(
        "NUMA balancing",
        Severity.WARNING,
        f"The kernel may move pages between {domains} NUMA domains while they are measured.",
        "`sudo sysctl kernel.numa_balancing=0` for the time of the measurement.",
    )


def _governor(machine: Machine) -> Diagnosis:
    governor, boost = machine.software.governor, machine.software.boost
    boosted = f"; boost is {boost}" if boost else ""
    if governor == "performance":
        return good("frequency governor", f"The governor is performance{boosted}.")
    if not governor:
        return Diagnosis(
            "frequency governor",
            Severity.NOTE,
            f"The system shows no frequency governor (usual in virtual machines){boosted}.",
            "Where the host is yours, set its governor to performance.",
        )
    return Diagnosis(
        "frequency governor",
        Severity.WARNING,
        f"The governor is {governor}{boosted}: clock rates follow the load with a delay.",
        "`sudo cpupower frequency-set -g performance`, or write performance to "
        "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor.",
    )


def _clock(machine: Machine) -> Diagnosis:
    clock = machine.software.clock_source
    if clock in _STEADY_CLOCKS:
        return good("clock source", f"{clock}, read without a system call.")
    if clock in _VIRTUAL_CLOCKS:
        return Diagnosis(
            "clock source",
            Severity.NOTE,
            f"{clock}, the hypervisor's own; a reading costs more than of the tsc.",
            "Where available_clocksource beside it lists tsc: `echo tsc | sudo tee /sys/devices/"
            "system/clocksource/clocksource0/current_clocksource`.",
        )
    return Diagnosis(
        "clock source",
        Severity.WARNING if clock else Severity.NOTE,
        f"The clock source is {clock or 'not shown'}"
        + (": each reading is a system call of about a microsecond." if clock else "."),
        "Look with `dmesg | grep -i -e tsc -e clocksource` why the fast one was given up; "
        "`tsc=reliable` on the kernel command line keeps it where the hardware is sound.",
    )


def _noise(probes: Probes) -> Diagnosis:
    found = (
        f"The slowest hundredth of equal 1 ms pieces of work takes {probes.quantum_slowdown:.2f}x "
        "the median"
    )
    if probes.quantum_slowdown <= _NOISY:
        return good("noise", f"{found}.")
    return Diagnosis(
        "noise",
        Severity.WARNING,
        f"{found}: something interrupts this machine.",
        "Stop services that wake up often (`systemctl list-timers`, `top`), or leave a core to "
        "them with --reserve 1.",
    )

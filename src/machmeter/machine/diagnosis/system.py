"""Checks of the machine: cores, pages, clock, settings, noise."""

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
    """One diagnosis for each property."""
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
        f"{count} core is available: nothing runs in parallel, and the system's own work disturbs "
        "every result.",
        "Use at least 2 cores, or --oversubscribe to measure how ranks and threads share one.",
    )


def _smt(machine: Machine) -> Diagnosis:
    threads = max((cpu.smt for cpu in machine.topology.usable), default=0) + 1
    if threads == 1:
        return good("SMT", "One hardware thread per core.")
    return good(
        "SMT",
        f"{threads} hardware threads per core; one is used, all with --smt {threads}.",
    )


def _kinds(machine: Machine) -> Diagnosis:
    kinds = sorted({cpu.kind for cpu in machine.topology.usable})
    if len(kinds) < 2:
        return good("kinds of core", "All cores are of one kind.")
    groups = [
        format_cpu_list(cpu.number for cpu in machine.topology.usable if cpu.kind == kind)
        for kind in kinds
    ]
    return Diagnosis(
        "kinds of core",
        Severity.NOTE,
        f"Cores differ; CPUs by kind, the most capable first: {' | '.join(groups)}. The most "
        "capable ones are used first.",
        f"To measure one kind alone, start machmeter with `taskset -c {groups[0]}`.",
    )


def _isolation(probes: Probes) -> Diagnosis:
    if not probes.isolated_cpus:
        return good("isolation", "No CPUs are isolated (isolcpus is not set).")
    return Diagnosis(
        "isolation",
        Severity.NOTE,
        f"CPUs {probes.isolated_cpus} are isolated by the kernel command line: unbound threads "
        "never run there, and threads there are not balanced.",
        "Do not use --binding none, or remove isolcpus from the kernel command line.",
    )


def _base_pages(machine: Machine) -> Diagnosis:
    size = machine.memory.base_page_bytes
    if size == 4096:
        return good("base pages", "The base page is 4 KiB.")
    return Diagnosis(
        "base pages",
        Severity.NOTE,
        f"The base page is {format_bytes(size)}; 4 KiB pages are not available.",
        f"Use --pages {size // 1024}KiB.",
    )


def _huge_pages(machine: Machine) -> Diagnosis:
    memory = machine.memory
    size = format_bytes(memory.huge_page_bytes)
    if memory.transparent_huge_pages in ("always", "madvise"):
        return good(
            "huge pages",
            f"Transparent huge pages of {size} are available ({memory.transparent_huge_pages}).",
        )
    if memory.transparent_huge_pages == "never":
        found, remedy = (
            "Transparent huge pages are disabled.",
            f"`echo madvise | sudo tee {_THP}`.",
        )
    else:
        found, remedy = (
            "The kernel has no transparent huge pages.",
            "Use a kernel with CONFIG_TRANSPARENT_HUGEPAGE (standard in distributions).",
        )
    return Diagnosis(
        "huge pages",
        Severity.WARNING,
        f"{found} Layouts with huge pages are left out.",
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
        f"The kernel may migrate pages between {domains} NUMA domains during a measurement.",
        "`sudo sysctl kernel.numa_balancing=0` while measuring.",
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
            f"No frequency governor (usual in virtual machines){boosted}.",
            "If you manage the host, set its governor to performance.",
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
            f"{clock}, the hypervisor's clock; reading it takes longer than reading the TSC.",
            "If available_clocksource in the same folder lists tsc: `echo tsc | sudo tee "
            "/sys/devices/system/clocksource/clocksource0/current_clocksource`.",
        )
    return Diagnosis(
        "clock source",
        Severity.WARNING if clock else Severity.NOTE,
        f"The clock source is {clock or 'unknown'}"
        + (": each reading takes a system call of about 1 µs." if clock else "."),
        "`dmesg | grep -i -e tsc -e clocksource` shows why the TSC was rejected; `tsc=reliable` on "
        "the kernel command line keeps it where the hardware allows.",
    )


def _noise(probes: Probes) -> Diagnosis:
    found = (
        f"OS noise: the slowest 1 % of fixed-work intervals of 1 ms take "
        f"{probes.quantum_slowdown:.2f}x the median time"
    )
    if probes.quantum_slowdown <= _NOISY:
        return good("noise", f"{found}.")
    return Diagnosis(
        "noise",
        Severity.WARNING,
        f"{found}.",
        "Stop background services (`systemctl list-timers`, `top`), or leave them a core with "
        "--reserve 1.",
    )

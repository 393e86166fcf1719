"""Machines made up for tests: one package, and packages of several NUMA domains."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.layout import BASE_PAGE, HUGE_PAGE
from machmeter.model.machine import Cache, Cpu, Machine, Memory, NumaDomain, Software, Topology


def make_machine(
    host: str = "node17", cores: int = 2, model: str = "Xeon Platinum 8488C"
) -> Machine:
    every = tuple(range(cores))
    return Machine(
        name=host,
        host=host,
        architecture="x86_64",
        cpu_model=model,
        topology=Topology(
            cpus=tuple(Cpu(number, number, 0, 0) for number in every),
            caches=(
                Cache(1, "data", 48 * 2**10, 64, (0,)),
                Cache(2, "unified", 2 * 2**20, 64, (0,)),
                Cache(3, "unified", 480 * 2**20, 64, every),
            ),
            domains=(NumaDomain(0, every, 16 * 2**30, (10,)),),
        ),
        memory=Memory(16 * 2**30, 14 * 2**30, 0, BASE_PAGE, HUGE_PAGE, "madvise", 0),
        software=Software(
            kernel="6.1.0-28-amd64",
            distribution="Debian GNU/Linux 12 (bookworm)",
            libc="glibc 2.36",
            hypervisor="KVM",
            container="",
            governor="",
            clock_source="tsc",
            numa_balancing="0",
        ),
        features=("avx2", "avx512f"),
    )


def make_packages(packages: int = 2, domains: int = 2, cores: int = 4) -> Machine:
    """`packages` of `domains` NUMA domains each, a domain with `cores` cores and one L3 cache."""
    numbers = range(packages * domains * cores)
    numas = [
        tuple(range(domain * cores, (domain + 1) * cores)) for domain in range(packages * domains)
    ]
    small = [
        Cache(level, kind, kib * 2**10, 64, (cpu,))
        for level, kind, kib in ((1, "data", 32), (2, "unified", 1024))
        for cpu in numbers
    ]
    topology = Topology(
        cpus=tuple(Cpu(cpu, cpu, cpu // (domains * cores), cpu // cores) for cpu in numbers),
        caches=(*small, *(Cache(3, "unified", 32 * 2**20, 64, cpus) for cpus in numas)),
        domains=tuple(
            NumaDomain(domain, cpus, 64 * 2**30, _distances(domain, len(numas), domains))
            for domain, cpus in enumerate(numas)
        ),
    )
    machine = make_machine("fat4", 1, "EPYC 7543")
    memory = Memory(256 * 2**30, 240 * 2**30, 0, BASE_PAGE, HUGE_PAGE, "madvise", 0)
    return replace(machine, topology=topology, memory=memory)


def _distances(domain: int, count: int, of_package: int) -> tuple[int, ...]:
    def distance(other: int) -> int:
        if other == domain:
            return 10
        return 12 if other // of_package == domain // of_package else 32

    return tuple(distance(other) for other in range(count))

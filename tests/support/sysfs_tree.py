"""Synthetic machines: as a tree of /sys and /proc files, and as topologies."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from machmeter.machine.system_files import format_cpu_list
from machmeter.model.machine import Cache, Cpu, NumaDomain, Topology


class Shape(Struct, frozen=True):
    """A regular machine; siblings are numbered last, as Linux does on x86."""

    packages: int = 2
    domains: int = 4
    cores: int = 8
    smt: int = 2

    @property
    def all_cores(self) -> int:
        return self.packages * self.domains * self.cores

    def topology(self) -> Topology:
        cpus, caches, domains = [], [], []
        for smt in range(self.smt):
            for core in range(self.all_cores):
                domain = core // self.cores
                cpus.append(
                    Cpu(
                        smt * self.all_cores + core,
                        core,
                        domain // self.domains,
                        domain,
                        smt=smt,
                    )
                )
        for domain in range(self.packages * self.domains):
            inside = tuple(cpu.number for cpu in cpus if cpu.numa == domain)
            caches.append(Cache(3, "unified", 32 * 2**20, 64, inside))
            domains.append(NumaDomain(domain, inside, 2**36))
        for core in range(self.all_cores):
            siblings = tuple(cpu.number for cpu in cpus if cpu.core == core)
            caches.insert(core, Cache(2, "unified", 2**20, 64, siblings))
        return Topology(tuple(cpus), tuple(caches), tuple(domains))


def write(root: Path, path: str, text: object) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")


def write_sysfs(root: Path, topology: Topology, distances: bool = True) -> None:
    """The files in which Linux would describe `topology`, those of its online CPUs in full."""
    cpus = "sys/devices/system/cpu"
    online = [cpu for cpu in topology.cpus if cpu.online]
    write(root, f"{cpus}/online", format_cpu_list(cpu.number for cpu in online))
    for cpu in topology.cpus:
        write(root, f"{cpus}/cpu{cpu.number}/online", int(cpu.online))
    for cpu in online:
        folder = f"{cpus}/cpu{cpu.number}"
        siblings = [other.number for other in online if other.core == cpu.core]
        write(root, f"{folder}/topology/physical_package_id", cpu.package)
        write(root, f"{folder}/topology/core_id", cpu.core)
        write(root, f"{folder}/topology/core_cpus_list", format_cpu_list(siblings))
        around = [cache for cache in topology.caches if cpu.number in cache.cpus]
        for index, cache in enumerate(around):
            _write_cache(root, f"{folder}/cache/index{index}", cache)
    _write_domains(root, topology, distances)
    total = sum(domain.memory_bytes for domain in topology.domains) // 1024
    write(root, "proc/meminfo", f"MemTotal: {total} kB\nMemAvailable: {total // 2} kB")


def _write_cache(root: Path, folder: str, cache: Cache) -> None:
    write(root, f"{folder}/level", cache.level)
    write(root, f"{folder}/type", cache.kind.capitalize())
    write(root, f"{folder}/size", f"{cache.size_bytes // 1024}K")
    write(root, f"{folder}/coherency_line_size", cache.line_bytes)
    write(root, f"{folder}/shared_cpu_list", format_cpu_list(cache.cpus))


def _write_domains(root: Path, topology: Topology, distances: bool) -> None:
    nodes = "sys/devices/system/node"
    numbers = [domain.number for domain in topology.domains]
    write(root, f"{nodes}/online", format_cpu_list(numbers))
    for domain in topology.domains:
        folder = f"{nodes}/node{domain.number}"
        write(root, f"{folder}/cpulist", format_cpu_list(domain.cpus))
        memory = domain.memory_bytes // 1024
        write(root, f"{folder}/meminfo", f"Node {domain.number} MemTotal:  {memory} kB")
        if distances:
            row = (10 if other == domain.number else 21 for other in numbers)
            write(root, f"{folder}/distance", " ".join(map(str, row)))

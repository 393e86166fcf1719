"""The topology as Linux describes it under /sys/devices/system (kernel ABI, cputopology)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from machmeter.machine.system_files import (
    is_count,
    key_values,
    numbered,
    parse_cpu_list,
    read_cpu_list,
    read_int,
    read_size,
    read_text,
)
from machmeter.machine.topology.core_kinds import core_kinds
from machmeter.model.machine import CACHE_LEVELS, Cache, Cpu, NumaDomain, Topology

_CACHE_KINDS = {"Data": "data", "Instruction": "instruction", "Unified": "unified"}


def read_topology(root: Path = Path("/"), allowed: Collection[int] | None = None) -> Topology:
    """CPUs, caches and NUMA domains of the system whose file tree starts at `root`.

    allowed: the CPUs this process may use (None = all online ones). Offline CPUs have no topology
    folder: each is given a core of its own, package -1 and NUMA domain -1. What a container or an
    old kernel does not show is taken to be the simplest: one package, one domain, no SMT.
    """
    folders = _cpu_folders(root)
    online = _online(root, folders)
    domains = _domains(root, online)
    cores = _cores(folders, online)
    kinds = core_kinds(root, {cpu: folders[cpu] for cpu in online})
    domain_of = {cpu: domain.number for domain in domains for cpu in domain.cpus}
    order = {key: number for number, key in enumerate(sorted(set(cores.values())))}
    members: dict[int, list[int]] = {}
    for cpu in online:
        members.setdefault(cores[cpu], []).append(cpu)
    cpus = [
        Cpu(
            number=cpu,
            core=order[cores[cpu]],
            package=max(read_int(folders[cpu] / "topology" / "physical_package_id"), 0),
            numa=domain_of.get(cpu, -1),
            allowed=allowed is None or cpu in allowed,
            smt=members[cores[cpu]].index(cpu),
            kind=kinds[cpu],
        )
        for cpu in online
    ]
    offline = [cpu for cpu in folders if cpu not in cores]
    cpus += [
        Cpu(cpu, len(order) + index, package=-1, numa=-1, online=False, allowed=False)
        for index, cpu in enumerate(offline)
    ]
    cpus.sort(key=lambda cpu: cpu.number)
    return Topology(tuple(cpus), _caches(folders, online), domains)


def _cpu_folders(root: Path) -> dict[int, Path]:
    """The folder of each CPU; where /sys is hidden, the (missing) ones /proc/cpuinfo speaks of."""
    base = root / "sys/devices/system/cpu"
    folders = numbered(base, "cpu")
    if folders:
        return folders
    lines = read_text(root / "proc/cpuinfo").splitlines()
    listed = [line.partition(":")[2].strip() for line in lines if line.startswith("processor")]
    numbers = [int(number) for number in listed if is_count(number)]
    return {number: base / f"cpu{number}" for number in numbers or [0]}


def _online(root: Path, folders: dict[int, Path]) -> tuple[int, ...]:
    listed = read_cpu_list(root / "sys/devices/system/cpu/online")
    if listed:
        return tuple(cpu for cpu in listed if cpu in folders)
    return tuple(cpu for cpu, folder in folders.items() if read_int(folder / "online", 1) == 1)


def _cores(folders: dict[int, Path], online: tuple[int, ...]) -> dict[int, int]:
    """For each online CPU the lowest CPU of its core, which names the core."""
    cores = {}
    lowest: dict[tuple[int, int, int], int] = {}
    for cpu in online:
        topology = folders[cpu] / "topology"
        siblings = read_cpu_list(topology / "core_cpus_list") or read_cpu_list(
            topology / "thread_siblings_list"
        )
        if siblings and cpu in siblings:
            cores[cpu] = min(siblings)
            continue
        core = read_int(topology / "core_id")
        key = (
            read_int(topology / "physical_package_id"),
            read_int(topology / "die_id"),
            core if core >= 0 else -2 - cpu,
        )
        cores[cpu] = lowest.setdefault(key, cpu)
    return cores


def _domains(root: Path, online: tuple[int, ...]) -> tuple[NumaDomain, ...]:
    """NUMA domains, those without CPUs included; one with everything where none is described."""
    folders = numbered(root / "sys/devices/system/node", "node")
    shown = read_cpu_list(root / "sys/devices/system/node/online")
    running = set(online)
    domains = [
        NumaDomain(
            number,
            tuple(cpu for cpu in read_cpu_list(folder / "cpulist") or () if cpu in running),
            _meminfo_bytes(read_text(folder / "meminfo")),
            tuple(int(word) for word in read_text(folder / "distance").split() if is_count(word)),
        )
        for number, folder in folders.items()
        if shown is None or number in shown
    ]
    if len(domains) > 1:
        return tuple(domains)
    # The only domain has all the memory; its own file may miss what was plugged in later.
    total = _meminfo_bytes(read_text(root / "proc/meminfo"))
    if domains:
        return (replace(domains[0], memory_bytes=max(domains[0].memory_bytes, total)),)
    return (NumaDomain(0, online, total),)


def node_bytes(root: Path = Path("/")) -> int:
    """Memory of all NUMA domains by their own files, bytes; 0 where none has one."""
    folders = numbered(root / "sys/devices/system/node", "node").values()
    return sum(_meminfo_bytes(read_text(folder / "meminfo")) for folder in folders)


def _meminfo_bytes(text: str) -> int:
    """MemTotal in bytes; in a domain's file it stands behind `Node 0`."""
    for key, value in key_values(text).items():
        if key.split()[-1:] == ["MemTotal"]:
            number = value.removesuffix("kB").strip()
            return int(number) * 1024 if is_count(number) else 0
    return 0


def _caches(folders: dict[int, Path], online: tuple[int, ...]) -> tuple[Cache, ...]:
    caches = {}
    running = set(online)
    for cpu in online:
        for index in numbered(folders[cpu] / "cache", "index").values():
            kind = _CACHE_KINDS.get(read_text(index / "type"))
            size, level = read_size(index / "size"), read_int(index / "level")
            if kind is None or size <= 0 or level not in CACHE_LEVELS:
                continue
            shared = read_cpu_list(index / "shared_cpu_list") or parse_cpu_list(str(cpu))
            cpus = tuple(other for other in shared if other in running)
            line = max(read_int(index / "coherency_line_size"), 0)
            caches[level, kind, cpus] = Cache(level, kind, size, line, cpus)
    order = sorted(caches, key=lambda key: (key[0], key[1], key[2]))
    return tuple(caches[key] for key in order)

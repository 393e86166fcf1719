"""This machine as it is now."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from machmeter.machine.cgroup import read_limits
from machmeter.machine.hardware.adapters import read_adapters
from machmeter.machine.hardware.memory_channels import read_memory_channels
from machmeter.machine.hardware.processors import known_processor
from machmeter.machine.libraries import find_allocators, find_blas, find_openmp_runtimes
from machmeter.machine.memory import read_memory, within_domains
from machmeter.machine.opencl import find_nvidia_driver, find_opencl
from machmeter.machine.software import (
    cpu_features,
    cpu_model,
    host_name,
    read_cpuinfo,
    read_software,
    scalable_bits,
)
from machmeter.machine.topology.another import Here, other_machine
from machmeter.machine.topology.hwloc_read import read_hwloc_and_model
from machmeter.machine.topology.sysfs import node_bytes, read_topology
from machmeter.model.machine import Machine, Topology

_HERE = Path("/")


def detect_machine(
    name: str = "",
    root: Path = _HERE,
    hwloc_xml: Path | None = None,
    affinity: Collection[int] | None = None,
) -> Machine:
    """The machine whose /proc and /sys lie under `root`, called `name` (its host name if empty).

    hwloc_xml: a topology file to take CPUs, caches and NUMA domains from instead of /sys; CPUs
    that it has and this process may not use are marked as not allowed. affinity: the CPUs this
    process may run on; by default sched_getaffinity here, and all CPUs of another `root`. The
    cpusets of control groups narrow it further, as they and the process's status narrow the NUMA
    domains that memory may be allocated of. What shows that the file is of another machine is in
    `described_otherwise`.

    Raises UsageError when the file is no hwloc topology.
    """
    limits = read_limits(root)
    if affinity is None and root == _HERE:
        affinity = os.sched_getaffinity(0)
    allowed = _both(affinity, limits.cpus)
    cpuinfo = read_cpuinfo(root)
    topology = read_topology(root, allowed)
    otherwise: tuple[str, ...] = ()
    if hwloc_xml is not None:
        described, model = read_hwloc_and_model(hwloc_xml)
        here = Here(topology, cpuinfo.get("model name", ""), node_bytes(root))
        otherwise = other_machine(described, model, here)
        topology = _narrowed(described, allowed)
    if not otherwise:
        topology = _with_memory_of(topology, limits.memory_domains)
    host = host_name(root)
    return Machine(
        name=name or host,
        host=host,
        architecture=platform.machine(),
        cpu_model=cpu_model(cpuinfo, root),
        topology=topology,
        memory=within_domains(
            read_memory(root, limits.memory_bytes, limits.memory_left_bytes, limits.memory_source),
            topology.domains,
            root,
        ),
        software=replace(
            read_software(root),
            openmp_runtimes=find_openmp_runtimes(root),
            allocators=find_allocators(root),
            blas=find_blas(root),
            opencl=find_opencl(root),
            nvidia_driver=find_nvidia_driver(root),
        ),
        cpu_quota=limits.cpu_quota,
        features=cpu_features(cpuinfo),
        scalable_bits=scalable_bits(root),
        processor=known_processor(cpu_model(cpuinfo, root), root),
        channels=read_memory_channels(root),
        adapters=read_adapters(root),
        described_otherwise=otherwise,
    )


def _both(first: Collection[int] | None, second: Collection[int] | None) -> set[int] | None:
    if first is None or second is None:
        known = second if first is None else first
        return None if known is None else set(known)
    return set(first) & set(second)


def _narrowed(topology: Topology, allowed: Collection[int] | None) -> Topology:
    if allowed is None:
        return topology
    cpus = [replace(cpu, allowed=cpu.allowed and cpu.number in allowed) for cpu in topology.cpus]
    return replace(topology, cpus=tuple(cpus))


def _with_memory_of(topology: Topology, allowed: Collection[int] | None) -> Topology:
    """The topology without memory of domains that are not among those that are allowed."""
    if allowed is None:
        return topology
    domains = [
        replace(one, allowed=one.allowed and one.number in allowed) for one in topology.domains
    ]
    return replace(topology, domains=tuple(domains))

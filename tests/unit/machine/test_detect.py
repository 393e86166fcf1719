from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.machine.cgroup import read_limits
from machmeter.machine.detect import detect_machine
from machmeter.machine.memory import read_memory, swap_used_bytes
from machmeter.machine.software import (
    cpu_model,
    read_cpuinfo,
    read_software,
    scalable_bits,
)
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape, write, write_sysfs

HWLOC = DATA / "hwloc"
GROUPS = "sys/fs/cgroup"


def test_the_limit_of_addresses_is_one_of_memory(tmp_path: Path) -> None:
    line = "Max address space         3072000000           unlimited            bytes     \n"
    write(tmp_path, "proc/self/limits", f"Limit  Soft Limit  Hard Limit  Units\n{line}")
    limits = read_limits(tmp_path)
    assert (limits.memory_bytes, limits.memory_source) == (3072000000, "ulimit -v")
    assert limits.memory_left_bytes is not None
    assert 2.5e9 < limits.memory_left_bytes < 3e9
    write(tmp_path, "proc/self/limits", line.replace("3072000000", "unlimited "))
    assert read_limits(tmp_path).memory_bytes == 0


def test_limits_of_version_two_are_the_tightest_on_the_way_up(tmp_path: Path) -> None:
    write(tmp_path, "proc/self/cgroup", "0::/job/step")
    write(tmp_path, f"{GROUPS}/cpuset.cpus.effective", "0-63")
    write(tmp_path, f"{GROUPS}/job/cpuset.cpus.effective", "0-7")
    write(tmp_path, f"{GROUPS}/job/step/cpuset.cpus.effective", "2-9")
    write(tmp_path, f"{GROUPS}/job/memory.max", 4 * 2**30)
    write(tmp_path, f"{GROUPS}/job/step/memory.max", "max")
    write(tmp_path, f"{GROUPS}/job/step/cpu.max", "250000 100000")
    write(tmp_path, f"{GROUPS}/job/cpu.max", "max 100000")
    write(tmp_path, f"{GROUPS}/job/step/cpu.stat", "usage_usec 5\nnr_throttled 12")
    limits = read_limits(tmp_path)
    assert limits.cpus == (2, 3, 4, 5, 6, 7)
    assert limits.memory_bytes == 4 * 2**30
    assert limits.cpu_quota == 2.5
    assert limits.throttled_periods == 12


def test_limits_of_version_one(tmp_path: Path) -> None:
    lines = "5:memory:/box\n4:cpu,cpuacct:/box\n3:cpuset:/box\n2:name=systemd:/"
    write(tmp_path, "proc/self/cgroup", lines)
    write(tmp_path, f"{GROUPS}/memory/box/memory.limit_in_bytes", 2**31)
    write(tmp_path, f"{GROUPS}/memory/memory.limit_in_bytes", 2**63 - 4096)
    write(tmp_path, f"{GROUPS}/cpu,cpuacct/box/cpu.cfs_quota_us", 150000)
    write(tmp_path, f"{GROUPS}/cpu,cpuacct/box/cpu.cfs_period_us", 100000)
    write(tmp_path, f"{GROUPS}/cpuset/box/cpuset.effective_cpus", "1,3")
    limits = read_limits(tmp_path)
    assert (limits.cpus, limits.memory_bytes, limits.cpu_quota) == ((1, 3), 2**31, 1.5)


@pytest.mark.parametrize("group", ["/host/path/unseen", "/../../elsewhere"])
def test_a_group_outside_what_is_visible_is_read_at_the_top(group: str, tmp_path: Path) -> None:
    write(tmp_path, "proc/self/cgroup", f"0::{group}")
    write(tmp_path, f"{GROUPS}/memory.max", 2**30)
    write(tmp_path, "sys/elsewhere/memory.max", 5)
    assert read_limits(tmp_path).memory_bytes == 2**30


def test_no_groups_no_limits(tmp_path: Path) -> None:
    limits = read_limits(tmp_path)
    assert (limits.cpus, limits.memory_bytes, limits.cpu_quota) == (None, 0, 0.0)


def test_memory(tmp_path: Path) -> None:
    write(
        tmp_path,
        "proc/meminfo",
        "MemTotal: 8192 kB\nMemAvailable: 4096 kB\nHugePages_Free: 3\nHugepagesize: 2048 kB\n"
        "SwapTotal: 100 kB\nSwapFree: 60 kB",
    )
    write(tmp_path, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]")
    memory = read_memory(tmp_path, limit_bytes=2**20)
    assert (memory.total_bytes, memory.available_bytes) == (2**23, 2**22)
    assert (memory.huge_page_bytes, memory.huge_pages_free) == (2**21, 3)
    assert memory.transparent_huge_pages == "never"
    assert memory.usable_bytes == 2**20
    assert read_memory(tmp_path, limit_bytes=2**40).limit_bytes == 0, "no limit beyond the memory"
    assert swap_used_bytes(tmp_path) == 40 * 1024


def test_software_of_a_virtual_machine_in_a_container(tmp_path: Path) -> None:
    write(tmp_path, "proc/cpuinfo", "model name : Some  CPU\nflags : fpu hypervisor\nmicrocode: 7")
    write(tmp_path, "sys/class/dmi/id/sys_vendor", "ScaleMP")
    write(tmp_path, "run/.containerenv", "")
    write(tmp_path, "etc/os-release", 'NAME="X"\nPRETTY_NAME="X Linux 9"')
    write(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave")
    write(tmp_path, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance")
    write(tmp_path, "sys/devices/system/cpu/intel_pstate/no_turbo", "1")
    write(tmp_path, "proc/sys/kernel/numa_balancing", "1")
    write(tmp_path, "proc/version", "Linux version 6.1 #1 SMP PREEMPT_DYNAMIC Debian")
    found = read_software(tmp_path)
    assert (found.hypervisor, found.container) == ("ScaleMP vSMP", "Podman")
    assert found.distribution == "X Linux 9"
    assert found.governor == "performance, powersave"
    assert (found.boost, found.numa_balancing, found.microcode) == ("off", "on", "7")
    assert found.scheduler == "PREEMPT_DYNAMIC"
    assert cpu_model(read_cpuinfo(tmp_path)) == "Some CPU"


def test_a_plain_machine_has_neither_hypervisor_nor_container(tmp_path: Path) -> None:
    write(tmp_path, "proc/cpuinfo", "model name : X\nflags : fpu")
    found = read_software(tmp_path)
    assert (found.hypervisor, found.container, found.numa_balancing) == ("", "", "absent")


def test_a_large_machine_within_a_cpuset(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape().topology())
    write(tmp_path, "proc/self/cgroup", "0::/")
    write(tmp_path, f"{GROUPS}/cpuset.cpus.effective", "8-15")
    write(tmp_path, f"{GROUPS}/cpu.max", "400000 100000")
    write(tmp_path, "proc/sys/kernel/hostname", "big")
    machine = detect_machine(root=tmp_path, affinity=range(12, 64))
    assert [cpu.number for cpu in machine.topology.usable] == [12, 13, 14, 15]
    assert (machine.name, machine.cpu_quota) == ("big", 4.0)


def test_cpus_of_a_topology_file_are_narrowed_to_those_that_may_be_used() -> None:
    machine = detect_machine("x", hwloc_xml=HWLOC / "thirteen_boards.xml")
    usable = {cpu.number for cpu in machine.topology.usable}
    assert len(machine.topology.cpus) == 104
    assert usable == os.sched_getaffinity(0) & set(range(104))


def test_this_machine() -> None:
    machine = detect_machine("here")
    assert machine.name == "here"
    assert {cpu.number for cpu in machine.topology.usable} == os.sched_getaffinity(0)
    assert 0 < machine.memory.available_bytes <= machine.memory.total_bytes
    assert machine.software.kernel == os.uname().release


@pytest.mark.parametrize(
    ("group", "limit", "used", "idle"),
    [
        ("0::/job", "memory.max", "memory.current", "inactive_file"),
        ("5:memory:/job", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ],
    ids=["version two", "version one"],
)
def test_what_a_group_holds_is_not_left(
    tmp_path: Path, group: str, limit: str, used: str, idle: str
) -> None:
    top = f"{GROUPS}/memory" if "memory:" in group else GROUPS
    write(tmp_path, "proc/self/cgroup", group)
    write(tmp_path, f"{top}/job/{limit}", 8 * 2**30)
    write(tmp_path, f"{top}/job/{used}", 5 * 2**30)
    write(tmp_path, f"{top}/job/memory.stat", f"anon 7\n{idle} {2 * 2**30}\nfile 9")
    assert read_limits(tmp_path).memory_left_bytes == 5 * 2**30
    again = idle.replace("inactive", "active")
    stat = f"anon 7\n{idle} {2**30}\n{again} {2**30}\nfile 9"
    write(tmp_path, f"{top}/job/memory.stat", stat)
    assert read_limits(tmp_path).memory_left_bytes == 5 * 2**30
    # Others share the group above: its limit is met first, though it is higher.
    write(tmp_path, f"{top}/{limit}", 16 * 2**30)
    write(tmp_path, f"{top}/{used}", 15 * 2**30)
    limits = read_limits(tmp_path)
    assert (limits.memory_bytes, limits.memory_left_bytes) == (8 * 2**30, 2**30)
    write(tmp_path, "proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable: 16777216 kB")
    memory = read_memory(tmp_path, limits.memory_bytes, limits.memory_left_bytes)
    assert (memory.limit_bytes, memory.usable_bytes) == (8 * 2**30, 2**30)


def test_scalable_registers_have_the_length_that_a_process_gets(tmp_path: Path) -> None:
    assert scalable_bits(tmp_path) == 0
    write(tmp_path, "proc/sys/abi/sve_default_vector_length", 32)
    assert scalable_bits(tmp_path) == 256


@pytest.mark.parametrize(
    ("high", "most", "limit", "left", "source"),
    [
        (2**30, "max", 2**30, 2**29, "memory.high"),
        ("max", 2**30, 2**30, 2**29, "memory.max"),
        (2**31, 2**30, 2**30, 2**29, "memory.max"),
        (2**30, 2**31, 2**30, 2**29, "memory.high"),
        ("max", "max", 0, None, ""),
    ],
)
def test_memory_that_a_group_is_throttled_beyond_is_a_limit(
    high: object, most: object, limit: int, left: int | None, source: str, tmp_path: Path
) -> None:
    write(tmp_path, "proc/self/cgroup", "0::/user.slice/u.scope")
    write(tmp_path, f"{GROUPS}/user.slice/u.scope/memory.high", high)
    write(tmp_path, f"{GROUPS}/user.slice/u.scope/memory.max", most)
    write(tmp_path, f"{GROUPS}/user.slice/u.scope/memory.current", 2**29)
    limits = read_limits(tmp_path)
    found = (limits.memory_bytes, limits.memory_left_bytes, limits.memory_source)
    assert found == (limit, left, source)


@pytest.mark.parametrize(
    ("status", "group", "allowed"),
    [
        ("Mems_allowed: 00000000,00000005\nMems_allowed_list: 0,2", "", (0, 2)),
        ("Mems_allowed: 00000000,00000005", "", (0, 2)),
        ("Mems_allowed: 00000001,00000005", "", (0, 2, 32)),
        ("Mems_allowed_list: 0-7", "0,3", (0, 3)),
        ("Mems_allowed_list: 0-7", "", (0, 1, 2, 3)),
        ("Mems_allowed_list: none\n", "", (0, 1, 2, 3)),
        (f"Mems_allowed: {'1,' * 70000}1", "", (0, 1, 2, 3)),
        ("", "1", (1,)),
    ],
)
def test_only_memory_of_allowed_domains_may_be_allocated(
    status: str, group: str, allowed: tuple[int, ...], tmp_path: Path
) -> None:
    topology = Shape(1, 4, 1, 1).topology()
    write_sysfs(tmp_path, topology)
    write(tmp_path, "proc/self/status", status)
    write(tmp_path, "proc/self/cgroup", "0::/")
    if group:
        write(tmp_path, f"{GROUPS}/cpuset.mems.effective", group)
    machine = detect_machine(root=tmp_path)
    usable = tuple(number for number in allowed if number < 4)
    assert machine.topology.memory_domains == usable
    limited = len(usable) < 4
    assert machine.memory.limit_bytes == (len(usable) * 2**36 if limited else 0)
    assert machine.memory.limit_source == ("Mems_allowed" if limited else "")
    assert machine.memory.usable_bytes <= len(usable) * 2**36


def test_what_allowed_domains_have_free_is_left(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 2, 1, 1).topology())
    write(tmp_path, "proc/self/status", "Mems_allowed_list: 1")
    node = f"Node 1 MemTotal: {2**26} kB\nNode 1 MemFree: 1024 kB\nNode 1 Inactive(file): 1024 kB"
    write(tmp_path, "sys/devices/system/node/node1/meminfo", node)
    assert detect_machine(root=tmp_path).memory.usable_bytes == 2**21


def test_a_tighter_limit_than_that_of_domains_stays(tmp_path: Path) -> None:
    write_sysfs(tmp_path, Shape(1, 2, 1, 1).topology())
    write(tmp_path, "proc/self/status", "Mems_allowed_list: 1")
    write(tmp_path, "proc/self/cgroup", "0::/")
    write(tmp_path, f"{GROUPS}/memory.high", 2**30)
    memory = detect_machine(root=tmp_path).memory
    assert (memory.limit_bytes, memory.limit_source) == (2**30, "memory.high")
    assert memory.usable_bytes == 2**30

"""What runs on the machine, as far as it changes results."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from machmeter.machine.drivers import read_drivers, read_firmware
from machmeter.machine.system_files import (
    key_values,
    numbered,
    read_int,
    read_text,
    selected_word,
)
from machmeter.model.machine import Software

_CPU = "sys/devices/system/cpu"
_VIRTUAL_PRODUCTS = (
    ("scalemp", "ScaleMP vSMP"),
    ("vsmp", "ScaleMP vSMP"),
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("kvm", "KVM"),
    ("qemu", "KVM or QEMU"),
    ("openstack", "KVM (OpenStack)"),
    ("amazon ec2", "Amazon EC2"),
    ("google compute", "Google Compute Engine"),
    ("hyper-v", "Hyper-V"),
    ("virtual machine", "Hyper-V"),
    ("firecracker", "Firecracker"),
    ("bhyve", "bhyve"),
    ("parallels", "Parallels"),
    ("xen", "Xen"),
)
_CONTAINER_FILES = ((".dockerenv", "Docker"), ("run/.containerenv", "Podman"))
_CONTAINER_GROUPS = (
    ("kubepods", "Kubernetes"),
    ("docker", "Docker"),
    ("libpod", "Podman"),
    ("containerd", "containerd"),
    ("lxc", "LXC"),
    ("garden", "Garden"),
)


def read_software(root: Path = Path("/")) -> Software:
    """Kernel, libraries, virtualization and settings; a word is empty where nothing is known."""
    cpuinfo = read_cpuinfo(root)
    return Software(
        kernel=read_text(root / "proc/sys/kernel/osrelease") or platform.release(),
        distribution=_distribution(root),
        libc=" ".join(platform.libc_ver()).strip(),
        hypervisor=_hypervisor(root, cpuinfo),
        container=_container(root),
        as_root=os.geteuid() == 0,
        governor=_governor(root),
        clock_source=read_text(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        numa_balancing=_numa_balancing(root),
        scheduler=_scheduler(root),
        microcode=cpuinfo.get("microcode", ""),
        boost=_boost(root),
        firmware=read_firmware(root),
        drivers=read_drivers(root),
    )


def read_cpuinfo(root: Path = Path("/")) -> dict[str, str]:
    """/proc/cpuinfo of the first CPU, by key."""
    return key_values(read_text(root / "proc/cpuinfo"))


def cpu_model(cpuinfo: dict[str, str], root: Path = Path("/")) -> str:
    """The CPU's name, as x86, POWER, s390 or a device tree give it."""
    for key in ("model name", "cpu model", "cpu", "uarch"):
        if cpuinfo.get(key):
            return " ".join(cpuinfo[key].split())
    board = read_text(root / "proc/device-tree/model")
    if cpuinfo.get("CPU part"):
        part = f"implementer {cpuinfo.get('CPU implementer', '?')} part {cpuinfo['CPU part']}"
        return f"{board} ({part})" if board else part
    return board or "unknown"


def cpu_features(cpuinfo: dict[str, str]) -> tuple[str, ...]:
    """Instruction set extensions by the kernel's names, sorted."""
    words = cpuinfo.get("flags") or cpuinfo.get("Features") or cpuinfo.get("isa") or ""
    return tuple(sorted(set(words.split())))


def scalable_bits(root: Path) -> int:
    """Length of the scalable vector registers (SVE) that a process gets by default; 0: none."""
    return 8 * max(0, read_int(root / "proc/sys/abi/sve_default_vector_length"))


def _distribution(root: Path) -> str:
    release = key_values(read_text(root / "etc/os-release"), "=")
    return release.get("PRETTY_NAME", release.get("NAME", "")).strip("\"'")


def _hypervisor(root: Path, cpuinfo: dict[str, str]) -> str:
    dmi = root / "sys/class/dmi/id"
    product = " ".join(
        read_text(dmi / name) for name in ("sys_vendor", "product_name", "bios_vendor")
    ).lower()
    for mark, name in _VIRTUAL_PRODUCTS:
        if mark in product:
            return name
    kind = read_text(root / "sys/hypervisor/type")
    if kind:
        return kind
    clock = read_text(root / "sys/devices/system/clocksource/clocksource0/available_clocksource")
    virtual = "hypervisor" in cpuinfo.get("flags", "").split()
    for mark, name in (("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen")):
        if virtual and mark in clock:
            return name
    return "yes, of unknown kind" if virtual else ""


def _container(root: Path) -> str:
    for file, name in _CONTAINER_FILES:
        if (root / file).exists():
            return name
    if (root / ".singularity.d").is_dir():
        return "Apptainer"
    groups = read_text(root / "proc/self/cgroup") + read_text(root / "proc/1/cgroup")
    for mark, name in _CONTAINER_GROUPS:
        if mark in groups:
            return name
    environment = read_text(root / "proc/1/environ").split("\0")
    named = [
        word.removeprefix("container=") for word in environment if word.startswith("container=")
    ]
    return named[0] if named else ""


def _governor(root: Path) -> str:
    governors = {
        read_text(folder / "cpufreq/scaling_governor")
        for folder in numbered(root / _CPU, "cpu").values()
    }
    return ", ".join(sorted(governors - {""}))


def _boost(root: Path) -> str:
    no_turbo = read_int(root / _CPU / "intel_pstate/no_turbo")
    boost = read_int(root / _CPU / "cpufreq/boost")
    if no_turbo >= 0:
        return "off" if no_turbo else "on"
    return {1: "on", 0: "off"}.get(boost, "")


def _numa_balancing(root: Path) -> str:
    value = read_int(root / "proc/sys/kernel/numa_balancing")
    return {-1: "absent", 0: "off"}.get(value, "on")


def _scheduler(root: Path) -> str:
    """The kernel's preemption model, and the scheduler that BPF put in its place if any."""
    ops = read_text(root / "sys/kernel/sched_ext/root/ops")
    if ops:
        return f"sched_ext {ops}"
    mode = selected_word(read_text(root / "sys/kernel/debug/sched/preempt"))
    words = read_text(root / "proc/version").split()
    models = [word for word in words if word.startswith("PREEMPT")]
    return " ".join([*models[:1], *([f"({mode})"] if mode else [])])


def isolated_cpus(root: Path = Path("/")) -> str:
    """CPUs that the kernel keeps free of other tasks (`isolcpus`), as it lists them."""
    return read_text(root / _CPU / "isolated")


def host_name(root: Path = Path("/")) -> str:
    """The machine's name in the network."""
    return read_text(root / "proc/sys/kernel/hostname") or os.uname().nodename

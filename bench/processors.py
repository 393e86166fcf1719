"""Families of CPUs that a target holds on. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class CpuFamily(Struct, frozen=True):
    """CPUs of one design, by what /proc/cpuinfo says of them; models: first and last of ranges."""

    name: str
    vendor: str
    family: int
    models: tuple[tuple[int, int], ...]

    def includes(self, cpuinfo: Mapping[str, str]) -> bool:
        """Whether the CPU of that /proc/cpuinfo is one of them."""
        model = cpuinfo.get("model", "")
        return (
            cpuinfo.get("vendor_id") == self.vendor
            and cpuinfo.get("cpu family") == str(self.family)
            and model.isdecimal()
            and any(first <= int(model) <= last for first, last in self.models)
        )

    def text(self) -> str:
        """Which CPUs these are."""
        models = ", ".join(f"{first:#x}-{last:#x}" for first, last in self.models)
        return f"{self.name} is {self.vendor} family {self.family}, models {models}"


# As Linux tells Zen 4 from Zen 3, which has the same family (arch/x86/kernel/cpu/amd.c).
ZEN4 = CpuFamily("Zen 4", "AuthenticAMD", 25, ((0x10, 0x1F), (0x60, 0xAF)))

# Zen 3 and Zen 4: two units of 256 bits for fused multiply-adds in each core.
ZEN3_OR_4 = CpuFamily("Zen 3 or 4", "AuthenticAMD", 25, ((0x00, 0xAF),))


def this_cpu(cpuinfo: Mapping[str, str]) -> str:
    """The CPU of that /proc/cpuinfo in the same words."""
    vendor, family = cpuinfo.get("vendor_id", "another"), cpuinfo.get("cpu family", "unknown")
    model = cpuinfo.get("model", "")
    return f"{vendor} family {family}, model {int(model):#x}" if model.isdecimal() else vendor

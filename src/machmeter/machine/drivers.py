"""Firmware and drivers, as far as they tell their versions: what an update changes unseen."""

from __future__ import annotations

from pathlib import Path

from machmeter.machine.system_files import read_text

_MODULES = (
    *("mlx5_core", "mlx4_core", "ib_core", "hfi1", "bnxt_re", "irdma", "ice", "i40e", "ixgbe"),
    *("ena", "efa", "cxi_core", "kfi_cxi", "xpmem", "knem", "nvidia", "nvidia_peermem", "amdgpu"),
)
_MOST_DEVICES = 64


def read_firmware(root: Path = Path("/")) -> str:
    """The board's firmware with its date, as DMI has it; empty where it does not tell."""
    dmi = root / "sys/class/dmi/id"
    words = (read_text(dmi / name) for name in ("bios_vendor", "bios_version", "bios_date"))
    return " ".join(" ".join(word.split()) for word in words if word)


def read_drivers(root: Path = Path("/")) -> dict[str, str]:
    """Versions by name: kernel modules that carry traffic or compute, InfiniBand's firmware.

    A module that comes with the kernel has none of its own: its version is the kernel's.
    """
    modules = {
        name: version
        for name in _MODULES
        if (version := read_text(root / "sys/module" / name / "version"))
    }
    try:
        devices = sorted((root / "sys/class/infiniband").iterdir())[:_MOST_DEVICES]
    except OSError:
        devices = []
    firmware = {
        f"{device.name}-firmware": version
        for device in devices
        if (version := read_text(device / "fw_ver"))
    }
    return {name: "-".join(text.split()) for name, text in (modules | firmware).items()}

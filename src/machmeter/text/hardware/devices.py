"""Devices as text."""

from __future__ import annotations

from machmeter.model.device import Device, NamedDevice
from machmeter.model.units import format_bytes
from machmeter.text.numbers import count_text

_KINDS = {"cpu": "CPU", "gpu": "GPU"}


def device_kind_text(device: Device) -> str:
    """`GPU`; empty where it does not say."""
    return _KINDS.get(device.kind or "", device.kind or "")


def device_text(named: NamedDevice) -> str:
    """`opencl:0 NVIDIA H100 (GPU, 132 units, 80 GiB, NVIDIA CUDA, driver 575.57)`."""
    device = named.device
    parts = (
        device_kind_text(device),
        count_text(device.units, "unit", "units") if device.units else "",
        format_bytes(device.memory_bytes) if device.memory_bytes else "",
        device.platform or "",
        f"driver {device.driver}" if device.driver else "",
    )
    known = ", ".join(filter(None, parts))
    return f"{named.name} {device.name}" + f" ({known})" * bool(known)

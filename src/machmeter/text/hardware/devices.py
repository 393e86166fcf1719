"""Devices as text."""

from __future__ import annotations

from collections.abc import Iterable

from machmeter.model.device import Device, DeviceUse, HostCpus, NamedDevice, Range
from machmeter.model.units import format_bytes
from machmeter.text.numbers import count_text

_UNITS = {"hz": (1e-6, "MHz"), "celsius": (1.0, "°C"), "w": (1.0, "W")}
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


def range_text(value: Range | None, field: str) -> str:
    """`345 to 1,980 MHz`, of a field whose name ends in its unit; `unknown`."""
    if value is None:
        return "unknown"
    factor, symbol = _UNITS[field.rpartition("_")[2]]
    ends = dict.fromkeys(f"{end * factor:,.0f}" for end in value)
    return f"{' to '.join(ends)} {symbol}"


def state_text(use: DeviceUse, field: str) -> str:
    """Before and after points: `345 MHz / 1,755 to 1,980 MHz`; once where both are the same."""
    ends = (range_text(getattr(one, field), field) for one in (use.before, use.after))
    return " / ".join(dict.fromkeys(ends))


def reasons_text(use: DeviceUse) -> str:
    """`sw_power_cap at 3 of 9 points`; empty for none."""
    return ", ".join(f"{one} at {n} of {use.points} points" for one, n in use.clock_reasons.items())


def device_states(uses: Iterable[DeviceUse]) -> Iterable[str]:
    """`device.fma on cuda:0: SM clock 345 MHz / 1,980 MHz, 41 °C / 63 °C, ...`, of what is known
    of each."""
    for one in uses:
        clock, heat = state_text(one, "sm_clock_hz"), state_text(one, "temperature_celsius")
        known = {f"SM clock {clock}": one.after.sm_clock_hz, heat: one.after.temperature_celsius}
        known[state_text(one, "power_w")] = one.after.power_w
        far = one.host_cpus in (HostCpus.FAR, HostCpus.BOTH)
        cpus = [f"from {one.host_cpus.value} CPUs"] * far
        parts = [text for text, value in known.items() if value is not None]
        if cpus or parts:
            yield f"{one.benchmark} on {one.device}: {', '.join([*cpus, *parts])}"

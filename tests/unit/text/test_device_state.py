"""States of devices as text."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.device import DeviceRanges, DeviceUse, HostCpus
from machmeter.text.hardware.devices import (
    device_states,
    range_text,
    reasons_text,
    state_text,
)

UNKNOWN = DeviceRanges(None, None, None, None)
BEFORE = DeviceRanges((345e6, 345e6), (2.619e9, 2.619e9), (40.0, 41.0), (70.2, 120.0))
AFTER = DeviceRanges((1.755e9, 1.98e9), (2.619e9, 2.619e9), (60.0, 63.0), (500.0, 650.0))
USE = DeviceUse(
    "device.fma", "cuda:0", HostCpus.FAR, 9, BEFORE, AFTER, None, None, {"sw_power_cap": 3}
)


def test_ranges_have_their_unit_and_equal_ends_stand_once() -> None:
    assert range_text((1.755e9, 1.98e9), "sm_clock_hz") == "1,755 to 1,980 MHz"
    assert range_text((41.0, 41.0), "temperature_celsius") == "41 °C"
    assert range_text(None, "power_w") == "unknown"
    assert state_text(USE, "sm_clock_hz") == "345 MHz / 1,755 to 1,980 MHz"
    assert state_text(USE, "memory_clock_hz") == "2,619 MHz"
    assert reasons_text(USE) == "sw_power_cap at 3 of 9 points"


def test_a_line_says_what_is_known_and_nothing_of_the_rest() -> None:
    (line,) = device_states([USE])
    assert line == (
        "device.fma on cuda:0: from far CPUs, SM clock 345 MHz / 1,755 to 1,980 MHz, "
        "40 to 41 °C / 60 to 63 °C, 70 to 120 W / 500 to 650 W"
    )
    nothing = replace(USE, before=UNKNOWN, after=UNKNOWN, host_cpus=HostCpus.UNKNOWN)
    assert not list(device_states([nothing]))

"""The device that a launch measures, as variables of its program."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, field

from machmeter.build.devices.nvrtc import compiler_settings
from machmeter.build.process import run_tool
from machmeter.machine.opencl import INSTALL
from machmeter.model.device import (
    Device,
    DeviceList,
    LibraryWithoutDevice,
    NamedDevice,
)
from machmeter.model.errors import MachineLacksError, storage_error
from machmeter.model.layout import Layout
from machmeter.store.cache_trust import make_closed, refuse_untrusted

SELECTED = "MACHMETER_DEVICE"
"""The variable that names a device, `opencl:LIBRARY:NUMBER`, `cuda:UUID` or its number among all;
without it the first is measured."""
_BY_LIBRARY = "opencl:"


class _Line(Struct, frozen=True):
    """A line of what the program lists: a device, or why an implementation has none."""

    select: str = ""
    device: Device | None = None
    file: str = field(default="", name="library")
    failure: str = ""


def list_devices(program: str, environment: Mapping[str, str]) -> DeviceList:
    """What machmeter-device at that path finds on this machine, in a process of its own.

    Raises MachineLacksError where it fails.
    """
    output = run_tool(
        [program, "--list"],
        doing="looking for devices",
        remedy=INSTALL,
        timeout=300,
        environment=environment,
        answers=True,
    )
    found: list[NamedDevice] = []
    without = []
    for line in output.splitlines():
        one = msgspec.json.decode(line, type=_Line)
        if one.device is None:
            without.append(LibraryWithoutDevice(one.file, one.failure))
            continue
        number = sum(other.device.api == one.device.api for other in found)
        same = (other.name for other in found if other.device.is_same_as(one.device))
        name = f"{one.device.api}:{number}"
        found.append(NamedDevice(name, one.select, one.device, next(same, "")))
    return DeviceList(tuple(found), tuple(without))


def refuse_no_device(listed: DeviceList) -> None:
    """Raise MachineLacksError where there is none, with what the implementations say."""
    if not listed.devices:
        raise MachineLacksError(
            f"this machine has no device that machmeter can measure{_reasons(listed)}", INSTALL
        )


def selected_device(program: str, environment: Mapping[str, str], named: str) -> NamedDevice:
    """The device to measure: the one `named` as of `SELECTED` (empty: the first). One that is named
    by its library is not looked for: nothing else is known of it.

    Raises MachineLacksError where there is none.
    """
    if named.startswith(_BY_LIBRARY):
        return NamedDevice(named, named, Device("opencl", named))
    listed = list_devices(program, environment)
    refuse_no_device(listed)
    if (number := named or "0").isdecimal() and int(number) < len(listed.devices):
        return listed.devices[int(number)]
    for one in listed.devices:
        if one.select == named:
            return one
    there = f"there are {len(listed.devices)}{_reasons(listed)}"
    raise MachineLacksError(f"{SELECTED}={named} names no device: {there}", INSTALL)


def _reasons(listed: DeviceList) -> str:
    why = "; ".join(f"{one.file}: {one.reason}" for one in listed.without)
    return f" ({why})" if why else ""


def device_settings(
    selected: NamedDevice, layout: Layout, cache: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    """What the program of a launch gets: its device and what compiles for it; for one on the host's
    CPUs as many threads as the layout has; and where compiled kernels are kept. environment: the
    caller's.

    Raises MachineLacksError where the cache cannot be written, or as `refuse_untrusted` and
    `compiler_settings`.
    """
    kernels = cache / "pocl"
    refuse_untrusted((kernels,), cache, os.environ)
    try:
        make_closed(kernels)
    except OSError as error:
        raise storage_error(error, kernels) from error
    threads = str(layout.threads_per_rank)
    return {
        SELECTED: selected.select,
        **compiler_settings(selected.device, cache, environment),
        # By its name before version 4, and since.
        "POCL_MAX_PTHREAD_COUNT": threads,
        "POCL_CPU_MAX_CU_COUNT": threads,
        "POCL_CACHE_DIR": str(kernels),
    }

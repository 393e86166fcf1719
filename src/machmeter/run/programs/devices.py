"""The devices of this machine, listed by a program that is compiled for it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.devices.selected import list_devices, refuse_no_device
from machmeter.launch.environment import launch_environment
from machmeter.machine.opencl import INSTALL, find_nvidia_driver, find_opencl
from machmeter.model.device import DeviceList, NamedDevice
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext, Notify, compiled_alone


def listed_devices(
    compiler_name: str, flags: tuple[str, ...], context: BuildContext, notify: Notify
) -> DeviceList:
    """Every device that launches could measure; compiler_name, flags: as of `compiled_alone`.

    Raises MachineLacksError where there is none, and as `compiled_alone`.
    """
    if not find_opencl() and not find_nvidia_driver():
        raise MachineLacksError(
            "this machine has no OpenCL and no driver of NVIDIA's, by which devices are measured",
            INSTALL,
        )
    program = compiled_alone(
        DEVICE_PROGRAM, DEVICE_STREAM.name, compiler_name, flags, context, notify
    )
    listed = list_devices(program, launch_environment(context.environment, None))
    refuse_no_device(listed)
    return listed


def with_devices(
    requests: Sequence[Request], machine: Machine, context: BuildContext, notify: Notify
) -> Machine:
    """This machine with the devices that the requests of a run measure: those that they name, else
    the first that is not the CPUs, else the first, of those with double precision and where any is
    measured.

    Raises UsageError for a name that none has, MachineLacksError for a device without double
    precision and as `listed_devices`.
    """
    named = dict.fromkeys(name for one in requests for name in one.layout_options.devices or ())
    measured = (known(e.benchmark) for one in requests for e in one.study.experiments)
    of_devices = any(one and one.program == DEVICE_PROGRAM for one in measured)
    software = machine.software
    if not named and not (of_devices and (software.opencl or software.nvidia_driver)):
        return machine
    listed = listed_devices(requests[0].compiler, requests[0].flags, context, notify)
    if not named:
        capable = [one for one in listed.devices if one.device.double_precision is not False]
        separate = (one for one in capable if one.device.kind != "cpu")
        first = next(separate, (capable or listed.devices)[0])
        return replace(machine, devices=_capable(first))
    there = {one.name: one for one in listed.devices}
    for name in named:
        if name not in there:
            raise UsageError(
                f"this machine has no device {name!r}; it has {', '.join(there)}",
                "`machmeter list devices` says which is which",
            )
    return replace(machine, devices=_capable(*(there[name] for name in named)))


def _capable(*devices: NamedDevice) -> tuple[NamedDevice, ...]:
    for one in devices:
        if one.device.double_precision is False:
            raise MachineLacksError(
                f"device {one.name} ({one.device.name}) has no double precision, which every "
                "benchmark of devices needs",
                "`machmeter list devices` shows which devices have it",
            )
    return devices

"""The devices of this machine, listed by a program that is compiled for it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.network.messages import ON_DEVICE
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.devices.selected import list_devices, refuse_no_device
from machmeter.launch.environment import launch_environment
from machmeter.machine.opencl import INSTALL, find_nvidia_driver, find_opencl
from machmeter.model.device import DeviceList, NamedDevice
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Study
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
    measuring = [one for one in requests if measures_devices(one.study)]
    named = dict.fromkeys(name for one in measuring for name in one.layout_options.devices or ())
    software = machine.software
    if not named and not (measuring and (software.opencl or software.nvidia_driver)):
        return machine
    compiler, flags = requests[0].compiler, requests[0].flags
    if not named:
        try:
            listed = listed_devices(compiler, flags, context, notify)
            return replace(machine, devices=_first(listed))
        except MachineLacksError as error:
            if not any(_is_about_others(one.study) for one in measuring):
                raise
            notify(f"without devices: {error}")
            return replace(machine, devices=())
    listed = listed_devices(compiler, flags, context, notify)
    # An earlier run names them by what no other device has: their numbers may change.
    there = {one.name: one for one in listed.devices}
    there |= {one.select: one for one in listed.devices}
    for name in named:
        if name not in there:
            raise UsageError(
                f"this machine has no device {name!r}; it has "
                f"{', '.join(one.name for one in listed.devices)}",
                "`machmeter list devices` says which is which",
            )
    wanted = dict.fromkeys(there[name] for name in named)
    return replace(machine, devices=_capable(*wanted))


def measures_devices(study: Study) -> bool:
    """Whether a study measures devices, or messages between their memories."""
    buffers, on_device = ON_DEVICE
    return any(
        _is_of_devices(one.benchmark) or on_device in one.parameters.get(buffers, ())
        for one in study.experiments
    )


def _is_about_others(study: Study) -> bool:
    """Whether it answers, or without questions measures, more than devices."""
    about = [one.benchmark for one in study.questions or study.experiments]
    return not all(map(_is_of_devices, about))


def _is_of_devices(name: str) -> bool:
    benchmark = known(name)
    return benchmark is not None and benchmark.program == DEVICE_PROGRAM


def _first(listed: DeviceList) -> tuple[NamedDevice, ...]:
    capable = [one for one in listed.devices if one.device.double_precision is not False]
    separate = (one for one in capable if one.device.kind != "cpu")
    return _capable(next(separate, (capable or listed.devices)[0]))


def _capable(*devices: NamedDevice) -> tuple[NamedDevice, ...]:
    for one in devices:
        if one.device.double_precision is False:
            raise MachineLacksError(
                f"device {one.name} ({one.device.name}) has no double precision, which every "
                "benchmark of devices needs",
                "`machmeter list devices` shows which devices have it",
            )
    return devices

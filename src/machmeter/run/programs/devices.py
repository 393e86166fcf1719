"""The devices of this machine, listed by a program that is compiled for it."""

from __future__ import annotations

from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.devices import list_devices, refuse_no_device
from machmeter.launch.environment import launch_environment
from machmeter.machine.opencl import INSTALL, find_opencl
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.plan.device import DeviceList, NamedDevice
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext, Notify, compiled_alone


def listed_devices(
    compiler_name: str, flags: tuple[str, ...], context: BuildContext, notify: Notify
) -> DeviceList:
    """Every device that launches could measure; compiler_name, flags: as of `compiled_alone`.

    Raises MachineLacksError where there is none, and as `compiled_alone`.
    """
    if not find_opencl():
        raise MachineLacksError(
            "this machine has no OpenCL, by which devices are measured", INSTALL
        )
    program = compiled_alone(
        DEVICE_PROGRAM, DEVICE_STREAM.name, compiler_name, flags, context, notify
    )
    listed = list_devices(program, launch_environment(context.environment, None))
    refuse_no_device(listed)
    return listed


def requested_devices(
    request: Request, context: BuildContext, notify: Notify
) -> tuple[NamedDevice, ...]:
    """The devices that a request names, as this machine has them.

    Raises UsageError for a name that none has, MachineLacksError as `listed_devices`.
    """
    named = request.layout_options.devices or ()
    if not named:
        return ()
    listed = listed_devices(request.compiler, request.flags, context, notify)
    known = {one.name: one for one in listed.devices}
    for name in named:
        if name not in known:
            raise UsageError(
                f"this machine has no device {name!r}; it has {', '.join(known)}",
                "`machmeter list devices` says which is which",
            )
    return tuple(known[name] for name in named)

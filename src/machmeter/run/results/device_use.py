"""How devices were doing while accepted launches measured them. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import UNSET, UnsetType

from machmeter.machine.system_files import parse_cpu_list
from machmeter.model.device import (
    Device,
    DeviceDuringPoint,
    DeviceRanges,
    DeviceState,
    DeviceUse,
    HostCpus,
)
from machmeter.model.plan.launch import Record
from machmeter.run.results.disturbed import LaunchAsSeen


def is_on_gpu(record: Record) -> bool:
    """Whether it is of a device other than the CPUs of the host."""
    device = record.header.device if record.header else None
    return device is not None and device.kind != "cpu"


def device_uses(launches: Iterable[LaunchAsSeen]) -> tuple[DeviceUse, ...] | UnsetType:
    """Of each benchmark on each device that is not the host's CPUs, from CPUs as near; unset where
    there is none."""
    found: dict[tuple[str, str, HostCpus], list[DeviceDuringPoint]] = defaultdict(list)
    for spec, _, record in launches:
        header = record.header
        if header is None or header.device is None or not is_on_gpu(record):
            continue
        # Only the first thread speaks with the device.
        cpus = {cpu for place in header.places if place.thread == 0 for cpu in place.cpus}
        name = spec.layout.device or header.device.name
        key = (spec.benchmark, name, nearness(header.device, cpus))
        found[key] += [p.device_state for p in record.points if p.device_state is not UNSET]
    return tuple(_use(*key, points) for key, points in found.items()) or UNSET


def nearness(device: Device, cpus: set[int]) -> HostCpus:
    """Whether these CPUs of the host are those beside the device."""
    try:
        local = set(parse_cpu_list(device.local_cpus or ""))
    except ValueError:
        local = set()
    if not local or not cpus or device.numa is None:
        return HostCpus.UNKNOWN
    if cpus <= local:
        return HostCpus.NEAR
    return HostCpus.BOTH if cpus & local else HostCpus.FAR


def _use(
    benchmark: str, device: str, cpus: HostCpus, points: Sequence[DeviceDuringPoint]
) -> DeviceUse:
    reasons = Counter(
        reason
        for one in points
        for reason in {*(one.before.clock_reasons or ()), *(one.after.clock_reasons or ())}
    )
    return DeviceUse(
        benchmark=benchmark,
        device=device,
        host_cpus=cpus,
        points=len(points),
        before=_ranges([one.before for one in points]),
        after=_ranges([one.after for one in points]),
        mean_power_w=_range(
            None if one.energy_joules is None else one.energy_joules / one.seconds
            for one in points
            if one.seconds > 0
        ),
        power_limit_w=_range(one.after.power_limit_w for one in points),
        clock_reasons=dict(sorted(reasons.items())),
    )


def _ranges(states: Sequence[DeviceState]) -> DeviceRanges:
    return DeviceRanges(
        sm_clock_hz=_range(one.sm_clock_hz for one in states),
        memory_clock_hz=_range(one.memory_clock_hz for one in states),
        temperature_celsius=_range(one.temperature_celsius for one in states),
        power_w=_range(one.power_w for one in states),
    )


def _range(values: Iterable[float | None]) -> tuple[float, float] | None:
    known = [one for one in values if one is not None]
    return (min(known), max(known)) if known else None

"""Devices, as their programming interface and the system describe them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Device(Struct, frozen=True):
    """A device; null is unknown."""

    api: str
    """The programming interface that it was used by: `opencl` or `cuda`."""
    name: str
    """As it names itself."""
    kind: str | None = None
    """`cpu`: the processors are those of the host; `gpu`; or `accelerator`."""
    platform: str | None = None
    """The implementation of the programming interface."""
    vendor: str | None = None
    """Who made it, according to the implementation."""
    driver: str | None = None
    """Version of its driver."""
    runtime: str | None = None
    """Version of the implementation."""
    compiler: str | None = None
    """The language that its compiler takes, or the version of a compiler that is a library."""
    architecture: str | None = None
    """What its compiler makes code for: `sm_90`."""
    uuid: str | None = None
    """Hexadecimal digits that no other device has."""
    bus: str | None = None
    """Its place on the PCI bus, as Linux names it."""
    units: int | None = None
    """Compute units: cores of a CPU, multiprocessors of a GPU."""
    observed_units: int | None = None
    """Compute units on which a kernel of the launch ran, where they have numbers (CUDA)."""
    clock_hz: int | None = None
    """Its highest clock."""
    memory_bytes: int | None = None
    """Its memory, as far as programs may use it."""
    cache_bytes: int | None = None
    """Its largest cache, as it says."""
    double_precision: bool | None = None
    """Whether it computes in double precision, which every benchmark of devices needs."""
    ecc: bool | None = None
    """Whether its memory corrects errors."""
    mig: bool | None = None
    """Whether it is divided into instances (NVIDIA's MIG)."""
    numa: int | None = None
    """The NUMA domain of the host that it is attached to."""
    local_cpus: str | None = None
    """CPUs of the host beside it, as Linux lists them."""
    link: str | None = None
    """Width and speed of its PCI link when the launch began."""
    power_limit_w: float | None = None
    """The power at which it lowers its clock, W."""

    def is_same_as(self, other: Device) -> bool:
        """Whether both are the same hardware, as far as they say, whoever implements its
        interface."""
        if "cpu" in (self.kind, other.kind):
            return self.kind == other.kind
        known = ((self.uuid, other.uuid), (self.bus, other.bus))
        return any(one is not None and one == another for one, another in known)


class DeviceState(Struct, frozen=True):
    """What a device was doing, by its vendor's management library or its driver's files; null is
    unknown."""

    sm_clock_hz: int | None = None
    """Clock of its compute units."""
    memory_clock_hz: int | None = None
    """Clock of its memory."""
    clock_reasons: tuple[str, ...] | None = None
    """Why its clock is not higher, by the names of `nvidia-smi`: `sw_power_cap`."""
    temperature_celsius: float | None = None
    """Its temperature, degrees Celsius."""
    power_w: float | None = None
    """Its power, W: as recent as the device says, and not over the point."""
    power_limit_w: float | None = None
    """The power at which it lowers its clock, W."""
    pcie_generation: int | None = None
    """Generation of its PCI link, which is lower while the device is idle."""
    pcie_width: int | None = None
    """Lanes of that link."""
    ecc: bool | None = None
    """Whether its memory corrects errors."""
    mig: bool | None = None
    """Whether it is divided into instances."""
    other_processes: int | None = None
    """Processes with a compute context on it, without the launch's own."""


class DeviceDuringPoint(Struct, frozen=True):
    """A device before a point and when its samples were taken: the check afterwards leaves it
    idle."""

    seconds: float
    """Time between the two: of the point with its preparation, without its check."""
    energy_joules: float | None
    """Energy that it took up meanwhile, J; null where unknown, and for less than a second."""
    before: DeviceState
    """Before the point."""
    after: DeviceState
    """After its last sample."""


Range = tuple[float, float]
"""The least and the most."""


class HostCpus(StrEnum):
    """Which CPUs of the host a launch used a device from."""

    NEAR = "near"
    FAR = "far"
    BOTH = "near and far"
    UNKNOWN = "unknown"


class DeviceRanges(Struct, frozen=True):
    """States of a device; null is unknown."""

    sm_clock_hz: Range | None
    """Clock of its compute units."""
    memory_clock_hz: Range | None
    """Clock of its memory."""
    temperature_celsius: Range | None
    """Its temperature, degrees Celsius."""
    power_w: Range | None
    """Its power, W."""


class DeviceUse(Struct, frozen=True):
    """How a device was doing in the accepted launches of a benchmark."""

    benchmark: str
    """Name of the benchmark."""
    device: str
    """As `--device` takes it, or as it names itself."""
    host_cpus: HostCpus
    """Whether the launches ran on CPUs beside it, as Linux says."""
    points: int
    """Points before and after which it was looked at."""
    before: DeviceRanges
    """Before them."""
    after: DeviceRanges
    """After them."""
    mean_power_w: Range | None
    """Its energy over the time of a point of a second or more, W; null where there is none."""
    power_limit_w: Range | None
    """The power at which it lowers its clock, W."""
    clock_reasons: dict[str, int]
    """Before or after how many points each clock event reason was given."""


class NamedDevice(Struct, frozen=True):
    """A device of this machine."""

    name: str
    """As `--device` takes it: `opencl:0`."""
    select: str
    """As programs take it: the library that implements its interface and its number there, or its
    identifier."""
    device: Device
    """What it says of itself."""
    same_as: str = ""
    """The name of another one before it that is the same hardware; empty where there is none."""


class LibraryWithoutDevice(Struct, frozen=True):
    """An implementation of a programming interface that shows no device."""

    file: str
    """Its file."""
    reason: str
    """Why."""


class DeviceList(Struct, frozen=True):
    """The devices of this machine, and what shows none."""

    devices: tuple[NamedDevice, ...] = ()
    """In the order in which their programs number them."""
    without: tuple[LibraryWithoutDevice, ...] = ()
    """Implementations that did not answer, or have none."""

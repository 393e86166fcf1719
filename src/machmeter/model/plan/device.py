"""A device that a launch measured, as its programming interface and the system describe it."""

from __future__ import annotations

from msgspec import Struct


class Device(Struct, frozen=True):
    """A device; null is unknown."""

    api: str
    """The programming interface that it was used by: `opencl`."""
    name: str
    """As it names itself."""
    platform: str | None = None
    """The implementation of the programming interface."""
    vendor: str | None = None
    """Who made it, according to the implementation."""
    driver: str | None = None
    """Version of its driver."""
    runtime: str | None = None
    """Version of the implementation."""
    compiler: str | None = None
    """The language that its compiler takes."""
    uuid: str | None = None
    """Hexadecimal digits that no other device has."""
    bus: str | None = None
    """Its place on the PCI bus, as Linux names it."""
    units: int | None = None
    """Compute units: cores of a CPU, multiprocessors of a GPU."""
    clock_hz: int | None = None
    """Its highest clock."""
    memory_bytes: int | None = None
    """Its memory, as far as programs may use it."""
    cache_bytes: int | None = None
    """Its largest cache, as it says."""
    ecc: bool | None = None
    """Whether its memory corrects errors."""
    numa: int | None = None
    """The NUMA domain of the host that it is attached to."""
    local_cpus: str | None = None
    """CPUs of the host beside it, as Linux lists them."""
    link: str | None = None
    """Width and speed of its PCI link when the launch began."""

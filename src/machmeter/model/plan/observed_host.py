"""What a host of a launch says of itself."""

from __future__ import annotations

from msgspec import Struct


class NetworkDevice(Struct, frozen=True):
    """A network interface that is up, or an active port of an InfiniBand or RoCE adapter."""

    name: str
    """`eth0`; of a port also its number: `mlx5_0:1`."""
    bits_per_second: float | None = None
    """Rate of its link; null where not known, as of virtual ones."""


class ObservedHost(Struct, frozen=True):
    """One host of a launch; what it does not say is null."""

    name: str
    """Name of the host."""
    boot: str = ""
    """The boot of its kernel (random(4), `boot_id`); empty where not known."""
    kernel_started: float | None = None
    """When its kernel started, seconds since 1970."""
    kernel: str | None = None
    """Release of its kernel."""
    cpu_model: str | None = None
    """Of its first CPU."""
    microcode: str | None = None
    """Revision of the microcode of its first CPU."""
    allowed_cpus: str | None = None
    """The CPUs that any process of the launch may be bound to, as Linux writes them: `0-3,8`."""
    online_cpus: str | None = None
    """The CPUs that are online, written so too."""
    memory_bytes: int | None = None
    """All of its memory, bytes."""
    governor: str | None = None
    """Frequency governor of CPU 0."""
    transparent_huge_pages: str | None = None
    """When they are used: `always`, `madvise` or `never`."""
    free_huge_pages: int | None = None
    """Huge pages of the usual size that are reserved and free."""
    network: tuple[NetworkDevice, ...] = ()
    """Its network devices, 64 at most."""

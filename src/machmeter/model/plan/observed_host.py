"""What a host of a launch says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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

    @property
    def kind(self) -> Mapping[str, str]:
        """What it says of its software and hardware, memory apart, by a name for people; what it
        does not say is left out."""
        rates = sorted(one.bits_per_second for one in self.network if one.bits_per_second)
        pages = self.free_huge_pages
        facts = {
            "CPU model": self.cpu_model,
            "online CPUs": self.online_cpus,
            "microcode": self.microcode,
            "kernel": self.kernel,
            "governor": self.governor,
            "transparent huge pages": self.transparent_huge_pages,
            "free huge pages": None if pages is None else str(pages),
            "network": " + ".join(f"{rate / 1e9:g} Gbit/s" for rate in rates),
        }
        return {name: value for name, value in facts.items() if value}

    @property
    def same_kernel(self) -> tuple[str, float] | None:
        """Boot and start of its kernel, both the same for all names of one machine; None where
        either is not known. Either alone proves nothing: containers make up boots."""
        return (self.boot, self.kernel_started) if self.boot and self.kernel_started else None


def names_of_one_machine(
    hosts: Iterable[ObservedHost],
) -> dict[tuple[str, float], tuple[str, ...]]:
    """The names of each kernel that has several, by its boot and start."""
    names: dict[tuple[str, float], dict[str, None]] = {}
    for one in hosts:
        if kernel := one.same_kernel:
            names.setdefault(kernel, {})[one.name] = None
    return {kernel: tuple(several) for kernel, several in names.items() if len(several) > 1}

"""Network adapters in a made-up tree of /sys: PCI devices below their bridges."""

from __future__ import annotations

from pathlib import Path

from tests.support.sysfs_tree import write

GEN3, GEN4 = "8.0 GT/s PCIe", "16.0 GT/s PCIe"


def write_device(
    root: Path,
    number: int,
    now: tuple[str, int],
    able: tuple[str, int],
    board: tuple[str, int] | None = None,
) -> Path:
    """A PCI device in a slot; board: what the slot can (None: as the device)."""
    bridge = f"sys/devices/pci0000:00/0000:00:{number:02x}.0"
    device = f"{bridge}/0000:{number:02x}:00.0"
    for folder, which, (speed, width) in (
        (device, "current", now),
        (device, "max", able),
        (bridge, "max", board or able),
    ):
        write(root, f"{folder}/{which}_link_speed", speed)
        write(root, f"{folder}/{which}_link_width", width)
    write(root, f"{device}/numa_node", number % 2)
    return root / device


def write_infiniband(
    root: Path,
    name: str,
    device: Path,
    *rates: str,
    layer: str = "InfiniBand",
    state: str = "4: ACTIVE",
) -> None:
    """A device of InfiniBand with a port for each rate."""
    folder = f"sys/class/infiniband/{name}"
    for port, rate in enumerate(rates, 1):
        write(root, f"{folder}/ports/{port}/rate", rate)
        write(root, f"{folder}/ports/{port}/state", state)
        write(root, f"{folder}/ports/{port}/link_layer", layer)
    (root / folder / "device").symlink_to(device)


def write_interface(
    root: Path, name: str, device: Path | None, megabits: str, up: str = "up"
) -> None:
    """A network interface; device: None of one that has none, as a loopback."""
    folder = f"sys/class/net/{name}"
    write(root, f"{folder}/speed", megabits)
    write(root, f"{folder}/operstate", up)
    if device:
        (root / folder / "device").symlink_to(device)

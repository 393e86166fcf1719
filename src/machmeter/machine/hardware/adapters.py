"""Network adapters as Linux describes them: the rates of their links, and of their slots.

Files of `/sys/class/infiniband` and `/sys/class/net` and of their PCI devices, as the kernel's
Documentation/ABI has them (sysfs-class-infiniband, sysfs-class-net, sysfs-bus-pci).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from machmeter.machine.system_files import numbered, read_int, read_text
from machmeter.model.machine import Adapter, PcieLink

_MOST = 64
_INFINIBAND = "InfiniBand"
_SLOWEST, _FASTEST = 1e6, 1e14
_RATE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) Gb/sec(?: \((.*)\))?")
# Rates before EDR are those of the signal, of which 8b/10b and 64b/66b leave less.
_CODED = {"1X": 0.8, "4X": 0.8, "SDR": 0.8, "DDR": 0.8, "QDR": 0.8, "FDR": 64 / 66}
_TRANSFERS = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) GT/s\b.*")
_MOST_LANES = 32


def read_adapters(root: Path = Path("/")) -> tuple[Adapter, ...]:
    """The ports of network adapters below `root` (64 at most), those of InfiniBand first.

    What has neither a rate nor a slot, as a loopback or a virtual one, is left out, and so is a
    network interface of a device that is listed with its ports.
    """
    found: list[Adapter] = []
    devices: set[Path] = set()
    for folder in _folders(root / "sys/class/infiniband"):
        devices.add((folder / "device").resolve())
        found += _ports(folder)
    for folder in _folders(root / "sys/class/net"):
        if (folder / "device").resolve() not in devices:
            found += _interface(folder)
    return tuple(found[:_MOST])


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[: 4 * _MOST]
    except OSError:
        return []


def _ports(folder: Path) -> Iterator[Adapter]:
    ports = numbered(folder / "ports", "")
    for number, port in ports.items():
        rate = _RATE.fullmatch(read_text(port / "rate"))
        network = read_text(port / "link_layer") or _INFINIBAND
        # Of Ethernet the rate is that of data, whatever it is called.
        coded = _coded(rate[2]) if rate and network == _INFINIBAND else 1.0
        yield _adapter(
            folder.name if len(ports) == 1 else f"{folder.name}:{number}",
            network,
            float(rate[1]) * 1e9 * coded if rate else 0.0,
            read_text(port / "state").endswith("ACTIVE"),
            folder / "device",
        )


def _interface(folder: Path) -> Iterator[Adapter]:
    # A bond, a bridge and the ends of containers have the speed of others, and no device.
    if not (folder / "device").exists():
        return
    # Reading the speed of an interface that is down is an error, which reads as none.
    megabits = read_int(folder / "speed", 0)
    up = read_text(folder / "operstate") == "up"
    one = _adapter(folder.name, "Ethernet", megabits * 1e6, up, folder / "device")
    if one.bits_per_second or one.slot:
        yield one


def _adapter(name: str, network: str, rate: float, up: bool, device: Path) -> Adapter:
    return Adapter(
        name[:60],
        network[:40],
        rate if _SLOWEST <= rate <= _FASTEST else 0.0,
        up,
        read_int(device / "numa_node"),
        _pcie(device, "current"),
        _pcie(device, "max"),
        # The folder of a device lies in that of the bridge that it is plugged into.
        _pcie(device.resolve().parent, "max") if device.exists() else None,
        device.resolve().name.partition(".")[0] if device.exists() else "",
    )


def _coded(kind: str | None) -> float:
    """What the coding of a rate of InfiniBand leaves, by what the system calls it: `4X QDR`, `4X`
    of the first generation."""
    return _CODED.get((kind or "").rpartition(" ")[2], 1.0)


def _pcie(device: Path, which: str) -> PcieLink | None:
    transfers = _TRANSFERS.fullmatch(read_text(device / f"{which}_link_speed"))
    lanes = read_int(device / f"{which}_link_width", 0)
    if not transfers or not 0 < lanes <= _MOST_LANES or not float(transfers[1]):
        return None
    return PcieLink(float(transfers[1]) * 1e9, lanes)

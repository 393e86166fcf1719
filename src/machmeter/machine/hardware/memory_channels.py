"""Channels of memory and their rate, as far as Linux shows them.

Memory controllers with a driver for errors (EDAC) list what is plugged into each channel; AMD's
units that count transfers are one for each channel in use; both are readable by all. The rate is
in the firmware's tables (DMI, SMBIOS 3.7, section 7.18), which root alone may read.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from machmeter.machine.system_files import numbered, read_cpu_list, read_int, read_text
from machmeter.model.machine import MemoryChannels

_EDAC = "sys/devices/system/edac/mc"
_UNITS = "sys/bus/event_source/devices"
_DMI = "sys/firmware/dmi/entries"
_CHANNEL = re.compile(r"\bchannel (\d{1,3})\b")
_MEMORY_DEVICE, _CONFIGURED, _SPEED, _SIZE = 17, 0x20, 0x15, 0x0C
_LEAST_TRANSFERS, _MOST_TRANSFERS = 100, 65_534
_MOST_DEVICES = 1024


def read_memory_channels(root: Path = Path("/")) -> MemoryChannels:
    """The channels in use below `root`, and their rate, each where it can be read."""
    held = _edac(root)
    units = 0 if held else _units(root)
    transfers = _transfers(root)
    return MemoryChannels(
        count=len(held) or units,
        transfers=transfers * 1e6,
        count_from="EDAC" if held else "amd_umc" if units else "",
        transfers_from="DMI" if transfers else "",
        unequal=len(set(held.values())) > 1,
    )


def _edac(root: Path) -> Counter[tuple[int, int]]:
    """MiB by controller and channel."""
    held: Counter[tuple[int, int]] = Counter()
    for controller, folder in numbered(root / _EDAC, "mc").items():
        for prefix in ("dimm", "rank"):
            for dimm in numbered(folder, prefix).values():
                channel = _CHANNEL.search(read_text(dimm / "dimm_location"))
                size = read_int(dimm / "size", 0)
                if channel and size > 0:
                    held[controller, int(channel[1])] += size
    return held


def _units(root: Path) -> int:
    """Channels in use by AMD's units: each counts for one package, whose first CPU it names."""
    return sum(
        len(read_cpu_list(unit / "cpumask") or ())
        for unit in numbered(root / _UNITS, "amd_umc_").values()
    )


def _transfers(root: Path) -> int:
    """Millions a second, the least of all DIMMs: a channel runs as its slowest one."""
    found = []
    for entry in list(numbered(root / _DMI, f"{_MEMORY_DEVICE}-").values())[:_MOST_DEVICES]:
        try:
            raw = (entry / "raw").read_bytes()[:256]
        except OSError:
            continue
        words = {at: _word(raw, at) for at in (_SIZE, _SPEED, _CONFIGURED)}
        rate = words[_CONFIGURED] or words[_SPEED]
        if words[_SIZE] and _LEAST_TRANSFERS <= rate <= _MOST_TRANSFERS:
            found.append(rate)
    return min(found, default=0)


def _word(raw: bytes, at: int) -> int:
    """Two bytes of a structure; 0 where it ends before them."""
    length = raw[1] if len(raw) > 1 else 0
    return int.from_bytes(raw[at : at + 2], "little") if at + 2 <= min(length, len(raw)) else 0

"""What the processors of a machine can at most, by the name of their model."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from msgspec import Struct

from machmeter.machine.system_files import read_int
from machmeter.model.machine import Processor
from machmeter.model.written.toml_text import toml_as

_FILE = Path(__file__).with_name("cpus.toml")
_MOST_BYTES = 2**18
_CPU = "sys/devices/system/cpu/cpu0"
_IN_NAME = re.compile(r"@ ?(\d{1,2}\.\d{1,3}) ?GHz")


class _Known(Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    generation: str
    channels: int = 0
    transfers: int = 0
    operations: int = 0
    on_package: float = 0.0


class _Processors(Struct, frozen=True, forbid_unknown_fields=True):
    processors: tuple[_Known, ...]


def known_processor(model: str, root: Path = Path("/")) -> Processor | None:
    """The processor of that model name, as the system below `root` writes it; None where it is not
    known."""
    found = next(
        (one for one in _known() if re.search(rf"\b(?:{one.model})", model[:200], re.IGNORECASE)),
        None,
    )
    if found is None:
        return None
    return Processor(
        found.generation,
        found.channels,
        found.transfers * 1e6,
        found.operations,
        found.on_package,
        _nominal_clock(model, root),
    )


def _nominal_clock(model: str, root: Path) -> float:
    """Hz by intel_pstate in kHz, else by the firmware's CPPC in MHz (Linux, admin-guide/pm and
    ABI/testing/sysfs-devices-system-cpu), else by the name; 0 where none has it."""
    for place, unit in (("cpufreq/base_frequency", 1e3), ("acpi_cppc/nominal_freq", 1e6)):
        if (found := read_int(root / _CPU / place)) > 0:
            return found * unit
    named = _IN_NAME.search(model[:200])
    return float(named[1]) * 1e9 if named else 0.0


def known_generations() -> frozenset[str]:
    """Generations of processors that have limits here."""
    return frozenset(one.generation for one in _known())


def generations_with_memory_on_package() -> frozenset[str]:
    """Generations of processors whose fastest memory is on the package."""
    return frozenset(one.generation for one in _known() if one.on_package)


@cache
def _known() -> tuple[_Known, ...]:
    keys = "its first lines describe all keys"
    return toml_as(_FILE.read_bytes(), _Processors, most_bytes=_MOST_BYTES, keys=keys).processors

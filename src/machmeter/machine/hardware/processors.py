"""What the processors of a machine can at most, by the name of their model."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from msgspec import Struct

from machmeter.model.machine import Processor
from machmeter.model.written.toml_text import toml_as

_FILE = Path(__file__).with_name("cpus.toml")
_MOST_BYTES = 2**18


class _Known(Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    generation: str
    channels: int = 0
    transfers: int = 0
    operations: int = 0
    on_package: float = 0.0


class _Processors(Struct, frozen=True, forbid_unknown_fields=True):
    processors: tuple[_Known, ...]


def known_processor(model: str) -> Processor | None:
    """The processor of that model name, as the system writes it; None where it is not known."""
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
    )


def known_generations() -> frozenset[str]:
    """Generations of processors that have limits here."""
    return frozenset(one.generation for one in _known())


@cache
def _known() -> tuple[_Known, ...]:
    keys = "its first lines describe all keys"
    return toml_as(_FILE.read_bytes(), _Processors, most_bytes=_MOST_BYTES, keys=keys).processors

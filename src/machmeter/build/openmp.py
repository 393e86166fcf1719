"""Intel's OpenMP runtime, fetched from PyPI into the cache."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from machmeter.build.wheels import PREPARE, fetch_wheel, wheel_prefix
from machmeter.model.errors import MachineLacksError

# Pinned, so that two machines with the same machmeter measure with the same library.
INTEL_OPENMP = "intel-openmp==2026.2.0"

_LIBRARY = "lib/libiomp5.so"
_NOTHING_LOST = "nothing else needs it: the other OpenMP runtimes are measured all the same"
_FETCH_REMEDY = f"{PREPARE}, or put a libiomp5.so on LD_LIBRARY_PATH; {_NOTHING_LOST}"


def resolve_intel_openmp(cache: Path, environment: Mapping[str, str]) -> str:
    """The path of Intel's libiomp5.so, fetched from PyPI when the cache lacks it.

    Raises MachineLacksError, whose text says why it is not measured, when this is no x86-64
    Linux, when it cannot be fetched, or when the cache cannot be written.
    """
    if not is_made_for_this_machine():
        raise MachineLacksError(
            "Intel makes its OpenMP runtime for x86-64 Linux only, and this is "
            f"{platform.machine()} {platform.system()}",
            _NOTHING_LOST,
        )
    prefix = fetch_wheel(
        INTEL_OPENMP,
        cache / "openmp",
        holds=_LIBRARY,
        remedy=_FETCH_REMEDY,
        environment=environment,
        # The wheel's offload libraries are fifty times the size of the runtime.
        keeping=(Path(_LIBRARY).name, "LICENSE*"),
    )
    library = prefix / _LIBRARY
    if not library.is_file():
        raise MachineLacksError(
            f"{INTEL_OPENMP} in {prefix} holds no {_LIBRARY}",
            f"remove {prefix}: it is then fetched again",
        )
    return str(library)


def is_made_for_this_machine() -> bool:
    """Whether Intel makes its OpenMP runtime for this system and processor."""
    return (sys.platform, platform.machine()) == ("linux", "x86_64")


def intel_openmp_prefix(cache: Path, environment: Mapping[str, str]) -> Path:
    """Where it lies."""
    return wheel_prefix(cache / "openmp", INTEL_OPENMP, environment)

"""OpenBLAS, fetched from PyPI into the cache."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from machmeter.build.wheels import PREPARE, fetch_wheel
from machmeter.model.errors import MachineLacksError
from machmeter.store.cache_trust import refuse_untrusted

# Pinned, so that two machines with the same machmeter measure with the same library.
OPENBLAS = "scipy-openblas64==0.3.34.481.3"
# Processors that PyPI has this one for, on Linux.
_MADE_FOR = ("x86_64", "aarch64", "ppc64le", "riscv64", "s390x")

_LIBRARY = "libscipy_openblas64_.so"
_NAME_ANOTHER = "name a BLAS of this machine with --set library=/PATH/libblas.so"
_REMEDY = f"{PREPARE}, or {_NAME_ANOTHER}"


def resolve_openblas(cache: Path, environment: Mapping[str, str]) -> str:
    """The path of OpenBLAS with 64-bit integers, fetched from PyPI when the cache lacks it.

    Raises MachineLacksError, whose text says why it is not measured, when it cannot be fetched or
    the cache cannot be written, or as `refuse_untrusted`.
    """
    if not is_made_for_this_machine():
        raise MachineLacksError(
            f"PyPI has no {OPENBLAS} for {platform.machine()} {platform.system()}", _NAME_ANOTHER
        )
    prefix = fetch_wheel(
        OPENBLAS,
        cache / "blas",
        holds="lib",
        remedy=_REMEDY,
        environment=environment,
        keeping=(_LIBRARY, "LICENSE*"),
    )
    found = next(prefix.rglob(_LIBRARY), None)
    if found is None:
        raise MachineLacksError(
            f"{OPENBLAS} in {prefix} holds no {_LIBRARY}",
            f"remove {prefix}: it is then fetched again",
        )
    refuse_untrusted((found,), cache, environment)
    return str(found)


def is_made_for_this_machine() -> bool:
    """Whether PyPI has it for this system and processor."""
    return sys.platform == "linux" and platform.machine() in _MADE_FOR

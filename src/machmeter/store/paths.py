"""Where machmeter keeps things: the cache (can be made again) and the data (cannot)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_home(environment: Mapping[str, str]) -> Path:
    """Builds and fetched MPI libraries (XDG Base Directory Specification 0.8)."""
    if folder := environment.get("MACHMETER_CACHE"):
        return Path(folder).absolute()
    return _base(environment, "XDG_CACHE_HOME", ".cache") / "machmeter"


def data_home(environment: Mapping[str, str]) -> Path:
    """Runs and the index over them."""
    if folder := environment.get("MACHMETER_DATA"):
        return Path(folder).absolute()
    return _base(environment, "XDG_DATA_HOME", ".local/share") / "machmeter"


def _base(environment: Mapping[str, str], variable: str, below_home: str) -> Path:
    folder = environment.get(variable, "")
    # A relative path in these variables is invalid and to be ignored, says the specification.
    if folder and Path(folder).is_absolute():
        return Path(folder)
    return Path(os.path.expanduser("~")) / below_home  # noqa: PTH111 - never raises, unlike Path.home

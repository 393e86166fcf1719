"""NVRTC, NVIDIA's compiler of kernels as a library, fetched from PyPI into the cache."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from machmeter.build.wheels import fetch_wheel
from machmeter.model.device import Device
from machmeter.model.errors import MachineLacksError
from machmeter.store.cache_trust import refuse_untrusted


class NvrtcRelease(Struct, frozen=True):
    """A release of NVRTC, and what loads the code that it makes."""

    requirement: str
    """The wheel, pinned: two machines with the same machmeter measure the same code."""
    driver: tuple[int, int]
    """The oldest CUDA that a driver must support to load its code."""
    oldest: int
    """The oldest architecture that it compiles for: 75 is `sm_75`."""
    newest: int
    """The newest one."""


NVRTC = (
    NvrtcRelease("nvidia-cuda-nvrtc==13.5.37", (13, 0), 75, 121),
    NvrtcRelease("nvidia-cuda-nvrtc-cu12==12.9.86", (12, 0), 50, 121),
    NvrtcRelease("nvidia-cuda-nvrtc-cu11==11.8.89", (11, 0), 35, 90),
)
"""From the newest. Code of one major version of CUDA runs on every driver of that version and of
later ones (NVIDIA, CUDA Compatibility)."""

LIBRARY = "MACHMETER_NVRTC"
"""The variable that names the library's file; where the caller sets it, nothing is fetched."""

_MADE_FOR = ("x86_64", "aarch64")
_DRIVER = re.compile(r"CUDA (\d+)\.(\d+)")
_ARCHITECTURE = re.compile(r"sm_(\d+)")
_LIBRARY = "libnvrtc.so.*"
_BY_OPENCL = "measure the device by OpenCL (`machmeter list devices` says by what name)"
_REMEDY = (
    f"measure once where packages can be fetched, and copy the cache here, or set {LIBRARY} to a "
    f"libnvrtc.so of this machine, or {_BY_OPENCL}"
)


def compiler_settings(
    device: Device, cache: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    """What the program of a launch gets to compile kernels for a device: nothing by OpenCL, which
    compiles them itself. environment: the caller's.

    Raises MachineLacksError as `nvrtc_for` and `resolve_nvrtc`.
    """
    driver = _DRIVER.fullmatch(device.runtime or "")
    architecture = _ARCHITECTURE.fullmatch(device.architecture or "")
    if device.api != "cuda" or not driver or not architecture:
        return {}
    if named := environment.get(LIBRARY, ""):
        return {LIBRARY: named}
    release = nvrtc_for((int(driver[1]), int(driver[2])), int(architecture[1]))
    return {LIBRARY: resolve_nvrtc(release, cache, environment)}


def nvrtc_for(driver: tuple[int, int], architecture: int) -> NvrtcRelease:
    """The newest release whose code a driver that supports that version of CUDA loads on that
    architecture.

    Raises MachineLacksError where there is none.
    """
    for one in NVRTC:
        if driver >= one.driver and one.oldest <= architecture <= one.newest:
            return one
    version = ".".join(map(str, driver))
    raise MachineLacksError(
        f"no NVRTC that machmeter fetches makes code for sm_{architecture} that a driver for CUDA "
        f"{version} loads",
        f"install a newer driver, or {_BY_OPENCL}",
    )


def resolve_nvrtc(release: NvrtcRelease, cache: Path, environment: Mapping[str, str]) -> str:
    """The path of the library, fetched from PyPI when the cache lacks it.

    Raises MachineLacksError where PyPI has none for this processor, when it cannot be fetched or
    the cache cannot be written, or as `refuse_untrusted`.
    """
    if sys.platform != "linux" or platform.machine() not in _MADE_FOR:
        raise MachineLacksError(
            f"PyPI has no {release.requirement} for {platform.machine()} {platform.system()}",
            _BY_OPENCL,
        )
    prefix = fetch_wheel(
        release.requirement,
        cache / "nvrtc",
        holds="lib",
        remedy=_REMEDY,
        environment=environment,
        # Without a second build of each library (`libnvrtc.alt.so.12`).
        keeping=(_LIBRARY, "libnvrtc-builtins.so.*", "License*", "LICENSE*"),
    )
    found = next(prefix.rglob(_LIBRARY), None)
    if found is None:
        raise MachineLacksError(
            f"{release.requirement} in {prefix} holds no {_LIBRARY}",
            f"remove {prefix}: it is then fetched again",
        )
    refuse_untrusted((found, *found.parent.glob("libnvrtc-builtins.so.*")), cache, environment)
    return str(found)

"""By what devices can be reached on this machine, without loading any of it: implementations of
OpenCL, and NVIDIA's driver."""

from __future__ import annotations

from pathlib import Path

from machmeter.store.files import read_regular

INSTALL = (
    "install the driver of the device with its OpenCL, or OpenCL for CPUs (Debian: apt install "
    "pocl-opencl-icd ocl-icd-libopencl1)"
)
_NVIDIA = "sys/module/nvidia/version"
# Its driver without that module: of Windows, as WSL 2 shows it, and of Jetson's GPU.
_NVIDIA_ELSEWHERE = ("usr/lib/wsl/lib/libcuda.so.1", "dev/nvhost-gpu", "dev/nvgpu")
_WITHOUT_VERSION = "unknown"
_FOLDER = "etc/OpenCL/vendors"
_LONGEST_NAME = 4096


def find_opencl(root: Path = Path("/")) -> tuple[str, ...]:
    """The libraries that implement OpenCL, as the files say that loaders read (cl_khr_icd)."""
    found = []
    for file in sorted((root / _FOLDER).glob("*.icd")):
        try:
            words = read_regular(file, _LONGEST_NAME).decode("utf-8", errors="replace").split()
        except OSError:
            continue
        found += words[:1]
    return tuple(found)


def find_nvidia_driver(root: Path = Path("/")) -> str:
    """The version of NVIDIA's kernel module; `unknown` where its driver is another (WSL 2, Jetson),
    empty where there is none."""
    try:
        return read_regular(root / _NVIDIA, _LONGEST_NAME).decode("utf-8", errors="replace").strip()
    except OSError:
        there = any((root / one).exists() for one in _NVIDIA_ELSEWHERE)
        return _WITHOUT_VERSION if there else ""

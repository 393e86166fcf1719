"""The kernels of devices, compiled for AMD's GPUs by HIPRTC: no GPU is needed."""

from __future__ import annotations

import ctypes.util
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SOURCE = ROOT / "tests" / "support" / "devices" / "compile_for_hip.cpp"
TEXTS = {"stream", "latency", "atomics", "liquid", "arithmetic", "arithmetic-float", "units"}


@pytest.mark.full
@pytest.mark.parametrize("architecture", ["gfx906", "gfx90a", "gfx1030"])
def test_every_kernel_is_compiled(architecture: str, tmp_path: Path) -> None:
    library = ctypes.util.find_library("amdhip64")
    if library is None:
        pytest.skip("AMD's HIP is not installed (Debian: libamdhip64-5)")
    made = tmp_path / "compile_for_hip"
    words = ["g++", "-std=c++20", "-O0", f"-I{ROOT / 'native'}", str(SOURCE), "-o", str(made)]
    subprocess.run([*words, "-ldl"], check=True)
    done = subprocess.run(
        [made, library, architecture], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout
    sizes = dict(line.split() for line in done.stdout.splitlines())
    assert set(sizes) == TEXTS
    assert all(int(size) > 1000 for size in sizes.values())

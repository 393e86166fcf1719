"""The kernels of devices, compiled for NVIDIA's GPUs by NVRTC: no GPU is needed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from machmeter.build.devices.nvrtc import NVRTC, resolve_nvrtc
from tests.support.devices.cubin import architecture_of, kernels_of
from tests.support.paths import ROOT

SOURCE = ROOT / "tests" / "support" / "devices" / "compile_kernels.cpp"
TEXTS = sorted((ROOT / "native" / "device" / "kernels").glob("*.hpp"))
KERNEL = re.compile(r"^KERNEL void (\w+)\(", re.MULTILINE)
V13, V12, V11 = range(3)
# From that of P100 on an item may have 255; 32 let a multiprocessor have all its threads.
FULLY_OCCUPIED, HALF_OCCUPIED = 32, 64
SPILLING = """
KERNEL void spilling(GLOBAL double* a, Index n) {
    double all[64];
    for (Index i = 0; i < 64; ++i) { all[i] = a[i] * n; }
    for (Index i = 0; i < n; ++i) { all[(Index)all[i % 64] % 64] += a[i]; }
    for (Index i = 0; i < 64; ++i) { a[i] = all[i]; }
}
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("compiler") / "compile_kernels"
    words = ["g++", "-std=c++20", "-O0", f"-I{ROOT / 'native'}", str(SOURCE), "-o", str(made)]
    subprocess.run([*words, "-ldl"], check=True)
    return made


def compiled(
    compiler: Path, cache: Path, release: int, architecture: int, folder: Path, *text: str
) -> subprocess.CompletedProcess[str]:
    library = resolve_nvrtc(NVRTC[release], cache, os.environ)
    words = [str(compiler), library, f"sm_{architecture}", str(folder), *text]
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("release", "architecture"),
    [
        *((V12, architecture) for architecture in (70, 80, 90, 100)),
        (V11, 37),
        # One more wheel to fetch.
        pytest.param(V13, 100, marks=pytest.mark.full),
    ],
)
def test_every_kernel_is_compiled_and_keeps_its_values_in_few_registers(
    release: int, architecture: int, compiler: Path, cache: Path, tmp_path: Path
) -> None:
    done = compiled(compiler, cache, release, architecture, tmp_path)
    assert done.returncode == 0, done.stdout
    found = {}
    for cubin in tmp_path.glob("*.cubin"):
        assert architecture_of(cubin) == architecture
        found |= kernels_of(cubin)
    written = {name for path in TEXTS for name in KERNEL.findall(path.read_text())}
    assert set(found) == written
    assert len(found) > 5
    taken = {name: one.registers for name, one in found.items()}
    most = {name: HALF_OCCUPIED if "liquid" in name else FULLY_OCCUPIED for name in found}
    assert all(0 < taken[name] <= most[name] for name in found), taken
    assert not any(one.local_bytes for one in found.values()), found


def test_memory_that_takes_what_registers_do_not_hold_is_seen(
    compiler: Path, cache: Path, tmp_path: Path
) -> None:
    done = compiled(compiler, cache, V12, 90, tmp_path, SPILLING)
    assert done.returncode == 0, done.stdout
    assert kernels_of(tmp_path / "given.cubin")["spilling"].local_bytes >= 64 * 8


def test_what_the_compiler_says_of_a_wrong_kernel_is_told(
    compiler: Path, cache: Path, tmp_path: Path
) -> None:
    wrong = "KERNEL void f(GLOBAL double* a) { a[0] = undeclared_name; }"
    done = compiled(compiler, cache, V12, 90, tmp_path, wrong)
    assert done.returncode == 1
    assert "NVRTC 12.9 refused a kernel for sm_90: " in done.stdout
    assert "undeclared_name" in done.stdout
    done = compiled(compiler, cache, V12, 37, tmp_path)
    assert done.returncode == 1
    assert "nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION" in done.stdout

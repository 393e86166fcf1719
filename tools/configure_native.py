"""Configure the native sources for developers: `python tools/configure_native.py [BUILD]`.

The build folder (by default `build/native`) serves the native tests and clang-tidy, with MPICH and
without OpenSHMEM; all is compiled with -O1, which takes half the time of -O3.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import resolve_mpi
from machmeter.store.paths import cache_home

BUILD = Path("build/native")


def configure(build: Path) -> None:
    """Configure into this folder."""
    compiler = find_compiler("g++", os.environ)
    mpi = resolve_mpi("mpich", cache_home(os.environ), os.environ)
    here = Path(sys.executable).parent
    subprocess.run(
        [
            *(str(here / "cmake"), "-S", "native", "-B", str(build), "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={here / 'ninja'}",
            f"-DCMAKE_CXX_COMPILER={compiler.path}",
            f"-DMPI_CXX_COMPILER={mpi.mpicxx}",
            *("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1"),
            "-DMACHMETER_TESTS=ON",
            # A flag of gcc's that clang does not know.
            "-DMACHMETER_HAS_NO_LOOP_PATTERNS=OFF",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    _copy_openmp_header(compiler.path, build / "openmp-include")


def _copy_openmp_header(compiler: str, include: Path) -> None:
    """Put the compiler's omp.h alone into a folder: clang-tidy brings clang's own headers but not
    OpenMP's, and the compiler's other headers would hide clang's."""
    found = subprocess.run(
        [compiler, "-print-file-name=include/omp.h"], check=True, capture_output=True, text=True
    )
    include.mkdir(exist_ok=True)
    # Clang refuses gcc's malloc attribute with arguments.
    text = re.sub(r"__malloc__ \(\w+\),?", "", Path(found.stdout.strip()).read_text())
    (include / "omp.h").write_text(text)


if __name__ == "__main__":
    configure(Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD)

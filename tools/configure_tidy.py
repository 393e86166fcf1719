"""Configure the native sources so that clang-tidy knows how each file is compiled.

clang-tidy brings clang's own headers but not OpenMP's: the compiler's omp.h is put, alone, into a
folder of its own, for the compiler's other headers would hide clang's.
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


def main() -> None:
    """Configure into the build folder named by the first argument."""
    build = Path(sys.argv[1])
    compiler = find_compiler("g++", os.environ)
    mpi = resolve_mpi("mpich", cache_home(os.environ), os.environ)
    here = Path(sys.executable).parent
    subprocess.run(
        [
            *(str(here / "cmake"), "-S", "native", "-B", str(build), "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={here / 'ninja'}",
            f"-DCMAKE_CXX_COMPILER={compiler.path}",
            f"-DMPI_CXX_COMPILER={mpi.mpicxx}",
            "-DMACHMETER_TESTS=ON",
            # A flag of gcc's that clang does not know.
            "-DMACHMETER_HAS_NO_LOOP_PATTERNS=OFF",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found = subprocess.run(
        [compiler.path, "-print-file-name=include/omp.h"],
        check=True,
        capture_output=True,
        text=True,
    )
    include = build / "openmp-include"
    include.mkdir(exist_ok=True)
    # Clang refuses gcc's malloc attribute with arguments.
    text = re.sub(r"__malloc__ \(\w+\),?", "", Path(found.stdout.strip()).read_text())
    (include / "omp.h").write_text(text)


main()

"""How CMake is called for each toolchain."""

from __future__ import annotations

import pytest

from machmeter.build.compiler import Compiler
from machmeter.build.mpi import MpiInstall
from machmeter.build.toolchains import TOOLCHAINS, BuildTools


@pytest.mark.parametrize(
    ("prefix", "option"),
    [
        ("/opt/mpich", "-DMPI_CXX_COMPILER=/opt/mpich/bin/mpicxx"),
        ("/my home/mpich", "-DMACHMETER_MPI_PREFIX=/my home/mpich"),
    ],
)
def test_a_wrapper_of_mpi_is_not_asked_where_its_path_has_blanks(prefix: str, option: str) -> None:
    """Its words cannot be told apart."""
    mpi = MpiInstall("mpich", prefix, f"{prefix}/bin/mpicxx", f"{prefix}/bin/mpiexec", "5")
    settings = TOOLCHAINS["mpi"](BuildTools(Compiler("/usr/bin/g++", "g++ 12"), "", mpi), {})
    assert set(settings.options) == {"-DMACHMETER_MPI=ON", option}


def test_an_embedded_mpi_is_found_from_its_programs_wherever_the_cache_is() -> None:
    prefix = "/my cache/mpi/mpich-5-x86_64-12ab"
    mpi = MpiInstall("mpich", prefix, f"{prefix}/bin/mpicxx", f"{prefix}/bin/mpiexec", "5", True)
    settings = TOOLCHAINS["mpi"](BuildTools(Compiler("/usr/bin/g++", "g++ 12"), "", mpi), {})
    relative = "-DCMAKE_BUILD_RPATH=$ORIGIN/../../mpi/mpich-5-x86_64-12ab/lib"
    assert set(settings.options) == {"-DMACHMETER_MPI=ON", relative}
    assert settings.places == (f"-DMACHMETER_MPI_PREFIX={prefix}",)

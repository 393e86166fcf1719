"""A point with a parameter that its benchmark has not is refused, with the names of those it has.

What the refusal lists is what the catalogue declares, for every benchmark.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.reference import REFERENCE
from machmeter.build.compiler import find_compiler
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.programs import Programs, build_shmem_programs
from machmeter.build.shmem import find_shmem
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import Benchmark, Executable
from machmeter.model.errors import MachineLacksError

pytestmark = pytest.mark.native

UNKNOWN = "chase_backwards"
BY_PROGRAM = {
    executable: [b for b in (*BENCHMARKS, REFERENCE) if b.executable is executable]
    for executable in Executable
}


def of(executable: Executable) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("benchmark", BY_PROGRAM[executable], ids=lambda b: b.name)


def assert_refused(
    benchmark: Benchmark, program: list[str], environment: dict[str, str], record: Path
) -> None:
    point = ",".join(f"{parameter.name}=1" for parameter in benchmark.parameters)
    words = [benchmark.name, "--record", str(record), "--point", f"{point},{UNKNOWN}=1"]
    done = subprocess.run(
        [*program, *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    known = ", ".join(parameter.name for parameter in benchmark.parameters)
    told = f"{benchmark.name}: there is no parameter '{UNKNOWN}'; there is {known}\n"
    assert told in done.stderr
    assert done.returncode == 2
    assert not list(record.parent.glob(f"{record.name}*"))


@of(Executable.NODE)
def test_by_programs_of_a_node(benchmark: Benchmark, programs: Programs, tmp_path: Path) -> None:
    program = [programs.path(Executable.NODE)]
    assert_refused(benchmark, program, dict(os.environ), tmp_path / "record")


@of(Executable.MPI)
def test_by_programs_of_ranks(
    benchmark: Benchmark, mpich: MpiInstall, programs: Programs, tmp_path: Path
) -> None:
    program = [mpich.mpiexec, "-n", "2", programs.path(Executable.MPI)]
    environment = mpi_environment(os.environ, mpich.prefix)
    assert_refused(benchmark, program, environment, tmp_path / "record")


@of(Executable.SHMEM)
def test_by_programs_of_processing_elements(
    benchmark: Benchmark, cache: Path, tmp_path: Path
) -> None:
    try:
        shmem = find_shmem(os.environ)
    except MachineLacksError as error:
        pytest.skip(error.message)
    machine = detect_machine()
    features = f"{machine.cpu_model}\0{' '.join(machine.features)}"
    compiler = find_compiler("", os.environ)
    programs = build_shmem_programs(cache, compiler, shmem, features, os.environ)
    # Before shmem_init: a launcher would only add words of its own.
    program = [programs.path(Executable.SHMEM)]
    assert_refused(benchmark, program, dict(os.environ), tmp_path / "record")

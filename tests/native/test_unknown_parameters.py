"""A point with a parameter that its benchmark has not is refused, with the names of those it has.

What the refusal lists is what the catalogue declares, for every benchmark.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.programs import (
    DEVICE_PROGRAM,
    MPI_PROGRAM,
    NODE_PROGRAM,
    PROGRAMS,
    SHMEM_PROGRAM,
)
from machmeter.benchmarks.reference import REFERENCE
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.build.programs import build_program
from machmeter.build.shmem import find_shmem
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import MachineLacksError
from machmeter.model.program import Program
from tests.support.processes.native_programs import Programs, build_tools

UNKNOWN = "chase_backwards"
BY_PROGRAM = {
    program: [b for b in (*BENCHMARKS, REFERENCE) if b.program is program]
    for program in PROGRAMS.values()
}


def of(program: Program) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("benchmark", BY_PROGRAM[program], ids=lambda b: b.name)


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


@of(NODE_PROGRAM)
def test_by_programs_of_a_node(benchmark: Benchmark, programs: Programs, tmp_path: Path) -> None:
    program = [programs.path(NODE_PROGRAM)]
    assert_refused(benchmark, program, dict(os.environ), tmp_path / "record")


@of(DEVICE_PROGRAM)
def test_by_programs_of_a_device(benchmark: Benchmark, cache: Path, tmp_path: Path) -> None:
    # Before a device is looked for.
    program = [build_program(cache, DEVICE_PROGRAM, build_tools(), os.environ)]
    assert_refused(benchmark, program, dict(os.environ), tmp_path / "record")


@of(MPI_PROGRAM)
def test_by_programs_of_ranks(
    benchmark: Benchmark, mpich: MpiInstall, programs: Programs, tmp_path: Path
) -> None:
    program = [mpich.mpiexec, "-n", "2", programs.path(MPI_PROGRAM)]
    environment = mpi_environment(os.environ, mpich.prefix)
    assert_refused(benchmark, program, environment, tmp_path / "record")


@of(SHMEM_PROGRAM)
def test_by_programs_of_processing_elements(
    benchmark: Benchmark, cache: Path, tmp_path: Path
) -> None:
    try:
        shmem = find_shmem(os.environ)
    except MachineLacksError as error:
        pytest.skip(error.message)
    # Before shmem_init: a launcher would only add words of its own.
    program = [build_program(cache, SHMEM_PROGRAM, build_tools(shmem=shmem), os.environ)]
    assert_refused(benchmark, program, dict(os.environ), tmp_path / "record")

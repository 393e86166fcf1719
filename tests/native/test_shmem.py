"""The benchmarks of OpenSHMEM with this machine's own library: measured, checked, ended well."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.programs import SHMEM_PROGRAM
from machmeter.build.programs import build_program
from machmeter.build.shmem import ShmemInstall, find_shmem
from machmeter.launch.launcher import ProgramLauncher
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from machmeter.run.measuring.tally import metrics_of
from tests.support.processes.native_programs import (
    Programs,
    build_tools,
    launch_of,
    launcher_of,
    start,
)

pytestmark = pytest.mark.alone

Points = list[dict[str, Value]]
ATOMICS = ("add", "inc", "fetch-add", "fetch-inc", "swap", "compare-swap")
POINTS: dict[str, Points] = {
    "shmem.transfer": [
        {"operation": operation, "size": size, "outstanding": outstanding}
        for operation in ("put", "get")
        for size in (1, 8, 65536)
        for outstanding in (1, 16)
    ],
    "shmem.atomics": [
        {"operation": operation, "integer": bytes_of_integer, "outstanding": 16}
        for operation in ATOMICS
        for bytes_of_integer in (4, 8)
    ],
    "shmem.alltoall": [{"size": 8}, {"size": 65536}],
}
# Open MPI before this version overwrites its own stack there (open-mpi/ompi issue 11257).
MENDED = (4, 1, 5)


@pytest.fixture(scope="module")
def shmem() -> ShmemInstall:
    try:
        return find_shmem(os.environ)
    except MachineLacksError as error:
        pytest.skip(error.message)


@pytest.fixture(scope="module")
def shmem_programs(shmem: ShmemInstall, cache: Path) -> Programs:
    path = build_program(cache, SHMEM_PROGRAM, build_tools(shmem=shmem), os.environ)
    return Programs(str(Path(path).parent))


def launched(
    benchmark: str, points: Points, launcher: ProgramLauncher, ranks: int, folder: Path
) -> tuple[LaunchOutcome, Record]:
    layout = Layout(ranks_per_node=ranks)
    try:
        assign(layout, detect_machine().topology)
    except LayoutError as error:
        pytest.skip(str(error))
    return start(launcher, launch_of(benchmark, points, layout), folder)


def is_broken(shmem: ShmemInstall, parameters: dict[str, Value]) -> bool:
    version = tuple(int(part) for part in shmem.version.split("."))
    compares = parameters.get("operation") == "compare-swap"
    return compares and parameters["integer"] == 4 and version < MENDED


@pytest.mark.parametrize("benchmark", list(POINTS))
def test_every_point_is_measured_and_checked(
    benchmark: str, shmem: ShmemInstall, shmem_programs: Programs, tmp_path: Path
) -> None:
    launcher = launcher_of(shmem_programs, shmem.as_mpi, os.environ)
    outcome, record = launched(benchmark, POINTS[benchmark], launcher, 2, tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    # The library must not die on its way out either.
    assert outcome.exit_code == 0, outcome.output
    assert record.header is not None
    assert record.header.world_size == 2
    assert "SHMEM" in record.header.toolchain.mpi_library
    assert len(record.points) == len(POINTS[benchmark])
    for point in record.points:
        if is_broken(shmem, point.parameters):
            assert not point.check.passed
            assert "4.1.5" in point.check.what
            continue
        assert point.check.passed, point.check
        assert metrics_of(find(benchmark), point)
        assert all(sample > 0 for sample in point.series["seconds"])


def test_a_wrong_number_of_processing_elements_is_told(
    shmem: ShmemInstall, shmem_programs: Programs, tmp_path: Path
) -> None:
    launcher = launcher_of(shmem_programs, shmem.as_mpi, os.environ)
    points: Points = [{"operation": "put", "size": 8, "outstanding": 1}]
    outcome, _ = launched("shmem.transfer", points, launcher, 1, tmp_path)
    assert outcome.verdict is not Verdict.ACCEPTED
    assert "shmem.transfer takes 2 ranks, but 1 started" in outcome.output

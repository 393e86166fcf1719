"""Benchmarks of every node by itself: each result is of its node, and one machine takes turns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.build.blas import resolve_openblas
from machmeter.build.mpi import MpiInstall
from machmeter.launch.libraries import Libraries
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start
from tests.support.processes.own_blas import own_blas

pytestmark = pytest.mark.alone

# Two ranks of one machine stand for two nodes.
TWO = Layout(ranks_per_node=2, wait_policy=WaitPolicy.PASSIVE)
NODES: dict[str, dict[str, Value]] = {
    "nodes.stream": {"size": 2**22},
    "nodes.latency": {"size": 2**20},
    "nodes.fma": {"seconds": 1},
    "nodes.gemm": {"library": "openblas", "order": 256, "seconds": 1},
    "nodes.sync": {},
    "nodes.noise": {"seconds": 1},
}


def measured(
    programs: Programs,
    mpich: MpiInstall,
    folder: Path,
    benchmark: str,
    *nodes: int,
    libraries: Libraries | None = None,
    **parameters: Value,
) -> tuple[LaunchOutcome, Record]:
    folder.mkdir()
    points = [{**NODES[benchmark], **parameters, "node": node} for node in nodes]
    launch = launch_of(benchmark, points, TWO)
    return start(launcher_of(programs, mpich, os.environ, libraries), launch, folder)


@pytest.mark.parametrize("benchmark", list(NODES))
def test_every_node_has_a_result_of_its_own(
    benchmark: str, cache: Path, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    blas = {"openblas": resolve_openblas(cache, os.environ)} if benchmark == "nodes.gemm" else {}
    libraries = Libraries(cache, blas=blas)
    outcome, record = measured(
        programs, mpich, tmp_path / "two", benchmark, 0, 1, libraries=libraries
    )
    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert {point.parameters["node"] for point in record.points} == {0, 1}
    for point in record.points:
        assert point.check.passed, point.check.what
        assert point.attributes["at_once"] == "nodes of one machine in turn"
        assert all(len(series) >= 8 for series in point.series.values())
    first, second = (point.series for point in record.points)
    assert first != second


def test_nodes_without_that_blas_say_so(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    missing = str(tmp_path / "libmissing.so")
    _, record = measured(programs, mpich, tmp_path / "none", "nodes.gemm", 0, 1, library=missing)
    assert len(record.points) == 2
    for point in record.points:
        assert not point.series
        assert not point.check.passed
        assert missing in point.check.what


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_node_that_cannot_multiply_leaves_the_others_their_results(
    lacking: int, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    # Of ranks that hydra numbers, one has a library with more threads than its node has cores.
    threads = f"(*getenv(\"PMI_RANK\") == '{lacking}' ? 2 : 1)"
    own = str(own_blas(tmp_path, threads=threads))
    outcome, record = measured(programs, mpich, tmp_path / "one", "nodes.gemm", 0, 1, library=own)
    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    found = {point.parameters["node"]: point for point in record.points}
    assert found[1 - lacking].check.passed
    assert found[1 - lacking].series["seconds"]
    assert not found[lacking].series
    assert "library: " in found[lacking].check.what
    assert len(outcome.dropped_points) == 1


def test_nodes_without_the_memory_say_so(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    own = str(own_blas(tmp_path))
    outcome, record = measured(
        programs, mpich, tmp_path / "large", "nodes.gemm", 0, 1, library=own, order=2**20
    )
    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert [point.check.passed for point in record.points] == [False, False]
    assert all("GB of memory" in point.check.what for point in record.points)


@pytest.mark.parametrize("wrong", [{"terms": "order - 1"}, {"threads": 2}])
def test_no_product_of_a_wrong_library_counts(
    wrong: dict[str, str], programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    own = str(own_blas(tmp_path, **wrong))  # type: ignore[arg-type]
    _, record = measured(programs, mpich, tmp_path / "wrong", "nodes.gemm", 0, 1, library=own)
    assert len(record.points) == 2
    assert not any(point.check.passed for point in record.points)


def test_programs_that_take_cpus_lengthen_steps_of_fixed_work(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    # Each stays on its CPU: none leaves those that are measured to themselves.
    program = "import os; os.sched_setaffinity(0, {{{}}})\nwhile True: pass"
    cpus = os.sched_getaffinity(0)
    busy = [subprocess.Popen([sys.executable, "-c", program.format(cpu)]) for cpu in cpus]
    try:
        outcome, record = measured(programs, mpich, tmp_path / "busy", "nodes.noise", 0)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert record.points[0].quantities["stretch"] > 1.1


def test_a_node_that_was_not_requested_is_not_recorded(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    _, record = measured(programs, mpich, tmp_path / "one", "nodes.latency", 1)
    assert [point.parameters["node"] for point in record.points] == [1]


def test_a_node_that_there_is_not_is_refused(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    outcome, record = measured(programs, mpich, tmp_path / "none", "nodes.latency", 2)
    assert outcome.verdict is Verdict.FAILED
    assert any("node" in reason for reason in outcome.reasons), outcome.reasons
    assert not record.points

"""Linear equations solved by a LAPACK that is loaded: OpenBLAS itself, and libraries that are wrong
or have no LAPACK, of which nothing counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.lu import LU
from machmeter.build.blas import resolve_openblas
from machmeter.launch.libraries import Libraries
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.launch import Launch, LaunchOutcome, Record
from tests.support.processes.measured_launches import BASE_PAGE, assert_measured, holds
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start
from tests.support.processes.own_blas import own_blas

pytestmark = pytest.mark.alone

ORDER = 96


def launched(
    programs: Programs,
    folder: Path,
    named: str,
    *,
    threads: int = 1,
    libraries: Libraries | None = None,
    order: int = ORDER,
) -> tuple[Launch, LaunchOutcome, Record]:
    layout = Layout(threads_per_rank=threads, wait_policy=WaitPolicy.DEFAULT, page_bytes=BASE_PAGE)
    holds(layout)
    launch = launch_of(LU.name, [{"library": named, "order": order}], layout)
    return launch, *start(launcher_of(programs, None, os.environ, libraries), launch, folder)


@pytest.mark.parametrize("threads", [1, 2])
def test_openblas_solves_on_as_many_threads_as_asked_for(
    threads: int, cache: Path, programs: Programs, tmp_path: Path
) -> None:
    blas = {"openblas": resolve_openblas(cache, os.environ)}
    measured = launched(
        programs,
        tmp_path,
        "openblas",
        threads=threads,
        libraries=Libraries(cache, blas=blas),
        order=600,
    )
    assert_measured(*measured, least_samples=1)
    (point,) = measured[2].points
    assert point.quantities["library_threads"] == threads
    assert point.quantities["flops"] == pytest.approx(2 / 3 * 600**3 + 3 / 2 * 600**2)
    assert point.attributes["implementation"].startswith("OpenBLAS 0.3.")
    assert point.attributes["file"] == blas["openblas"]


def test_one_equation_is_solved_too(cache: Path, programs: Programs, tmp_path: Path) -> None:
    libraries = Libraries(cache, blas={"openblas": resolve_openblas(cache, os.environ)})
    measured = launched(programs, tmp_path, "openblas", libraries=libraries, order=1)
    assert_measured(*measured, least_samples=1)


@pytest.mark.parametrize(("integer", "bits"), [("int", "32 bits"), ("long", "64 bits")])
def test_a_library_of_one_s_own_is_taken_by_its_path(
    integer: str, bits: str, programs: Programs, tmp_path: Path
) -> None:
    own = own_blas(tmp_path, integer=integer, solves=True)
    launch, outcome, record = launched(programs, tmp_path, str(own))
    assert_measured(launch, outcome, record, least_samples=1)
    assert {point.attributes["integers"] for point in record.points} == {bits}


@pytest.mark.parametrize(
    "wrong",
    [
        "LEADING_DIMENSION",
        "SOLUTION_OF_OTHERS",
        "NOTHING_SOLVED",
        "OTHER_RIGHT_SIDE",
        "ROW_SCALED",
        "SAYS_IT_FAILED",
        "ELEMENT_CHANGED",
    ],
)
def test_no_wrong_solution_counts(wrong: str, programs: Programs, tmp_path: Path) -> None:
    own = own_blas(tmp_path, solves=True, wrong=wrong)
    _, _, record = launched(programs, tmp_path, str(own))
    (point,) = record.points
    assert not point.check.passed
    assert "largest scaled residual" in point.check.what


@pytest.mark.parametrize(("own_threads", "threads"), [(2, 1), (1, 2)])
def test_no_solution_on_other_threads_counts(
    own_threads: int, threads: int, programs: Programs, tmp_path: Path
) -> None:
    own = own_blas(tmp_path, threads=own_threads, solves=True)
    _, _, record = launched(programs, tmp_path, str(own), threads=threads)
    (point,) = record.points
    assert not point.check.passed
    assert f"{own_threads} of its threads worked, {threads} " in point.check.what


def test_a_library_without_lapack_is_named(programs: Programs, tmp_path: Path) -> None:
    own = own_blas(tmp_path)
    _, _, record = launched(programs, tmp_path, str(own))
    (point,) = record.points
    assert not point.check.passed
    assert not point.series
    assert point.check.what.startswith("not measured: library: ")
    assert f"{own} has no LAPACK" in point.check.what

"""Matrix products by a BLAS that is loaded: OpenBLAS itself, and libraries that are wrong or are no
BLAS, of which nothing counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.build.blas import resolve_openblas
from machmeter.launch.libraries import Libraries
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.launch import Launch, LaunchOutcome, Record
from tests.support.processes.measured_launches import BASE_PAGE, assert_measured, holds
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start
from tests.support.processes.own_blas import own_blas

pytestmark = pytest.mark.alone


def launched(
    programs: Programs,
    folder: Path,
    named: str,
    *,
    threads: int = 1,
    libraries: Libraries | None = None,
    order: int = 96,
) -> tuple[Launch, LaunchOutcome, Record]:
    points: list[dict[str, Value]] = [
        {"library": named, "order": order, "precision": precision}
        for precision in ("double", "single")
    ]
    layout = Layout(threads_per_rank=threads, wait_policy=WaitPolicy.DEFAULT, page_bytes=BASE_PAGE)
    holds(layout)
    launch = launch_of("compute.gemm", points, layout)
    return launch, *start(launcher_of(programs, None, os.environ, libraries), launch, folder)


@pytest.mark.parametrize("threads", [1, 2])
def test_openblas_multiplies_on_as_many_threads_as_asked_for(
    threads: int, cache: Path, programs: Programs, tmp_path: Path
) -> None:
    blas = {"openblas": resolve_openblas(cache, os.environ)}
    libraries = Libraries(cache, blas=blas)
    launch, outcome, record = launched(
        programs, tmp_path, "openblas", threads=threads, libraries=libraries, order=512
    )
    assert_measured(launch, outcome, record)
    for point in record.points:
        assert point.quantities["library_threads"] == threads
        assert point.quantities["flops"] == 2 * 512**3
        assert point.attributes["implementation"].startswith("OpenBLAS 0.3.")
        assert point.attributes["integers"] == "64 bits"
        assert point.attributes["file"] == blas["openblas"]


def test_small_orders_are_measured_too(cache: Path, programs: Programs, tmp_path: Path) -> None:
    libraries = Libraries(cache, blas={"openblas": resolve_openblas(cache, os.environ)})
    assert_measured(*launched(programs, tmp_path, "openblas", libraries=libraries, order=1))


@pytest.mark.parametrize(("integer", "bits"), [("int", "32 bits"), ("long", "64 bits")])
def test_a_library_of_one_s_own_is_taken_by_its_path(
    integer: str, bits: str, programs: Programs, tmp_path: Path
) -> None:
    own = own_blas(tmp_path, integer=integer)
    launch, outcome, record = launched(programs, tmp_path, str(own))
    assert_measured(launch, outcome, record)
    assert {point.attributes["integers"] for point in record.points} == {bits}
    assert {point.attributes["file"] for point in record.points} == {str(own.resolve())}


@pytest.mark.parametrize(
    ("wrong", "threads"),
    [
        # Skips the last of each sum's terms; a block of columns of A in every product.
        ({"terms": "order - 1"}, 1),
        ({"terms": "order < 64 ? order : order - 32"}, 1),
        # Has threads of its own, whatever it is asked for.
        ({"threads": 2}, 1),
        ({"threads": 1}, 2),
    ],
)
def test_no_point_of_a_wrong_library_counts(
    wrong: dict[str, str], threads: int, programs: Programs, tmp_path: Path
) -> None:
    own = own_blas(tmp_path, **wrong)  # type: ignore[arg-type]
    _, _, record = launched(programs, tmp_path, str(own), threads=threads)
    assert len(record.points) == 2
    assert not any(point.check.passed for point in record.points)


def test_what_is_no_blas_is_said(programs: Programs, tmp_path: Path) -> None:
    broken = tmp_path / "libbroken.so"
    broken.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(64))
    for named in (str(broken), str(tmp_path / "libmissing.so")):
        _, _, record = launched(programs, tmp_path, named)
        assert len(record.points) == 2
        assert all(named in point.check.what for point in record.points)
        assert not any(point.series for point in record.points)

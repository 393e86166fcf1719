"""The comparison of products of matrices: NumPy's program, what is read of it, the rows made."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bench.comparisons.arithmetic import gemm_peer
from bench.comparisons.arithmetic.gemm import (
    SCRIPT,
    Case,
    Lineup,
    cases,
    check_product,
    contenders_of,
    lineup_rows,
    rates,
)
from bench.parsers import NumpyBlas, ProductRun, parse_numpy_blas, parse_product
from bench.rounds import Contender, ContenderError, RoundResults
from bench.verdicts import TargetVerdict

BLAS = "/site/numpy.libs/libscipy_openblas64_-32a4b2a6.so"
MAPS = f"""00400000-00401000 r-xp 00000000 fe:00 1    /usr/bin/python3.11
7f00-7f01 r-xp 00000000 fe:00 2    /site/numpy/_core/_multiarray_umath.so
7f02-7f03 r-xp 00000000 fe:00 3    /usr/lib/libcblas.so.3
7f04-7f05 r-xp 00000000 fe:00 4    {BLAS}
7f06-7f07 rw-p 00000000 00:00 0    [stack]
"""
GOOD = ProductRun((0.5, 0.5), 2, (0, 1), 1e-3, BLAS)


def peer(*arguments: str, threads: int = 1) -> str:
    """What the program prints with that many threads."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)},
    ).stdout


def test_the_blas_is_found_among_mapped_files() -> None:
    assert gemm_peer.blas_in(MAPS) == BLAS
    assert gemm_peer.blas_in(MAPS.replace(BLAS, "/site/other.so")) == "/usr/lib/libcblas.so.3"
    assert gemm_peer.blas_in("7f06-7f07 rw-p 00000000 00:00 0    [stack]\n") == ""


def test_threads_that_worked_have_a_tenth_of_the_time_of_the_busiest() -> None:
    before = {3: 1.0, 5: 2.0}
    assert gemm_peer.workers(before, {3: 2.0, 5: 2.05, 9: 0.2}) == (3, 9)
    assert gemm_peer.workers(before, before) == ()


def test_times_are_as_many_as_fit_but_never_too_few() -> None:
    assert len(gemm_peer.timed(lambda: None, 20, 60.0)) == 20
    assert len(gemm_peer.timed(lambda: None, 20, 0.0)) == gemm_peer.LEAST_SAMPLES


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_product_that_lacks_a_term_is_beyond_its_bound(dtype: type[np.floating]) -> None:
    random = np.random.default_rng(5)
    a, b = (random.random((64, 64)).astype(dtype) for _ in range(2))
    x = random.random(64)
    assert gemm_peer.product_error(a, b, a @ b, x) < 1
    assert gemm_peer.product_error(a, b, a[:, :-1] @ b[:-1], x) > 1
    assert math.isnan(gemm_peer.product_error(a, b, np.full_like(a, np.nan), x))


@pytest.mark.parametrize("precision", ["double", "single"])
def test_numpy_times_right_products_on_the_cpus_that_it_may_use(precision: str) -> None:
    found = parse_numpy_blas(peer("library"))
    assert (found.version, Path(found.file).is_file()) == (np.__version__, True)
    run = parse_product(peer("run", precision, "96", "12", "0.5"))
    check_product(run, found.file, {min(os.sched_getaffinity(0))})
    assert 8 <= len(run.seconds) <= 12


def test_numpy_s_threads_have_a_cpu_each() -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("one CPU")
    run = parse_product(peer("run", "double", "512", "8", "0.1", threads=2))
    check_product(run, run.file, set(cpus))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"file": "/usr/lib/libblas.so.3"}, "loaded /usr/lib/libblas.so.3, not"),
        ({"threads": 1, "cpus": (0,)}, "1 threads of NumPy"),
        ({"cpus": (0, 2)}, r"CPUs \[0, 2\]"),
        ({"cpus": (0, 1, 2, 3)}, "2 threads of NumPy"),
        ({"error": 1.5}, "wrong product"),
        ({"error": math.nan}, "wrong product"),
    ],
)
def test_another_library_other_cpus_and_a_wrong_product_are_refused(
    changed: dict[str, object], message: str
) -> None:
    check_product(GOOD, BLAS, {0, 1})
    with pytest.raises(ContenderError, match=message):
        check_product(replace(GOOD, **changed), BLAS, {0, 1})


def test_what_is_no_product_and_no_library_is_refused() -> None:
    text = json.dumps({"seconds": [0.5], "threads": 1, "cpus": [0], "error": 0.5, "file": BLAS})
    assert parse_product(f"a warning\n{text}\n") == ProductRun((0.5,), 1, (0,), 0.5, BLAS)
    for broken, message in (
        ("", "printed no times"),
        (text.replace("0.5]", "]"), "printed no times|missing"),
        (text.replace("[0.5]", "[0.0]"), "not above zero"),
        (text.replace('"error": 0.5', '"error": NaN'), "printed no times"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_product(broken)
    assert parse_numpy_blas('{"file":"x","version":"2"}') == NumpyBlas("x", "2")
    with pytest.raises(ValueError, match="printed no BLAS"):
        parse_numpy_blas('{"version":"2"}')


def test_rates_are_of_the_fastest_product_and_of_the_usual_one() -> None:
    found = rates(100, (2.0, 1.0, 2.0, 2.0, 2.0, 9.0, 2.0, 2.0))
    assert found == {"best": pytest.approx(2e6), "usual": pytest.approx(1e6)}


def test_both_precisions_are_compared_on_one_core_and_on_all() -> None:
    assert {(case.precision, case.threads) for case in cases((1, 4))} == {
        ("double", 1),
        ("single", 1),
        ("double", 4),
        ("single", 4),
    }
    assert {case.order for case in cases((1,))} < {case.order for case in cases((1, 2))}


def lineup(order: int, *, has_peak: bool = True) -> Lineup:
    def contender(name: str) -> Contender:
        return Contender(name, lambda _round: {})

    case = Case(order, "double", 2)
    ours, numpy = contender(f"ours {order}"), contender(f"numpy {order}")
    return Lineup(case, ours, numpy, contender("peak") if has_peak else None)


def test_cases_share_the_launches_of_a_peak() -> None:
    names = [one.name for one in contenders_of([lineup(8), lineup(9), lineup(10, has_peak=False)])]
    assert sorted(names) == sorted(
        ["ours 8", "numpy 8", "peak", "ours 9", "numpy 9", "ours 10", "numpy 10"]
    )


def test_rows_are_versus_numpy_with_a_target_and_versus_the_peak_without() -> None:
    rounds = range(5)
    results = {
        "ours 8": {"best": {n: 97e9 + n for n in rounds}, "usual": {n: 80e9 + n for n in rounds}},
        "numpy 8": {"best": dict.fromkeys(rounds, 1e11), "usual": dict.fromkeys(rounds, 1e11)},
        "peak": {"best mean": dict.fromkeys(rounds, 2e11)},
    }
    measured = RoundResults(results, {}, 5)
    best, usual, peak = lineup_rows(lineup(8), measured)
    assert (best.verdict, usual.verdict) == (TargetVerdict.PASS, TargetVerdict.MISSED)
    assert (best.statistic, usual.statistic) == ("best", "usual")
    assert (peak.verdict, peak.ratio) == (TargetVerdict.SHOWN, pytest.approx(0.485))
    assert all("order 8, 2 threads" in row.what for row in (best, usual, peak))
    assert len(lineup_rows(lineup(8, has_peak=False), measured)) == 2


def test_the_program_needs_nothing_of_bench() -> None:
    imports = [line for line in SCRIPT.read_text().splitlines() if "import" in line]
    assert not any("bench" in line or "machmeter" in line for line in imports)

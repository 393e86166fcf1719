"""The comparison of sparse products: the peers' program, what is read of it, the rows made."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import mmread
from scipy.sparse import csr_array

from bench.comparisons.spmv import Lineup, lineup_rows, rate_of
from bench.parsers import SparseRun, parse_sparse
from bench.rounds import ContenderError, RoundResults
from bench.spmv_peer import main
from bench.verdicts import TargetVerdict


def written(kind: str, folder: Path) -> Path:
    path = folder / f"{kind}.mtx"
    main(["make", kind, "20000", str(path)])
    return path


def test_the_banded_matrix_has_all_of_its_band(tmp_path: Path) -> None:
    matrix = csr_array(mmread(written("banded", tmp_path)))
    assert matrix.shape == (800, 800)
    rows, columns = matrix.nonzero()
    assert set(np.abs(columns - rows)) == set(range(13))
    assert matrix.nnz == 800 * 25 - 2 * sum(range(13))


def test_the_power_law_matrix_has_few_long_rows_and_each_column_once(tmp_path: Path) -> None:
    path = written("power-law", tmp_path)
    matrix = csr_array(mmread(path))
    lengths = np.diff(matrix.indptr)
    assert lengths.max() > 20 * lengths.mean()
    assert int(path.read_text().splitlines()[2].split()[2]) == matrix.nnz
    assert abs(matrix.nnz / 20000 - 1) < 0.2


def test_scipy_times_right_products_of_what_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("banded", tmp_path)
    main(["run", "scipy", str(path), "1", "12", "0.5"])
    run = parse_sparse(capsys.readouterr().out)
    assert (run.threads, run.nonzeros) == (1, csr_array(mmread(path)).nnz)
    assert 8 <= len(run.seconds) <= 12
    assert rate_of(run, 1) > 0


def test_a_run_with_other_threads_or_a_wrong_product_is_refused() -> None:
    good = SparseRun((2.0, 2.0), 1, 1e-15, 100)
    assert rate_of(good, 1) == 100.0
    with pytest.raises(ContenderError, match="used 1 threads, not 2"):
        rate_of(good, 2)
    for error in (1e-3, math.nan):
        with pytest.raises(ContenderError, match="wrong product"):
            rate_of(SparseRun((2.0,), 1, error, 100), 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "printed no times"),
        ("Intel oneMKL ERROR", "printed no times"),
        ('{"seconds":[1],"threads":1}', "printed no times"),
        ('{"seconds":[],"threads":1,"error":0,"nonzeros":4}', "missing or not above zero"),
        ('{"seconds":[0],"threads":1,"error":0,"nonzeros":4}', "missing or not above zero"),
        ('{"seconds":[1e999],"threads":1,"error":0,"nonzeros":4}', "no times|not above zero"),
        ('{"seconds":[1],"threads":1,"error":0,"nonzeros":0}', "0 nonzeros"),
    ],
)
def test_what_is_no_list_of_times_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_sparse(text)


def test_what_stands_before_the_times_does_not_matter() -> None:
    times = '{"seconds":[0.5],"threads":2,"error":0.0,"nonzeros":4}'
    assert parse_sparse(f"a warning\n{times}\n") == SparseRun((0.5,), 2, 0.0, 4)


def measured(**rates: float) -> RoundResults:
    """Three rounds of each contender, a thousandth apart."""
    figures = {
        name: {"rate": {n: rate * (1 + n / 1000) for n in range(3)}} for name, rate in rates.items()
    }
    return RoundResults(figures, {}, 3)


def test_the_fastest_peer_has_the_target_and_the_others_are_shown() -> None:
    lineup = Lineup("banded", 1, "ours", ("scipy", "mkl", "failed"))
    rows = lineup_rows(lineup, measured(ours=1.9, scipy=1.0, mkl=2.1))
    assert [row.what for row in rows] == ["ours\n: mkl", "ours\n: scipy"]
    assert [row.verdict for row in rows] == [TargetVerdict.MISSED, TargetVerdict.SHOWN]
    assert math.isclose(rows[1].ratio, 1.9)
    (row,) = lineup_rows(lineup, measured(ours=2.0, mkl=2.0))
    assert row.verdict is TargetVerdict.PASS


def test_without_peers_or_without_ours_there_is_no_row() -> None:
    lineup = Lineup("banded", 2, "ours", ("mkl",))
    assert lineup_rows(lineup, measured(ours=1.0)) == []
    assert lineup_rows(lineup, measured(mkl=1.0)) == []


def test_the_program_needs_nothing_of_bench() -> None:
    source = Path(sys.modules["bench.spmv_peer"].__file__ or "").read_text()
    assert "import bench" not in source
    assert "from bench" not in source
    assert "machmeter" not in "".join(line for line in source.splitlines() if "import" in line)

"""Run by the user's Python: products of a sparse matrix with a vector by SciPy or MKL.

`make KIND NONZEROS FILE` writes a matrix; `run PEER FILE THREADS SAMPLES SECONDS` times products
with it and prints them as JSON. Needs numpy and scipy, for MKL also mkl and sparse_dot_mkl.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import distribution

import numpy as np
import numpy.typing as npt
from scipy.io import mmread, mmwrite
from scipy.sparse import csr_array

HALF_BAND = 12
POWER_LAW_MEAN = 8
WARM_UP = 3

Vector = npt.NDArray[np.float64]
Product = Callable[[], Vector]


def make(kind: str, nonzeros: int, path: str) -> None:
    """Write a banded matrix, or one of power-law rows, shaped as machmeter's own are."""
    random = np.random.default_rng(3)
    if kind == "banded":
        rows = nonzeros // (2 * HALF_BAND + 1)
        numbers = np.arange(rows)
        first = np.maximum(numbers - HALF_BAND, 0)
        lengths = np.minimum(numbers + HALF_BAND + 1, rows) - first
    else:
        rows = nonzeros // POWER_LAW_MEAN
        age = (np.arange(rows) + 1) / rows
        expected = POWER_LAW_MEAN / 3 * age ** (-2 / 3)
        lengths = np.minimum(2 * expected * random.random(rows) + 0.5, rows).astype(np.int64)
        first = np.zeros(rows, np.int64)
    row_of = np.repeat(np.arange(rows), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if kind == "banded":
        columns = first[row_of] + within
    else:
        # One nonzero in each of as many equal parts of the row as it has nonzeros.
        begin = within * rows // lengths[row_of]
        width = (within + 1) * rows // lengths[row_of] - begin
        columns = begin + (random.random(len(row_of)) * width).astype(np.int64)
    values = 0.5 + random.random(len(row_of))
    matrix = csr_array((values, (row_of, columns)), shape=(rows, rows))
    mmwrite(path, matrix, precision=17, symmetry="general")


def product_of(peer: str, matrix: csr_array, x: Vector, threads: int) -> tuple[Product, int]:
    """One product by that peer, and the number of threads it reports."""
    if peer == "scipy":
        return lambda: matrix @ x, 1
    if peer == "sparse_dot_mkl":
        os.environ["MKL_RT"] = library_of_mkl()
        package = importlib.import_module("sparse_dot_mkl")
        package.mkl_set_num_threads(threads)
        return lambda: package.dot_product_mkl(matrix, x), package.mkl_get_max_threads()
    return inspected(matrix, x, threads)


class Descriptor(ctypes.Structure):
    """`struct matrix_descr` of MKL's sparse routines: kind, triangle and diagonal of a matrix."""

    _fields_ = (("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int))


def inspected(matrix: csr_array, x: Vector, threads: int) -> tuple[Product, int]:
    """MKL's own interface, with the matrix analyzed beforehand (`mkl_sparse_optimize`).

    The constants are SPARSE_INDEX_BASE_ZERO, SPARSE_OPERATION_NON_TRANSPOSE and
    SPARSE_MATRIX_TYPE_GENERAL of mkl_spblas.h.
    """
    base_zero, as_it_is, general, many_calls = 0, 10, 20, 1000
    mkl = ctypes.CDLL(library_of_mkl())
    # The names in capitals take whole numbers by value, as the C header has them.
    mkl.MKL_Set_Num_Threads(threads)
    begins = matrix.indptr.astype(np.int32)
    columns = matrix.indices.astype(np.int32)
    y = np.zeros(matrix.shape[0])
    pointer = ctypes.c_void_p
    handle, descriptor = pointer(), Descriptor(general, 0, 0)

    def check(status: int) -> None:
        if status != 0:
            raise SystemExit(f"MKL refused a sparse matrix: status {status}")

    def of(array: npt.NDArray[np.generic], skipped: int = 0) -> ctypes.c_void_p:
        return pointer(array.ctypes.data + skipped * array.itemsize)

    rows, width = (ctypes.c_int(size) for size in matrix.shape)
    parts = (of(begins), of(begins, 1), of(columns), of(matrix.data))
    check(mkl.mkl_sparse_d_create_csr(ctypes.byref(handle), base_zero, rows, width, *parts))
    check(mkl.mkl_sparse_set_mv_hint(handle, as_it_is, descriptor, many_calls))
    check(mkl.mkl_sparse_optimize(handle))
    one, zero = ctypes.c_double(1), ctypes.c_double(0)

    def product() -> Vector:
        check(mkl.mkl_sparse_d_mv(as_it_is, one, handle, descriptor, of(x), zero, of(y)))
        return y

    return product, mkl.MKL_Get_Max_Threads()


def library_of_mkl() -> str:
    """Path of MKL's dispatch library in the package `mkl`."""
    for file in distribution("mkl").files or ():
        if file.name.startswith("libmkl_rt.so"):
            return str(file.locate())
    raise SystemExit("the package mkl holds no libmkl_rt")


def run(peer: str, path: str, threads: int, samples: int, seconds: float) -> None:
    """Time products of the matrix in that file and print the results as JSON."""
    matrix = csr_array(mmread(path))
    x = 1 + np.arange(matrix.shape[1]) % 1021 / 1024
    product, used_threads = product_of(peer, matrix, x, threads)
    error = float(np.max(np.abs(product() - matrix @ x) / (abs(matrix) @ x + 1e-300)))
    for _ in range(WARM_UP):
        product()
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < samples and (len(times) < 8 or time.perf_counter() - began < seconds):
        begin = time.perf_counter()
        product()
        times.append(time.perf_counter() - begin)
    found = {"seconds": times, "threads": used_threads, "error": error, "nonzeros": int(matrix.nnz)}
    sys.stdout.write(json.dumps(found) + "\n")


def main(arguments: list[str]) -> None:
    """Run the command of the module's docstring."""
    command, *values = arguments
    if command == "make":
        make(values[0], int(values[1]), values[2])
    else:
        run(values[0], values[1], int(values[2]), int(values[3]), float(values[4]))


if __name__ == "__main__":
    main(sys.argv[1:])

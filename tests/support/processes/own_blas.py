"""A BLAS of a test's own, which is right, or wrong in a known way."""

from __future__ import annotations

import subprocess
from pathlib import Path

# Columns one after another, as Fortran has them; `TERMS` of each sum, on `THREADS` threads.
SOURCE = """
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>
enum { NO, LEADING_DIMENSION, SOLUTION_OF_OTHERS, NOTHING_SOLVED, OTHER_RIGHT_SIDE, ROW_SCALED,
       SAYS_IT_FAILED, ELEMENT_CHANGED };
template <class T>
static void multiply(const INTEGER* n, const T* scale, const T* a, const T* b, T* c) {
    const std::size_t order = *n;
    auto columns = [&](std::size_t from) {
        for (std::size_t j = from; j < order; j += THREADS)
            for (std::size_t i = 0; i < order; ++i) {
                T sum = 0;
                for (std::size_t k = 0; k < (TERMS); ++k)
                    sum += a[i + k * order] * b[k + j * order];
                c[i + j * order] = *scale * sum;
            }
    };
    std::vector<std::thread> others;
    for (std::size_t one = 1; one < THREADS; ++one) others.emplace_back(columns, one);
    columns(0);
    for (auto& one : others) one.join();
}
extern "C" {
#define GEMM(name, T)                                                                          \\
    void name(const char*, const char*, const INTEGER* m, const INTEGER*, const INTEGER*,      \\
              const T* scale, const T* a, const INTEGER*, const T* b, const INTEGER*,          \\
              const T*, T* c, const INTEGER*) { multiply(m, scale, a, b, c); }
GEMM(dgemm_, double)
GEMM(sgemm_, float)
#ifdef SOLVES
// Elimination with exchanges of rows; wrongly where `WRONG` is no 0.
void dgesv_(const INTEGER* n, const INTEGER*, double* a, const INTEGER*, INTEGER* pivots,
            double* b, const INTEGER*, INTEGER* info) {
    const std::size_t order = *n, rows = order - (WRONG == LEADING_DIMENSION);
    static std::vector<double> last;
    *info = 0;
    if (WRONG == SOLUTION_OF_OTHERS && last.size() == order) {
        for (std::size_t i = 0; i < order; ++i) b[i] = last[i];
        return;
    }
    if (WRONG == NOTHING_SOLVED) return;
    if (WRONG == OTHER_RIGHT_SIDE) b[order / 2] += 1e-3;
    if (WRONG == ROW_SCALED)
        for (std::size_t j = 0; j < order; ++j) a[order / 2 + j * order] *= 1.001;
    if (WRONG == SAYS_IT_FAILED) *info = 1;
    for (std::size_t k = 0; k < order; ++k) {
        std::size_t largest = k;
        for (std::size_t i = k; i < order; ++i)
            if (std::abs(a[i + k * rows]) > std::abs(a[largest + k * rows])) largest = i;
        pivots[k] = largest + 1;
        std::swap(b[k], b[largest]);
        for (std::size_t j = 0; j < order; ++j) std::swap(a[k + j * rows], a[largest + j * rows]);
        for (std::size_t i = k + 1; i < order; ++i) {
            const double factor = a[i + k * rows] /= a[k + k * rows];
            b[i] -= factor * b[k];
        }
        for (std::size_t j = k + 1; j < order; ++j)
            for (std::size_t i = k + 1; i < order; ++i)
                a[i + j * rows] -= a[i + k * rows] * a[k + j * rows];
    }
    for (std::size_t i = order; i-- > 0;) {
        for (std::size_t j = i + 1; j < order; ++j) b[i] -= a[i + j * rows] * b[j];
        b[i] /= a[i + i * rows];
    }
    if (WRONG == ELEMENT_CHANGED) b[order / 2] += 1e-3;
    last.assign(b, b + order);
}
#endif
INTEGER idamax_(const INTEGER* n, const double*, const INTEGER*) { return *n < 1 ? 0 : 2; }
}
"""


def own_blas(
    folder: Path,
    *,
    terms: str = "order",
    threads: int | str = 1,
    integer: str = "int",
    solves: bool = False,
    wrong: str = "NO",
) -> Path:
    """A BLAS that multiplies by the definition, or wrongly.

    threads: how many, or an expression of C++; solves: with LAPACK's dgesv; wrong: what is wrong
    with that.
    """
    source, made = folder / "blas.cpp", folder / "libown.so"
    source.write_text(SOURCE)
    defined = [f"-DTERMS={terms}", f"-DTHREADS={threads}", f"-DINTEGER={integer}"]
    defined += ["-DSOLVES", f"-DWRONG={wrong}"] * solves
    command = ["g++", "-O1", "-shared", "-fPIC", *defined, str(source), "-o", str(made), "-pthread"]
    subprocess.run(command, check=True)
    return made

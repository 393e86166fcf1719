"""Run by the user's Python: products of two matrices by NumPy, on the BLAS that it loads.

`library` prints that BLAS; `run PRECISION ORDER SAMPLES SECONDS` times products on the CPUs of this
process, with the threads that OPENBLAS_NUM_THREADS says, one on each CPU. Both print JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.floating[Any]]

TYPES = {"double": "float64", "single": "float32"}
# Products and seconds before any is timed; fewer samples than the least are not taken.
WARM_UP, WARM_SECONDS = 3, 0.05
LEAST_SAMPLES = 8
# Threads with a smaller part of the CPU time of the busiest one did not work, as machmeter counts.
LEAST_SHARE = 0.1


def blas_in(maps: str) -> str:
    """The file of the BLAS among the mapped files of a process, OpenBLAS first; empty for none."""
    paths = {line.split(maxsplit=5)[-1] for line in maps.splitlines() if "/" in line}
    found = sorted(path for path in paths if "blas" in Path(path).name)
    return next((path for path in found if "openblas" in path), found[0] if found else "")


def workers(before: dict[int, float], after: dict[int, float]) -> tuple[int, ...]:
    """The threads that worked in between, by the CPU seconds of each, in order of their number."""
    spent = {thread: seconds - before.get(thread, 0.0) for thread, seconds in after.items()}
    least = LEAST_SHARE * max(spent.values())
    return tuple(thread for thread in sorted(spent) if spent[thread] >= least > 0)


def cpu_seconds() -> dict[int, float]:
    """Of every thread of this process so far, by its number."""
    threads = [int(entry.name) for entry in Path("/proc/self/task").iterdir()]
    # How Linux numbers the clock of a thread (include/linux/posix-timers_types.h).
    return {thread: time.clock_gettime((~thread << 3) | 6) for thread in threads}


def timed(product: Callable[[], object], samples: int, seconds: float) -> list[float]:
    """Seconds of each product: `samples`, or as many as `seconds` hold, but never too few."""
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < samples and (
        len(times) < LEAST_SAMPLES or time.perf_counter() - began < seconds
    ):
        begin = time.perf_counter()
        product()
        times.append(time.perf_counter() - begin)
    return times


def place(threads: Sequence[int], cpus: Sequence[int]) -> list[int]:
    """Bind each of the threads to the next CPU; the CPUs that they are bound to."""
    for thread, cpu in zip(threads, cpus, strict=False):
        os.sched_setaffinity(thread, {cpu})
    return [cpu for thread in threads for cpu in sorted(os.sched_getaffinity(thread))]


def run(precision: str, order: int, samples: int, seconds: float) -> dict[str, object]:
    """Time products C := A B of that order, C allocated before, its threads placed."""
    dtype = np.dtype(TYPES[precision])
    random = np.random.default_rng(3)
    a, b = (random.random((order, order)).astype(dtype) for _ in range(2))
    c = np.full((order, order), np.nan, dtype)

    def product() -> None:
        np.matmul(a, b, out=c)

    cpus, before = sorted(os.sched_getaffinity(0)), cpu_seconds()
    timed(product, 10**6, WARM_SECONDS)
    threads = workers(before, cpu_seconds())
    placed = place(threads, cpus)
    for _ in range(WARM_UP):
        product()
    times = timed(product, samples, seconds)
    return {
        "seconds": times,
        "threads": len(threads),
        "cpus": placed,
        "error": product_error(a, b, c, random.random(order)),
        "file": library(),
    }


def product_error(a: Numbers, b: Numbers, c: Numbers, x: Numbers) -> float:
    """The largest error of C x against A (B x), over its rounding bound; no element < 0."""
    right = a.astype(np.float64) @ (b.astype(np.float64) @ x)
    bound = len(x) * float(np.finfo(c.dtype).eps) * right
    return float(np.max(np.abs(c.astype(np.float64) @ x - right) / bound))


def library() -> str:
    """The file of the BLAS that NumPy has loaded. Exits with a message where there is none."""
    found = blas_in(Path("/proc/self/maps").read_text())
    if not found:
        raise SystemExit("NumPy has loaded no library with blas in its name")
    return str(Path(found).resolve())


def main(arguments: Sequence[str]) -> None:
    """Run the command of the module's docstring."""
    command, *values = arguments
    if command == "library":
        found: dict[str, object] = {"file": library(), "version": np.__version__}
    else:
        found = run(values[0], int(values[1]), int(values[2]), float(values[3]))
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

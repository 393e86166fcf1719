"""Trying out what measuring needs: compiler, tools, permissions, room on disk, quiet."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from machmeter.machine.cgroup import read_limits
from machmeter.machine.compiler_words import compiler_words
from machmeter.machine.memory import swap_used_bytes
from machmeter.machine.software import isolated_cpus
from machmeter.machine.system_files import read_int, read_text

_COMPILERS = ("g++", "clang++", "c++", "icpx", "nvc++", "CC")
_MPI_COMPILERS = ("mpicxx", "mpic++", "mpiicpx", "mpiicpc", "CC")
_LAUNCHERS = ("mpiexec", "mpirun")
_PROGRAM = "#include <omp.h>\n#include <span>\nint main() { return omp_get_max_threads() < 1; }\n"
_QUANTA = 100
_QUANTUM_SECONDS = 0.001
_PATIENCE_SECONDS = 30


class Probes(Struct, frozen=True):
    """What was tried out. An empty string means that there is none."""

    compiler: str
    """Path of the C++ compiler."""
    compiler_version: str
    """The first line of its version."""
    compiler_problem: str
    """The last line of its error for a C++20 OpenMP program."""
    make: str
    """Path of make."""
    mpi_compiler: str
    """Path of the MPI compiler wrapper."""
    launcher: str
    """Path of mpiexec."""
    perf_event_paranoid: int
    """The kernel's setting; -2 where there is none."""
    locked_bytes: int
    """Memory that may be page-locked, bytes (-1: any)."""
    load: float
    """Runnable tasks, average over 1 minute."""
    cache_folder: str
    """Folder of the cache."""
    cache_problem: str
    """Why it cannot be written."""
    cache_free_bytes: int
    """Free space there, bytes."""
    isolated_cpus: str
    """The kernel's list of isolated CPUs."""
    swap_used_bytes: int
    """Swap in use, bytes."""
    throttled_periods: int
    """How often the CPU quota has stopped this group."""
    steal_share: float
    """Share of CPU time since boot that the hypervisor gave to others."""
    quantum_slowdown: float
    """99th percentile over the median of equal short pieces of work."""


def probe(cache_folder: Path, root: Path = Path("/")) -> Probes:
    """Try out this machine, in about a second; writes only to temporary files in `cache_folder`
    and in the system's folder for temporary files, and removes them."""
    load = os.getloadavg()[0]
    compiler = find_compiler()
    cache_problem, cache_free = try_folder(cache_folder)
    return Probes(
        compiler=compiler,
        compiler_version=compiler_version(compiler) if compiler else "",
        compiler_problem=try_compiler(compiler) if compiler else "",
        make=shutil.which("make") or shutil.which("gmake") or "",
        mpi_compiler=_first_found(_MPI_COMPILERS),
        launcher=_first_found(_LAUNCHERS),
        perf_event_paranoid=read_int(root / "proc/sys/kernel/perf_event_paranoid", -2),
        locked_bytes=resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
        load=load,
        cache_folder=str(cache_folder),
        cache_problem=cache_problem,
        cache_free_bytes=cache_free,
        isolated_cpus=isolated_cpus(root),
        swap_used_bytes=swap_used_bytes(root),
        throttled_periods=read_limits(root).throttled_periods,
        steal_share=steal_share(read_text(root / "proc/stat")),
        quantum_slowdown=quantum_slowdown(),
    )


def find_compiler() -> str:
    """The C++ compiler that $CXX names, else the first usual one on the path; empty if none.

    With $CXX that is none, or has words after it that are no flags, runs have none either.
    """
    if not (chosen := os.environ.get("CXX", "").strip()):
        return _first_found(_COMPILERS)
    name, *flags = compiler_words(chosen)
    return _first_found((name,)) if all(flag.startswith("-") for flag in flags) else ""


def _first_found(names: tuple[str, ...]) -> str:
    return next((path for name in names if (path := shutil.which(name))), "")


def compiler_version(compiler: str) -> str:
    """The first line of `compiler --version`; empty when it does not run."""
    lines = _run([compiler, "--version"], "")[1].splitlines()
    return lines[0][:200] if lines else ""


def try_compiler(compiler: str) -> str:
    """Compile and link a C++20 program with OpenMP; what went wrong in a line, empty if nothing."""
    try:
        with tempfile.TemporaryDirectory(prefix="machmeter-") as folder:
            arguments = ["-std=c++20", "-fopenmp", "-x", "c++", "-", "-o", f"{folder}/program"]
            code, output = _run([compiler, *arguments], _PROGRAM)
    except OSError as error:
        return f"no temporary file can be written: {error}"
    errors = [line for line in output.splitlines() if "error" in line.lower()]
    return "" if code == 0 else (errors or output.splitlines() or [f"exit code {code}"])[0][:300]


def _run(command: list[str], text: str) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, f"error: {error}"
    return done.returncode, done.stdout + done.stderr


def try_folder(folder: Path) -> tuple[str, int]:
    """Why `folder` (made if missing) cannot be written, empty if it can; bytes free there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"machmeter")
            file.flush()
        return "", shutil.disk_usage(folder).free
    except OSError as error:
        return f"{error.strerror or error}", 0


def steal_share(stat: str) -> float:
    """Of /proc/stat's first line the share of time that the hypervisor gave to others (proc(5))."""
    words = stat.split("\n", 1)[0].split()
    times = [int(word) for word in words[1:9] if word.isdecimal()]
    total = sum(times, 0)
    return times[7] / total if len(times) == 8 and total else 0.0


def quantum_slowdown() -> float:
    """Run equal pieces of work of about 1 ms and compare: 99th percentile over median.

    The fixed-work-quantum method (Petrini, Kerbyson, Pakin: SC 2003), coarse as Python is; every
    launch measures its own noise natively.
    """
    turns = 1000
    while _work_seconds(turns) < _QUANTUM_SECONDS:
        turns *= 2
    times = sorted(_work_seconds(turns) for _ in range(_QUANTA))
    return times[_QUANTA * 99 // 100 - 1] / times[_QUANTA // 2]


def _work_seconds(turns: int) -> float:
    start = time.perf_counter()
    value = 1
    for _ in range(turns):
        value = value * 1103515245 + 12345 & 0x7FFFFFFF
    return time.perf_counter() - start

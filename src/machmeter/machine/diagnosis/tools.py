"""Diagnoses of what machmeter works with: compiler, MPI, permissions, cache folder."""

from __future__ import annotations

from machmeter.machine.diagnosis.limits import good, roughly
from machmeter.machine.diagnosis.probe import Probes
from machmeter.model.machine import Diagnosis, Severity

_LEAST_FREE = 512 * 2**20
_LEAST_LOCKED = 64 * 2**20


def diagnose_tools(probes: Probes) -> list[Diagnosis]:
    """One diagnosis for each tool or permission."""
    return [
        _compiler(probes),
        _make(probes),
        _mpi(probes),
        _counters(probes),
        _locked_memory(probes),
        _cache_folder(probes),
    ]


def _compiler(probes: Probes) -> Diagnosis:
    if not probes.compiler:
        return Diagnosis(
            "compiler",
            Severity.LACKING,
            "No C++ compiler was found on the path.",
            "Install one (`sudo apt install g++`, `sudo dnf install gcc-c++`), load your site's "
            "module for it, or set CXX to its path.",
        )
    if probes.compiler_problem:
        return Diagnosis(
            "compiler",
            Severity.LACKING,
            f"{probes.compiler} does not build a C++20 program with OpenMP: "
            f"{probes.compiler_problem}",
            "Install GCC 11, Clang 14 or newer with its OpenMP library (`sudo apt install g++`, or "
            "`libomp-dev` for Clang), and name it with CXX or --compiler.",
        )
    return good("compiler", f"{probes.compiler_version} ({probes.compiler}).")


def _make(probes: Probes) -> Diagnosis:
    if probes.make:
        return good("make", f"{probes.make}.")
    return Diagnosis(
        "make",
        Severity.NOTE,
        "No make was found; only `make run` and `make test` of a clone need it.",
        "Install it (`sudo apt install make`), or install machmeter with `pip install .` and "
        "call `machmeter run`.",
    )


def _mpi(probes: Probes) -> Diagnosis:
    if probes.mpi_compiler and probes.launcher:
        return good(
            "MPI",
            f"The site has {probes.mpi_compiler} and {probes.launcher}; measure it with "
            "--mpi PREFIX, its folder, in place of the embedded MPICH.",
        )
    present = probes.mpi_compiler or probes.launcher
    return Diagnosis(
        "MPI",
        Severity.NOTE,
        f"Of a site's MPI there is {f'only {present}' if present else 'nothing'} on the path; the "
        "embedded MPICH, which knows no interconnect but TCP and shared memory, is used.",
        "On a cluster, load the module of its MPI and pass --mpi PREFIX.",
    )


def _counters(probes: Probes) -> Diagnosis:
    level = probes.perf_event_paranoid
    if level == -2:
        return Diagnosis(
            "hardware counters",
            Severity.NOTE,
            "The kernel offers no performance counters (/proc/sys/kernel/perf_event_paranoid is "
            "missing); machmeter's own figures do not need them.",
            "Use a kernel with CONFIG_PERF_EVENTS to look further with perf or likwid.",
        )
    if level > 2:
        return Diagnosis(
            "hardware counters",
            Severity.NOTE,
            f"kernel.perf_event_paranoid is {level}, so counters are for root only; machmeter's "
            "own figures do not need them.",
            "To look further with perf or likwid: `sudo sysctl kernel.perf_event_paranoid=2`.",
        )
    return good("hardware counters", f"kernel.perf_event_paranoid is {level}.")


def _locked_memory(probes: Probes) -> Diagnosis:
    if 0 <= probes.locked_bytes < _LEAST_LOCKED:
        return Diagnosis(
            "locked memory",
            Severity.NOTE,
            f"At most {roughly(probes.locked_bytes)} may be page-locked; MPI over InfiniBand "
            "or another RDMA network needs more.",
            "Set `* - memlock unlimited` in /etc/security/limits.conf, or LimitMEMLOCK=infinity "
            "in the unit of the batch system's daemon.",
        )
    amount = "any amount" if probes.locked_bytes < 0 else roughly(probes.locked_bytes)
    return good("locked memory", f"{amount} of memory may be page-locked.")


def _cache_folder(probes: Probes) -> Diagnosis:
    if probes.cache_problem:
        return Diagnosis(
            "cache folder",
            Severity.LACKING,
            f"{probes.cache_folder} cannot be written: {probes.cache_problem}.",
            "Free or unlock that folder, or point XDG_CACHE_HOME to one that can be written; "
            "compute nodes must see it too.",
        )
    free = f"{roughly(probes.cache_free_bytes)} free in {probes.cache_folder}."
    if probes.cache_free_bytes < _LEAST_FREE:
        return Diagnosis(
            "cache folder",
            Severity.WARNING,
            f"Only {free}",
            f"Free {roughly(_LEAST_FREE)} there, or point XDG_CACHE_HOME elsewhere.",
        )
    return good("cache folder", free)

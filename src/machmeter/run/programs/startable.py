"""Applications of a study that an MPI of their own starts: it is there, or they are left out."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.build.mpi import EMBEDDED, embedded_prefix, resolve_mpi
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.study import Experiment
from machmeter.model.results.run import Request
from machmeter.run.programs.compiled import BuildContext, Notify


def with_startable(request: Request, context: BuildContext, notify: Notify) -> Request:
    """The request with the reason at each application whose MPI is neither here nor fetched: it is
    left out, and the rest of its study measured all the same.

    Where nothing but programs is requested it stays as it is: a run of them is then refused.
    """
    if request.explores:
        return request
    experiments = tuple(_startable(one, context, notify) for one in request.study.experiments)
    return replace(request, study=replace(request.study, experiments=experiments))


def _startable(experiment: Experiment, context: BuildContext, notify: Notify) -> Experiment:
    mpi = experiment.command.mpi if experiment.command else ""
    if not mpi:
        return experiment
    if mpi in EMBEDDED and not embedded_prefix(mpi, context.cache).is_dir():
        notify(f"fetching MPI {mpi} for {experiment.benchmark} from PyPI, once")
    try:
        resolve_mpi(mpi, context.cache, context.environment, to_compile=False)
    except MachineLacksError as error:
        reason = f"no MPI starts its ranks: {error.message}; {error.remedy}"
        return replace(experiment, command=None, lacks=reason)
    return experiment

"""Applications as parts of a study: those that are installed become experiments."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.programs.described import described_command, is_of_ranks, mpi_of, started_by
from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.builtin import app_file
from machmeter.apps.read import read_description
from machmeter.apps.sizes import at_size
from machmeter.launch.mpi_of_program import LinkedMpi
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.plan.study import Experiment, Study, StudyApplication


class _Part(NamedTuple):
    experiment: Experiment
    benchmark: Benchmark


def with_applications(
    study: Study, limit_seconds: float, context: Context, mpis: tuple[str, ...] = ()
) -> Study:
    """The study with its applications among its experiments.

    limit_seconds: of a launch of theirs; mpis: MPI libraries as requested, of which one of its
    family starts a program that is linked with one (empty: the one that it is linked with).
    One that is not installed, or that no requested MPI starts, is an experiment too, which says why
    it is not measured. Raises UsageError where the input files of one are not those that came with
    machmeter.
    """
    parts = [_part(one, limit_seconds, context, mpis) for one in study.applications]
    return replace(
        study,
        experiments=(*study.experiments, *(part.experiment for part in parts)),
        benchmarks=(*study.benchmarks, *(part.benchmark for part in parts)),
        questions=(*study.questions, *(q for one in study.applications for q in one.questions)),
        applications=(),
    )


def _part(
    one: StudyApplication, limit_seconds: float, context: Context, mpis: tuple[str, ...]
) -> _Part:
    path = app_file(one.name)
    try:
        program = described_command(path, one.name, limit_seconds, context)
        linked = mpi_of(program.path, program.command.description, context.environment)
        # A script that names no MPI is started by every MPI of the run.
        mpi = _starter(linked, mpis, context.environment) if linked else ""
    except MachineLacksError as error:
        benchmark = benchmark_of(at_size(read_description(path)), of_ranks=True)
        reason = "; ".join(filter(None, (error.message, error.remedy)))
        return _Part(Experiment(benchmark.name, lacks=reason), benchmark)
    of_ranks = is_of_ranks(program, linked)
    benchmark = benchmark_of(at_size(read_description(path)), of_ranks=of_ranks)
    experiment = Experiment(
        benchmark.name,
        parameters={name: (value,) for name, value in program.values.items()},
        ranks=one.ranks if of_ranks else None,
        modes=one.modes if of_ranks else (),
        # Its launches have folders on this machine.
        one_node=True,
        command=replace(program.command, mpi=mpi),
    )
    return _Part(experiment, benchmark)


def _starter(linked: LinkedMpi, mpis: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first requested MPI of its family, without a request the one that it is linked with.

    Raises MachineLacksError where no requested one is of its family.
    """
    for mpi in mpis:
        with suppress(UsageError):
            return started_by(linked, mpi, environment)
    if mpis:
        raise MachineLacksError(
            f"it is made for {linked.family}, which --mpi {','.join(mpis)} is not",
            "leave --mpi out",
        )
    return started_by(linked, "", environment)

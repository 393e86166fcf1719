"""Applications as parts of a study: those that are installed become experiments."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.programs.described import described_command, is_of_ranks, started_by
from machmeter.apps.benchmark import benchmark_of
from machmeter.apps.builtin import app_file
from machmeter.apps.read import read_description
from machmeter.launch.mpi_of_program import linked_mpi
from machmeter.model.benchmark import Benchmark
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.study import Experiment, Study, StudyApplication


class _Part(NamedTuple):
    experiment: Experiment
    benchmark: Benchmark


def with_applications(study: Study, limit_seconds: float, context: Context) -> Study:
    """The study with its applications among its experiments.

    limit_seconds: of a launch of theirs.
    One that is not installed is an experiment too, which says what installs it and is not measured.
    Raises UsageError where the input files of one are not those that came with machmeter.
    """
    parts = [_part(one, limit_seconds, context) for one in study.applications]
    return replace(
        study,
        experiments=(*study.experiments, *(part.experiment for part in parts)),
        benchmarks=(*study.benchmarks, *(part.benchmark for part in parts)),
        questions=(*study.questions, *(q for one in study.applications for q in one.questions)),
        applications=(),
    )


def _part(one: StudyApplication, limit_seconds: float, context: Context) -> _Part:
    path = app_file(one.name)
    environment = context.environment
    try:
        program = described_command(path, one.name, limit_seconds, context, keep_files=False)
    except MachineLacksError as error:
        benchmark = benchmark_of(read_description(path), of_ranks=True)
        return _Part(
            Experiment(benchmark.name, lacks=f"{error.message}; {error.remedy}"), benchmark
        )
    linked = linked_mpi(program.path, environment)
    # A script has ranks by its description: every MPI of the run starts it.
    command = replace(program.command, mpi=started_by(linked, "", environment) if linked else "")
    of_ranks = is_of_ranks(program, linked)
    benchmark = benchmark_of(read_description(path), of_ranks=of_ranks)
    experiment = Experiment(
        benchmark.name,
        parameters={name: (value,) for name, value in program.values.items()},
        ranks=one.ranks if of_ranks else None,
        # Its launches have folders on this machine.
        one_node=True,
        command=command,
    )
    return _Part(experiment, benchmark)

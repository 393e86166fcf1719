"""What an earlier run asked or named, and may not be taken as it stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.build.compiler import parse_flags
from machmeter.build.mpi import EMBEDDED
from machmeter.model.errors import UsageError
from machmeter.model.run import Asked, RunHeader, Skipped
from machmeter.model.study import Experiment, Study

# `g++`, `clang++-14`, `x86_64-linux-gnu-g++`, `CC`: found on the PATH, unlike a path.
_COMPILER_NAME = re.compile(r"([A-Za-z0-9_.][A-Za-z0-9_.-]*)?(\+\+|CC|cc|icpx)(-?[0-9.]{1,10})?")


def still_known(study: Study, run: str) -> tuple[Study, tuple[Skipped, ...]]:
    """The study without benchmarks and parameters that this machmeter does not know any more.

    run: whose study it is. Raises UsageError where nothing is left.
    """
    lacking = [(one, what) for one in study.experiments if (what := _lacks(one))]
    if not lacking:
        return study, ()
    skipped = tuple(
        Skipped(one.benchmark, f"run {run} asked for it, and this machmeter has no {what}")
        for one, what in lacking
    )
    experiments = tuple(one for one in study.experiments if not _lacks(one))
    if not experiments:
        raise UsageError(
            f"this machmeter knows nothing any more of what run {run} asked: "
            f"{skipped[0].what}: {skipped[0].reason}",
            "name benchmarks of today (`machmeter list`) and measure them anew",
        )
    names = {one.name for one in BENCHMARKS}
    questions = tuple(one for one in study.questions if one.benchmark in names)
    return replace(study, experiments=experiments, questions=questions), skipped


def refuse_unsound_flags(header: RunHeader) -> None:
    """Flags in a run's file are read like those of a command line. Raises UsageError."""
    flags = header.asked.flags
    try:
        sound = parse_flags(" ".join(flags)) == flags
    except UsageError as error:
        raise UsageError(f"run {header.id}: {error.message}", "name another run") from error
    if not sound:
        raise UsageError(f"run {header.id} names flags that are none", "name another run")


def refuse_unnamed_paths(header: RunHeader, named: Collection[str]) -> None:
    """Refuse to start what a run of unknown origin names by its path.

    named: compiler, MPIs and flags that the command line names (`named_by`). What is found by its
    name alone, on the PATH or at PyPI, is no other's choice. Raises UsageError.
    """
    asked = header.asked
    paths = [("--mpi", mpi) for mpi in asked.mpi.split(",") if mpi not in EMBEDDED]
    if asked.compiler and not _COMPILER_NAME.fullmatch(asked.compiler):
        paths.append(("--compiler", asked.compiler))
    paths += [("--flags", flag) for flag in asked.flags if "/" in flag]
    for option, path in paths:
        if path not in named:
            raise UsageError(
                f"run {header.id} is not known to be yours, and it asks for {option}={path}: what "
                "lies there would be started or loaded",
                f"if you trust that, name it too ({option}={path}); or measure here anew what it "
                "measured, and name that run",
            )


def named_by(asked: Asked, given: Collection[str]) -> tuple[str, ...]:
    """Compiler, MPIs and flags that stand on the command line. given: its options by name."""
    words = {"compiler": (asked.compiler,), "mpi": asked.mpi.split(","), "flags": asked.flags}
    return tuple(word for name, several in words.items() if name in given for word in several)


def _lacks(experiment: Experiment) -> str:
    """The benchmark or parameter that there is no more, in words; empty where all are there."""
    benchmark = next((one for one in BENCHMARKS if one.name == experiment.benchmark), None)
    if benchmark is None:
        return "such benchmark"
    known = {parameter.name for parameter in benchmark.parameters}
    gone = [name for name in experiment.parameters if name not in known]
    return f"parameter {', '.join(gone)} of it" if gone else ""

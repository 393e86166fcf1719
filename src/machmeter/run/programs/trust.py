"""What an earlier run requested or named, and may not be taken as it stands. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import known
from machmeter.build.compiler import parse_flags
from machmeter.model.errors import UsageError
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.run import Request, Skipped


def still_declared(study: Study, run: str) -> tuple[Study, tuple[Skipped, ...]]:
    """The study without benchmarks and parameters that this machmeter does not know any more.

    run: whose study it is. Raises UsageError where nothing is left.
    """
    lacking = [(one, what) for one in study.experiments if (what := _lacks(one, study))]
    if not lacking:
        return study, ()
    skipped = tuple(
        Skipped(one.benchmark, f"run {run} requested it, and this machmeter has no {what}")
        for one, what in lacking
    )
    experiments = tuple(one for one in study.experiments if not _lacks(one, study))
    if not experiments:
        raise UsageError(
            f"this machmeter knows nothing any more of what run {run} asked: "
            f"{skipped[0].what}: {skipped[0].reason}",
            "name benchmarks of today (`machmeter list`) and measure them again",
        )
    questions = tuple(one for one in study.questions if known(one.benchmark, study.benchmarks))
    return replace(study, experiments=experiments, questions=questions), skipped


def refuse_unsound_flags(run: str, request: Request) -> None:
    """Flags in the file of `run` are read like those of a command line. Raises UsageError."""
    flags = request.flags
    try:
        sound = parse_flags(" ".join(flags)) == flags
    except UsageError as error:
        raise UsageError(f"run {run}: {error.message}", "name another run") from error
    if not sound:
        raise UsageError(f"run {run} names flags that are none", "name another run")


def untrusted(run: str) -> UsageError:
    """What refuses a run of unknown origin that nobody said to trust."""
    return UsageError(
        f"run {run} is not known to be yours, and it names what is compiled, loaded and started",
        "if you trust it, add --trust",
    )


def _lacks(experiment: Experiment, study: Study) -> str:
    """The benchmark or parameter that there is no more, as text; empty where all are there."""
    benchmark = known(experiment.benchmark, study.benchmarks)
    if benchmark is None:
        return "such benchmark"
    names = {parameter.name for parameter in benchmark.parameters}
    gone = [name for name in experiment.parameters if name not in names]
    return f"parameter {', '.join(gone)} of it" if gone else ""

"""The lines that explore ends with: started once, to see whether they do what they promise, and
written as a job script."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import Run
from machmeter.launch.job_lines import used_lines, words_of
from machmeter.launch.launcher import Launcher, ProgramLauncher
from machmeter.layout.verify_observed import observed_problems
from machmeter.layout.words import cpu_words
from machmeter.model.errors import UsageError, storage_error
from machmeter.model.plan.launch import Launch, Record
from machmeter.model.plan.observation import ObservedRank
from machmeter.model.results.run import TriedLines
from machmeter.report.documents.job_file import job_file
from machmeter.report.views.launch_lines import advised_lines
from machmeter.run.results.result import collect
from machmeter.store.files import replacing
from machmeter.store.folders import remove_tree
from machmeter.store.records import read_record
from machmeter.store.run_folder import RunFolder, check_target

# Beyond the longest launch that counted.
_PATIENCE = 3.0
_LEAST_LIMIT_SECONDS = 30.0


def try_lines(folder: RunFolder, launcher: Launcher, context: Context) -> None:
    """Start the lines to copy of a finished run once, where its budget has time for that, and keep
    what was not as its layout says.

    They are taken apart as a shell would and started without one, in the caller's own environment,
    with the wrapper before the program, which sets nothing. An interrupt leaves them untried.
    """
    result = collect(folder)
    found = advised_lines(result)
    if found is None or folder.tried() is not None or not isinstance(launcher, ProgramLauncher):
        return
    launch, lines = found[0], used_lines(found[1])
    # What runs on other hosts is not seen from here.
    words = words_of(lines) if lines and launch.spec.layout.nodes == 1 else None
    seconds = [one.wall_seconds for one in result.outcomes if one.spec == launch.spec.name]
    longest = max(seconds, default=0.0)
    left = result.plan.precision.budget_seconds - folder.state().wall_seconds
    if words is None or left < longest:
        return
    context.notify("trying the lines to copy, once")
    path = folder.path / "launches" / "tried.jsonl"
    with suppress(KeyboardInterrupt):
        limit = max(_PATIENCE * longest, _LEAST_LIMIT_SECONDS)
        attempt = launcher.start(launch, path, limit, words)
        problems = problems_of(launch, read_record(path), attempt.result.exit_code)
        folder.write_tried(TriedLines(lines, problems))
    path.unlink(missing_ok=True)
    remove_tree(path.with_suffix(".files"))


def problems_of(launch: Launch, record: Record, exit_code: int) -> tuple[str, ...]:
    """What differs from the layout of `launch`, for people, in the record of a launch by lines."""
    if record.header is None:
        return (f"it ended with exit code {exit_code}",)
    seen = [one.reason for one in observed_problems(launch, record.observed)]
    return tuple(seen) or tuple(_elsewhere(launch, record.observed))


def _elsewhere(launch: Launch, ranks: Sequence[ObservedRank]) -> list[str]:
    """Ranks that were allowed other CPUs than those of the layout, however short they were."""
    if not launch.spec.layout.binding.is_bound:
        return []
    found = []
    for number, (rank, cpus) in enumerate(zip(ranks, launch.assignment.cpus, strict=True)):
        own = sorted({cpu for thread in cpus for cpu in thread})
        if sorted(rank.cpus) != own:
            found.append(f"rank {number}: {cpu_words(own)} requested, {cpu_words(rank.cpus)} given")
    return found


def write_script(run: Run, path: Path) -> None:
    """Write the job script of an explored run, executable for its owner.

    Raises UsageError where the run advises nothing, or `path` cannot be written.
    """
    text = job_file(run.result)
    if not text:
        raise UsageError(
            f"no script in {path}: no layout is advised, or no launcher of the program's MPI "
            "places it so",
            "measure again with more time (--budget), or with other layouts",
        )
    check_target(path)
    try:
        with replacing(path, 0o777) as file:
            file.write(text.encode("utf-8", errors="surrogateescape"))
    except OSError as error:
        raise storage_error(error, path) from error

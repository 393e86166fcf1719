"""The lines that explore ends with: started once, to see whether they do what they promise, and
written as a job script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import Run
from machmeter.apps.judge import output_faults
from machmeter.launch.files.given_files import COPIES
from machmeter.launch.job_lines import lines_to_try, words_of
from machmeter.launch.launcher import Launcher, ProgramLauncher
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.launch.process import ProcessResult
from machmeter.layout.verification.observed import observed_problems
from machmeter.layout.words import cpu_words
from machmeter.model.errors import MachmeterError, storage_error
from machmeter.model.machine import Topology
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
    with the wrapper before the program, which sets nothing. An interrupt or a failure leaves them
    untried: the run is finished.
    """
    try:
        if folder.tried() is None and isinstance(launcher, ProgramLauncher):
            _try_lines(folder, launcher, context)
    except KeyboardInterrupt:
        context.notify("the lines to copy were not tried: interrupted")
    except MachmeterError as error:
        context.notify(f"the lines to copy were not tried: {error}")


def _try_lines(folder: RunFolder, launcher: ProgramLauncher, context: Context) -> None:
    result = collect(folder)
    found = advised_lines(result)
    in_job = LAUNCHERS[result.header.request.layout_options.launcher].in_job
    launch, lines = (found[0], lines_to_try(found[1], in_job=in_job)) if found else (None, ())
    # What runs on other hosts is not seen from here, and a step around this one has its CPUs.
    is_seen = launch is not None and launch.spec.layout.nodes == 1
    if in_job:
        job = context.environment
        is_seen &= job.get("SLURM_JOB_NUM_NODES") == "1" and "SLURM_STEP_ID" not in job
    words = words_of(lines, in_job=in_job) if lines and is_seen else None
    if launch is None or words is None:
        return
    seconds = [one.wall_seconds for one in result.outcomes if one.spec == launch.spec.name]
    longest = max(seconds, default=0.0)
    if result.plan.precision.budget_seconds - folder.state().wall_seconds < longest:
        return
    context.notify("trying the lines to copy, once")
    launches = folder.path / "launches"
    _remove_tried(launches)
    path = launches / "tried.jsonl"
    try:
        limit = max(_PATIENCE * longest, _LEAST_LIMIT_SECONDS)
        attempt = launcher.start(launch, path, limit, words)
        topology = result.header.machine.topology
        problems = problems_of(launch, topology, read_record(path), attempt.result)
        folder.write_tried(TriedLines(lines, problems))
    finally:
        _remove_tried(launches)
        remove_tree(launches / COPIES)


def _remove_tried(launches: Path) -> None:
    """What a line that was tried left, also one whose run was killed."""
    for one in launches.glob("tried.*"):
        remove_tree(one)


def problems_of(
    launch: Launch, topology: Topology, record: Record, result: ProcessResult
) -> tuple[str, ...]:
    """What differs from the layout of `launch`, for people, in the record of a launch by lines.

    topology: of the machine; result: what became of its process.
    """
    if result.timed_out:
        return (f"it did not end within {result.wall_seconds:.0f} s",)
    if record.header is None:
        return (f"it ended with exit code {result.exit_code}",)
    seen = [one.reason for one in observed_problems(launch, record.observed)]
    seen += [one.reason for one in output_faults(launch, record.output, {})]
    return tuple(seen) or tuple(_elsewhere(launch, topology, record.observed))


def _elsewhere(launch: Launch, topology: Topology, ranks: Sequence[ObservedRank]) -> list[str]:
    """Ranks that were allowed CPUs of other cores than those of the layout, however short they
    were. Open MPI binds to all hardware threads of a core."""
    if not launch.spec.layout.binding.is_bound:
        return []
    core = {cpu.number: cpu.core for cpu in topology.cpus}
    found = []
    for number, (rank, cpus) in enumerate(zip(ranks, launch.assignment.cpus, strict=True)):
        own = sorted({cpu for thread in cpus for cpu in thread})
        of_cores = {core.get(cpu) for cpu in own}
        if not {*own} <= {*rank.cpus} or {core.get(cpu) for cpu in rank.cpus} != of_cores:
            found.append(f"rank {number}: {cpu_words(own)} requested, {cpu_words(rank.cpus)} given")
    return found


def write_script(run: Run, path: Path) -> bool:
    """Write the job script of an explored run, executable for its owner; whether there is one.

    Raises UsageError where `path` cannot be written.
    """
    text = job_file(run.result)
    if not text:
        return False
    check_target(path)
    try:
        with replacing(path, 0o777) as file:
            file.write(text.encode("utf-8", errors="surrogateescape"))
    except OSError as error:
        raise storage_error(error, path) from error
    return True

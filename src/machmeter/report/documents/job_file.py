"""A job script that starts a program in the layout that explore found best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from machmeter.launch.job_lines import ShellLine, exports_of
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.model.plan.launch import Launch
from machmeter.model.results.run import RunResult
from machmeter.model.written.text import readable, shell_text
from machmeter.report.views.launch_lines import advised_lines
from machmeter.text.plain import plain


def job_file(result: RunResult) -> str:
    """A script of the batch system where the run was in a job of it, else of a shell; empty where
    the run advises nothing, or no launcher of the program's MPI places it so."""
    found = advised_lines(result)
    if found is None:
        return ""
    launch, lines = found
    in_job = LAUNCHERS[result.header.request.layout_options.launcher].in_job
    one = next((line for line in lines if (line.in_job if in_job else line.used)), None)
    if one is None:
        return ""
    return "\n".join(_script(result, launch, [*exports_of(lines), one], in_job=in_job)) + "\n"


def _script(
    result: RunResult, launch: Launch, lines: Sequence[ShellLine], *, in_job: bool
) -> Iterator[str]:
    layout, command = launch.spec.layout, launch.spec.command
    yield "#!/bin/sh"
    if in_job:
        yield f"#SBATCH --nodes={layout.nodes}"
        yield f"#SBATCH --ntasks-per-node={layout.ranks_per_node}"
        yield f"#SBATCH --cpus-per-task={layout.cpus_per_rank}"
        yield "#SBATCH --exclusive"
    yield f"# machmeter {result.header.version}, run {plain(result.header.id, 80)}"
    if command is not None and not command.own_folder:
        yield f"cd {shell_text([readable(command.folder)])} || exit"
    elif command is not None:
        yield "# In a folder with the input files of the program."
    if result.tried and result.tried.problems:
        yield f"# Tried, and not so: {plain(result.tried.problems[0], 200)}"
    yield from (line.command for line in lines)

"""What `--submit` prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from machmeter.api.jobs.submitting import PlannedJob, Submitted
from machmeter.cli.consoles import error_console, text_console
from machmeter.launch.batch.cluster import Cluster
from machmeter.model.written.text import shell_text
from machmeter.text.plain import plain
from machmeter.text.runs import allocation_text


def print_planned_jobs(jobs: Sequence[PlannedJob], cluster: Cluster) -> None:
    """The scripts on standard output, each to be submitted as it is; beside them what there is."""
    console = error_console()
    for job in jobs:
        sys.stdout.write(job.script)
        sys.stdout.flush()
        console.print(
            f"not submitted: {allocation_text(job.allocation)}; it is written: "
            f"{shell_text(('sbatch', str(Path(job.folder, 'job.sh'))))}",
            markup=False,
            soft_wrap=True,
        )
    if cluster.partitions:
        table = Table(title="Partitions", title_justify="left", box=None)
        for name in ("name", "state", "limit", "nodes", "CPUs"):
            table.add_column(name)
        for one in cluster.partitions:
            name = plain(one.name) + " (default)" * one.is_default
            cells = (name, one.state, one.limit, str(one.nodes), one.cpus)
            table.add_row(*map(plain, cells))
        console.print(table)
    else:
        console.print("Slurm names no partitions here", markup=False)
    for what, names in (("Accounts", cluster.accounts), ("MPI by srun", cluster.mpi_types)):
        if names:
            console.print(f"{what}: {', '.join(names)}", markup=False, soft_wrap=True)


def print_prepared_by_jobs(submitted: Sequence[Submitted]) -> None:
    """That jobs on such nodes compile and fetch nothing."""
    for one in submitted:
        line = (
            f"job {one.submission.job} has compiled what is needed; jobs on such nodes measure "
            f"at once. What it printed: {one.folder}"
        )
        text_console().print(line, markup=False, soft_wrap=True)


def print_submitted(submitted: Submitted) -> None:
    """The job's number, and how to go on."""
    folder = submitted.folder
    lines = (
        f"job {submitted.submission.job} is submitted; its run is in {folder}",
        f"follow it: {shell_text(('machmeter', 'attach', folder))}",
    )
    for line in lines:
        text_console().print(line, markup=False, soft_wrap=True)

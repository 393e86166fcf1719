"""Whether this machine is ready for benchmarking, and what batch system it belongs to."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.measuring import this_machine
from machmeter.launch.batch.cluster import Cluster, Partition, cluster_seen
from machmeter.machine.diagnosis.doctor import diagnose
from machmeter.machine.diagnosis.probe import probe
from machmeter.model.machine import Diagnosis, Machine, Severity
from machmeter.model.written.text import shell_text
from machmeter.text.numbers import duration_text


class Readiness(Struct, frozen=True):
    """Whether this machine is ready for benchmarking: what `doctor --json` prints."""

    machine: Machine
    """This machine."""
    diagnoses: tuple[Diagnosis, ...]
    """What was checked, the worst first."""
    slurm: Cluster | None = None
    """What Slurm offers here; null where none answers within seconds."""


def check_readiness(*, hwloc_xml: Path | None = None, context: Context | None = None) -> Readiness:
    """Check this machine for benchmarking, with a fix for each problem.

    Args:
        hwloc_xml: As in `this_machine`.
        context: Folders and listeners; the environment says how to reach Slurm.

    Raises:
        MachmeterError: As in `this_machine`.
    """
    context = context or Context()
    machine = this_machine(hwloc_xml=hwloc_xml)
    seen = cluster_seen(context.environment)
    slurm = seen if seen.partitions else None
    about = (slurm_diagnosis(slurm),) if slurm else ()
    return Readiness(machine, diagnose(machine, probe(context.cache), about), slurm)


def slurm_diagnosis(cluster: Cluster) -> Diagnosis:
    """What Slurm offers here and what surrounds this process, with the command that measures."""
    said = [f"{cluster.version}, {_where(cluster)}", *map(_partition_text, cluster.partitions)]
    if cluster.accounts:
        said.append(f"accounts {', '.join(cluster.accounts)}")
    if cluster.mpi_types:
        said.append(
            f"MPI types listed by srun (they need not work): {', '.join(cluster.mpi_types)}"
        )
    names = tuple(one.name for one in cluster.partitions)
    return Diagnosis("Slurm", Severity.NOTE, "; ".join(said), _remedy(cluster), names)


def _where(cluster: Cluster) -> str:
    job = cluster.job
    if job is None:
        return "on a login node (no job is around this shell)"
    if not job.state:
        return f"inside job {job.number}, of which Slurm does not say more"
    left = (
        "no time limit" if job.left_seconds is None else f"{duration_text(job.left_seconds)} left"
    )
    return f"inside job {job.number} on {job.hosts} with {left}"


def _partition_text(one: Partition) -> str:
    default = " (default)" * one.is_default
    limit = f"jobs of {one.limit} at most" if one.limit[:1].isdigit() else f"limit {one.limit}"
    return (
        f"partition {one.name}{default} {one.state}, {one.nodes_up:,} of {one.nodes:,} nodes up, "
        f"{limit}"
    )


def _remedy(cluster: Cluster) -> str:
    """The command that measures from here."""
    words = ["machmeter", "run", "nodes"]
    if cluster.job is not None:
        return f"measure its nodes: `{shell_text((*words, '--hosts', 'slurm'))}`"
    open_ones = [one for one in cluster.partitions if one.state == "up" and one.nodes_up]
    if not open_ones:
        return "no partition has a node that is up: ask who runs the cluster"
    best = max(open_ones, key=lambda one: (one.is_default, one.nodes_up))
    where = () if best.is_default else (f"--sbatch=--partition={best.name}",)
    command = (*words, "--submit", "--nodes", str(best.nodes_up), *where)
    return f"measure every node: `{shell_text(command)}`"

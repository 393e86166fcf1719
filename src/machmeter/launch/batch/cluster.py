"""What Slurm offers a user, and the job around this process."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from machmeter.launch.batch.slurm import Job, answer_of, job_named
from machmeter.model.errors import MachineLacksError

# Nobody waits longer for what is good to know.
_PATIENCE_SECONDS = 10
_FIELDS = "--format=%P|%a|%l|%F|%c"
# Of nodes: allocated, idle, other, total (sinfo(1), %F).
_COUNTS = re.compile(r"(\d+)/(\d+)/\d+/(\d+)")


class Partition(Struct, frozen=True):
    """A partition, as `sinfo` lists it."""

    name: str
    """Its name."""
    is_default: bool
    """Whether jobs go there that name none."""
    state: str
    """`up`, or why no job starts there."""
    limit: str
    """The longest time of a job, as Slurm writes it."""
    nodes: int
    """How many it has."""
    nodes_up: int
    """How many of them have a job or could start one now."""
    cpus: str
    """CPUs of a node, as Slurm writes them (`2+`: at least)."""


class Cluster(Struct, frozen=True):
    """What a batch system offers this user, as far as it says."""

    version: str
    """As Slurm calls itself: `slurm 24.11.5`."""
    partitions: tuple[Partition, ...]
    """Where jobs can go; empty where Slurm does not say."""
    accounts: tuple[str, ...]
    """On whose account; empty where none is kept."""
    mpi_types: tuple[str, ...]
    """How its own launcher lists that it starts MPI programs; one that is listed need not work."""
    job: Job | None = None
    """The job around this process; null on a login node."""


def cluster_seen(environment: Mapping[str, str]) -> Cluster:
    """What Slurm says here: in a second, or within a minute where it is busy; of nothing that it
    does not say within seconds."""
    version = next(iter(_lines(("sinfo", "--version"), environment)), "")
    found = partitions(environment) if version else ()
    if not found:
        return Cluster(version, (), (), ())
    return Cluster(
        *(version, found, accounts(environment), mpi_types(environment)), _job_around(environment)
    )


def partitions(environment: Mapping[str, str]) -> tuple[Partition, ...]:
    """Every partition; none where Slurm does not say."""
    found: dict[str, Partition] = {}
    for line in _lines(("sinfo", "--noheader", _FIELDS), environment):
        fields = line.split("|")
        if len(fields) != 5 or not (counts := _COUNTS.fullmatch(fields[3])):
            continue
        name, state, limit, _, cpus = fields
        allocated, idle, total = map(int, counts.groups())
        up, here = allocated + idle, found.get(name)
        if here:
            total, up = total + here.nodes, up + here.nodes_up
        is_default = name.endswith("*")
        found[name] = Partition(name.rstrip("*"), is_default, state, limit, total, up, cpus)
    return tuple(found.values())


def accounts(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The accounts that this user may name; none where Slurm keeps none, or does not say."""
    user = environment.get("USER", "")
    words = ("sacctmgr", "--noheader", "--parsable2", "show", "associations", f"user={user}")
    return tuple(dict.fromkeys(_lines((*words, "format=account"), environment))) if user else ()


def mpi_types(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What `srun --mpi` lists; that a type is listed does not mean that it works."""
    lines = _lines(("srun", "--mpi=list"), environment, errors_too=True)
    words = (line.removeprefix("srun: ").strip() for line in lines)
    return tuple(word for word in words if re.fullmatch(r"[a-z0-9_]+", word))


def _job_around(environment: Mapping[str, str]) -> Job | None:
    number = environment.get("SLURM_JOB_ID", "")
    with suppress(MachineLacksError):
        return job_named(number, environment, _PATIENCE_SECONDS) if number else None
    return Job(number, "")


def _lines(
    words: Sequence[str], environment: Mapping[str, str], *, errors_too: bool = False
) -> list[str]:
    try:
        answer = answer_of(words, environment, _PATIENCE_SECONDS, errors_too=errors_too)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in answer.splitlines() if line.strip()]

"""Ranks on the hosts of the Slurm job that surrounds a run, through steps of that job."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from machmeter.launch.batch.slurm import answer_of
from machmeter.launch.launchers.hosts import Hosts, is_host_name
from machmeter.launch.launchers.mpiexec import MpiexecLauncher
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult, run_process
from machmeter.model.errors import MachineLacksError

# A step that srun asked for just before it was killed still begins; one that has begun may take a
# loaded Slurm some seconds to end. How often in a row none may be there, and for how long at most
# that is looked at.
_LOOKS, _MOST_SECONDS, _PAUSE_SECONDS = 10, 10.0, 0.1
_STEP = re.compile(r"[0-9]+\.[0-9]+")
_REMEDY = "start machmeter inside a job (salloc or sbatch), or name the hosts with --hosts n1,n2"

# How variables begin that name the job, and tell how to reach Slurm and the job's network.
_OF_THE_JOB = (
    *("SLURM_JOB", "SLURM_CONF", "SLURM_CLUSTER_NAME", "SLURM_WORKING_CLUSTER", "SLURM_JWT"),
    *("SLURM_NETWORK", "SLURM_NODE_ALIASES", "SLURM_SPANK"),
)
_SAY_WITHOUT = 'test -e "$0" || echo "$SLURMD_NODENAME"'
_OF_SLURM = ("SLURM_", "SRUN_", "SALLOC_")
# What a step has of its own, and the job's variable that says it of all its nodes.
_WHOLE_JOB = {
    "SLURM_NODELIST": "SLURM_JOB_NODELIST",
    "SLURM_NNODES": "SLURM_JOB_NUM_NODES",
    "SLURM_TASKS_PER_NODE": "SLURM_JOB_CPUS_PER_NODE",
}
# Daemons may use all that the job has, beside the step that surrounds us, and hand on what they
# are given.
_WIDE = {"SLURM_OVERLAP": "1", "SLURM_WHOLE": "1", "SLURM_CPU_BIND": "none"}


class Slurm(MpiexecLauncher):
    """Has mpiexec start its daemons by the job's own srun."""

    name = "slurm"
    in_job = True

    def hydra(self, hosts: Hosts) -> tuple[str, ...]:
        """Open MPI takes srun by itself inside a job; hydra is instructed to."""
        del hosts
        return ("-launcher", "slurm")

    def allocation(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Host names of the surrounding Slurm job, in the job's order.

        Raises MachineLacksError where there is no job, or Slurm does not name its hosts.
        """
        nodes = environment.get("SLURM_JOB_NODELIST", "")
        if not nodes or "SLURM_JOB_ID" not in environment:
            raise MachineLacksError("there is no Slurm job around this run", _REMEDY)
        if environment.get("SLURM_HET_SIZE", "1") != "1":
            raise MachineLacksError(
                "the Slurm job around this run is heterogeneous: of several parts",
                "ask for all nodes in one part, without `:` and `hetjob`, or name the hosts of one "
                "with --hosts n1,n2",
            )
        try:
            answer = answer_of(("scontrol", "show", "hostnames", nodes), environment)
        except (OSError, subprocess.SubprocessError) as error:
            raise MachineLacksError(
                f"scontrol does not name the job's hosts: {error}", _REMEDY
            ) from error
        hosts = tuple(answer.split())
        if not hosts or not all(map(is_host_name, hosts)):
            raise MachineLacksError(f"scontrol names no usable hosts for {nodes}", _REMEDY)
        return hosts

    def step_on(
        self, host: str, environment: Mapping[str, str], *, terminal: bool
    ) -> tuple[tuple[str, ...], dict[str, str]] | None:
        """A step of one task with all that the job has on that host, as in a batch script there.

        None inside a step: where that is another name of this host, steps would follow on steps.
        """
        if "SLURM_STEP_ID" in environment:
            return None
        # What the job was asked for says how many tasks, too.
        others = {k: v for k, v in environment.items() if not k.startswith(_OF_SLURM)}
        words = ("srun", "--nodes=1", "--ntasks=1", f"--nodelist={host}")
        return (*words, *("--pty",) * terminal), others | self.environment(environment)

    def hosts_without(
        self, path: Path, hosts: Sequence[str], environment: Mapping[str, str]
    ) -> tuple[str, ...]:
        """As a step of one task on each says it."""
        number = len(hosts)
        words = ("srun", f"--nodes={number}", f"--ntasks={number}", "--ntasks-per-node=1")
        step = {"PATH": environment.get("PATH", os.defpath)} | self.environment(environment)
        answer = _answer((*words, "sh", "-c", _SAY_WITHOUT, str(path)), step)
        return tuple(sorted((answer or "").split()))

    def environment(self, caller: Mapping[str, str]) -> dict[str, str]:
        """Slurm's variables for an mpiexec whose daemons are to have all CPUs of the job's nodes.

        What else the job or a step around us says to srun (man srun, "Input environment
        variables": CPUs a task, binding, exact, hint, exclusive, export) would put the daemons, and
        with them the ranks, on some of the CPUs of some of the nodes, or hand them no variables.
        """
        kept = {name: value for name, value in caller.items() if name.startswith(_OF_THE_JOB)}
        whole = {own: kept[of_job] for own, of_job in _WHOLE_JOB.items() if of_job in kept}
        return kept | whole | _WIDE

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        limit_seconds: float,
        folder: str | None = None,
        most_kept: int = OUTPUT_TAIL,
        read_only: Sequence[Path] = (),
    ) -> ProcessResult:
        """Run the command to its end, and end the steps of one that was ended before its end.

        An mpiexec that is ended before its daemons have connected leaves their step to itself.
        """
        before, ended = _steps_of_job(environment), False
        try:
            result = run_process(command, environment, limit_seconds, most_kept, folder, read_only)
            ended = not (result.timed_out or result.wrote_too_much)
        finally:
            # Steps that may be others' are left alone.
            if not ended and before is not None:
                _end_steps(environment, before)
        return result


def _steps_of_job(environment: Mapping[str, str]) -> frozenset[str] | None:
    """The steps of the surrounding job by number (`7.2`); None where Slurm does not answer."""
    words = ("squeue", "--noheader", "--steps", "--format=%i")
    job = f"--jobs={environment.get('SLURM_JOB_ID', '')}"
    answer = _answer((*words, job), environment)
    return None if answer is None else frozenset(filter(_STEP.fullmatch, answer.split()))


def _end_steps(environment: Mapping[str, str], before: frozenset[str]) -> None:
    """End all other steps, until none has been there for a while, or Slurm takes too long."""
    end, looks = time.monotonic() + _MOST_SECONDS, 0
    while looks < _LOOKS and time.monotonic() < end:
        steps = _steps_of_job(environment)
        left = (steps or frozenset()) - before
        looks = 0 if left or steps is None else looks + 1
        for step in sorted(left):
            _answer(("scancel", "--signal=KILL", step), environment)
        time.sleep(_PAUSE_SECONDS)


def _answer(words: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    """What it printed; None where it failed."""
    try:
        return answer_of(words, environment)
    except (OSError, subprocess.SubprocessError):
        return None

"""A Slurm of processes of one machine, over hosts in namespaces: real jobs for tests.

As a module it says how to run a command in a job there; as a script it is what runs on the first
of the hosts that `hosts_in_namespaces` makes:

    python slurm_of_processes.py FOLDER NAME,NAME,... in-job|on-login COMMAND...

It starts a controller and one daemon for each host, without munge, accounting and cgroups, submits
COMMAND as a job over all hosts, prints what the job printed, and stops them all; `on-login` the
first host is no node, and COMMAND runs there. Exit code 97
and Slurm's own words tell of steps that are left when COMMAND has ended, 98 of a Slurm that does
not start; else it is that of COMMAND. FOLDER has the logs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# Started as a program of its own, too.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.support.processes import hosts_in_namespaces

_LEFT_STEPS, _NO_SLURM = 97, 98
_IN_JOB, _ON_LOGIN = "in-job", "on-login"
# Slurm takes a moment to note that a step has ended.
_START_SECONDS, _GRACE_SECONDS, _STEP_SECONDS, _PAUSE = 30, 10, 5, 0.05
_TOOLS = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue")
# One CPU a rank: srun takes some of it for the size of its steps, too.
_AS_USERS_ASK = (f"--ntasks-per-node={os.cpu_count() or 1}", "--cpus-per-task=1")
_SYSTEM_PLACES = ("/usr/sbin", "/sbin")


def _path() -> str:
    return os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_PLACES))


def why_not() -> str:
    """Why there can be no Slurm here; empty where there can."""
    if os.geteuid() != 0:
        return "the daemons of Slurm change users, which takes root"
    lacking = [tool for tool in _TOOLS if not shutil.which(tool, path=_path())]
    if lacking:
        return f"this machine lacks {', '.join(lacking)} (slurm-wlm)"
    return hosts_in_namespaces.why_not()


def in_job(folder: Path, names: Sequence[str]) -> tuple[str, ...]:
    """What stands before a command that is to run in a job over these hosts."""
    return _before_command(folder, names, _IN_JOB)


def on_login(folder: Path, names: Sequence[str]) -> tuple[str, ...]:
    """What stands before a command that is to run on the first of these hosts, which is no node:
    the others are."""
    return _before_command(folder, names, _ON_LOGIN)


def run_on_login(
    folder: Path, names: Sequence[str], script: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script of bash on the first of these hosts, to its end."""
    return subprocess.run(
        [*on_login(folder, names), "bash", "-c", script],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


def _before_command(folder: Path, names: Sequence[str], where: str) -> tuple[str, ...]:
    script = (sys.executable, str(Path(__file__).resolve()), str(folder))
    return (*hosts_in_namespaces.inside(folder, names), *script, ",".join(names), where)


def _configuration(folder: Path, controller: str, names: Sequence[str]) -> str:
    """That of a Slurm whose nodes each have all CPUs of this machine."""
    processors = os.cpu_count() or 1
    return f"""\
ClusterName=processes
SlurmctldHost={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName={",".join(names)} CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def _prepare(folder: Path, controller: str, names: Sequence[str]) -> Path:
    """The folders of the daemons and their configuration."""
    for name in ("state", *(f"spool-{host}" for host in names)):
        (folder / name).mkdir()
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    path = folder / "slurm.conf"
    path.write_text(_configuration(folder, controller, names))
    return path


def _start(folder: Path, names: Sequence[str], path: Path) -> list[subprocess.Popen[bytes]]:
    def started(*words: str) -> subprocess.Popen[bytes]:
        said = (folder / "daemons.out").open("ab")
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    agent, at = str(folder / "agent"), shlex.quote(str(path))
    daemons = [started("slurmctld", "-D", "-c", "-f", str(path))]
    return daemons + [started(agent, name, f"exec slurmd -D -f {at} -N {name}") for name in names]


def _stop(daemons: Sequence[subprocess.Popen[bytes]]) -> None:
    for daemon in reversed(daemons):
        daemon.terminate()
    for daemon in daemons:
        try:
            daemon.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            daemon.kill()


def _within(seconds: float, true: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not (holds := true()) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return holds


# Steps that are left must be seen here: with the job, Slurm itself ends them.
_JOB = """\
{command}
code=$?
for moment in $(seq {moments}); do
    left=$(squeue --noheader --steps --jobs="$SLURM_JOB_ID" --format='%i %j' | grep -v '\\.batch ')
    [ -n "$left" ] || exit $code
    sleep 0.1
done
echo "steps left: $left"
exit {left_steps}
"""


def _run_job(folder: Path, nodes: int, command: Sequence[str]) -> int:
    """Submit the command, wait until it has ended, and print what it printed."""
    script, output = folder / "job.sh", folder / "job.out"
    body = _JOB.format(
        command=shlex.join(command), moments=10 * _STEP_SECONDS, left_steps=_LEFT_STEPS
    )
    script.write_text(f"#!/bin/bash\n{body}")
    # A job that cannot start fails: requeued it would be held for ever.
    asked = ("--parsable", "--no-requeue", f"--nodes={nodes}", "--exclusive", f"--output={output}")
    job = _said("sbatch", *asked, *_AS_USERS_ASK, str(script)).strip()
    # Its own --wait looks ever more rarely, up to half a minute late.
    while _said("squeue", "--noheader"):
        time.sleep(_PAUSE)
    print(output.read_text(errors="replace") if output.exists() else f"no output of job {job}")
    ended = re.search(r"ExitCode=(\d+):(\d+)", _said("scontrol", "--oneliner", "show", "job", job))
    assert ended, f"Slurm does not say how job {job} ended"
    return int(ended[1]) or int(ended[2])


def main(folder: Path, hosts: list[str], where: str, command: list[str]) -> int:
    """Start Slurm, run the command in a job or on the login host, stop Slurm, and say how it
    went."""
    names = hosts[1:] if where == _ON_LOGIN else hosts
    path = _prepare(folder, hosts[0], names)
    os.environ["SLURM_CONF"] = str(path)
    os.environ["PATH"] = _path()
    daemons = _start(folder, names, path)
    try:
        if not _within(_START_SECONDS, lambda: _states() == {(name, "idle") for name in names}):
            print(_states(), (folder / "daemons.out").read_text(), file=sys.stderr)
            return _NO_SLURM
        if where == _ON_LOGIN:
            return subprocess.run(command, check=False).returncode
        return _run_job(folder, len(names), command)
    finally:
        _stop(daemons)


def _states() -> set[tuple[str, ...]]:
    told = _said("sinfo", "--noheader", "--Node", "--format=%N %T")
    return {tuple(line.split()) for line in told.splitlines()}


def _said(*words: str) -> str:
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False
    )
    return done.stdout


if __name__ == "__main__":
    _, folder_name, host_names, place, *words_of_command = sys.argv
    sys.exit(main(Path(folder_name), host_names.split(","), place, words_of_command))

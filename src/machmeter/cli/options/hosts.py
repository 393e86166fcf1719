"""Which hosts a run reaches, and by what program."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import time
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from machmeter.launch.batch.host_lists import names_in
from machmeter.launch.launchers.hosts import Hosts, is_host_name
from machmeter.launch.launchers.launcher import HostLauncher
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.model.errors import MachineLacksError, UsageError

_MAX_HOSTS = 100_000
_MOST_SAID = 100
# Where names are asked for one by one, and nobody answers, thousands would take hours.
_LOOK_SECONDS = 10.0


def hosts_of(names: str, remote_shell: str) -> Hosts:
    """What `--hosts` and `--remote-shell` name; raises as the two functions below do."""
    hosts = Hosts(hosts_named(names), remote_shell_named(remote_shell))
    of_job = batch_launcher(names)
    return replace(hosts, launcher=of_job.name) if of_job else hosts


def batch_launcher(text: str) -> HostLauncher | None:
    """The launcher whose job's hosts `--hosts` means by its name (`slurm`); None for host names."""
    launcher = LAUNCHERS.get(text.strip())
    return launcher if launcher is not None and launcher.in_job else None


def hosts_named(text: str) -> tuple[str, ...]:
    """The hosts that `--hosts` names, or those of the surrounding job of a batch system. Outside
    the job's hosts this command goes on as a step of the job on the first of them, and ends here.

    Raises UsageError for what are no names, where the first is another machine or two are the same,
    MachineLacksError where there is no such job.
    """
    of_job = batch_launcher(text)
    hosts = of_job.allocation(os.environ) if of_job else parse_hosts(text)
    if of_job and not _is_here(hosts[0]):
        _go_to(hosts[0], of_job)
    _refuse_other_first_host(hosts, in_job=of_job is not None)
    _refuse_second_names(hosts)
    return hosts


def _go_to(host: str, launcher: HostLauncher) -> None:
    """Have a process there take the place of this one; return where none can."""
    terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if (step := launcher.step_on(host, os.environ, terminal=terminal)) is None:
        return
    before, environment = step
    sys.stdout.flush()
    command = (*before, sys.executable, "-m", "machmeter", *sys.argv[1:])
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 - words, no line of a shell
    except OSError as error:
        raise MachineLacksError(
            f"--hosts {launcher.name}: cannot start {command[0]}: {error.strerror}",
            f"run machmeter on {host}, or submit it: `machmeter run STUDY --submit`",
        ) from error


def parse_hosts(text: str) -> tuple[str, ...]:
    """Host names between commas, this machine's first; `n[1-4]` stands for four. Raises UsageError
    for what is no name, or for one that is there twice.
    """
    names = tuple(islice(names_in(text), _MAX_HOSTS + 1))
    if len(names) > _MAX_HOSTS:
        raise UsageError(f"--hosts: more than {_MAX_HOSTS:,} names", "name fewer hosts")
    seen: set[str] = set()
    for name in names:
        if not is_host_name(name):
            raise UsageError(
                f"--hosts: invalid host name {name[:_MOST_SAID]!r}",
                "write node1,node2 or node[1-2]",
            )
        if name in seen:
            raise UsageError(f"--hosts: {name} is named twice", "name every host once")
        seen.add(name)
    return names


def _refuse_other_first_host(hosts: tuple[str, ...], *, in_job: bool) -> None:
    """Raise UsageError where the first host is not this machine: rank 0 writes the record here, and
    the layout of this machine is that of all.
    """
    if hosts and not _is_here(hosts[0]):
        own = f"run machmeter on {hosts[0]}, or name this machine first"
        step = f"start it there: `srun --nodes=1 --ntasks=1 --nodelist={hosts[0]} machmeter ...`"
        raise UsageError(
            f"--hosts: {hosts[0]} is first and is not this machine ({socket.gethostname()})",
            step if in_job else own,
        )


def _refuse_second_names(hosts: tuple[str, ...]) -> None:
    """Raise UsageError where two names have an address in common: they are one host, on which some
    launchers wait for a second daemon without end. What has no address here, or has not been looked
    up within seconds, is left to the agent.
    """
    owners: dict[str, str] = {}
    end = time.monotonic() + _LOOK_SECONDS
    for host in hosts:
        if time.monotonic() > end:
            return
        for address in _addresses(host):
            owner = owners.setdefault(address, host)
            if owner != host:
                raise UsageError(
                    f"--hosts: {owner} and {host} are the same host ({address})",
                    "name every host once",
                )


def _addresses(host: str) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def _is_here(host: str) -> bool:
    if host.split(".", maxsplit=1)[0] == socket.gethostname().split(".")[0]:
        return True
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM)
    except OSError:
        return False
    return any(_is_own_address(family, address) for family, _, _, _, address in found)


def _is_own_address(family: int, address: tuple[object, ...]) -> bool:
    """Only an address of this machine can be bound to."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as end:
            end.bind(address)
    except OSError:
        return False
    return True


def remote_shell_named(text: str) -> str:
    """The absolute path of the program that `--remote-shell` names; empty where none is.

    Raises UsageError where it cannot be started.
    """
    if not text:
        return ""
    found = shutil.which(str(Path(text).expanduser()))
    if not found:
        raise UsageError(f"--remote-shell: cannot find the program {text}", "name its path")
    path = str(Path(found).absolute())
    if any(character in path for character in " :,"):
        # Open MPI takes the option for a list of command lines.
        raise UsageError(
            f"--remote-shell: {path} has a space, colon or comma", "link it from elsewhere"
        )
    return path

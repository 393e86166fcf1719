"""Hosts in namespaces of one machine, on one bridge: a network of several nodes for tests.

As a module it says how to start a command there; as a script it is what runs inside:

    python hosts_in_namespaces.py FOLDER NAME,NAME,... SLOW_NAME -- COMMAND...

Each host has a network, a name, an /etc/hosts and a /dev/shm of its own; all else is shared.
COMMAND runs on the first host and sets the exit code. The link of SLOW_NAME, where it is not
empty, is limited both ways. `FOLDER/agent` is called as ssh is: `agent HOST COMMAND...`, and gives
a process of another host none of the caller's environment. Every host has a second name, with
`-again` behind it. Exit code 99 and their command lines tell of processes that COMMAND left behind
on any host. Nothing outlives the script.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

BY_TCP = {"FI_PROVIDER": "tcp", "MPIR_CVAR_CH4_NETMOD": "ofi"}
"""Variables of MPICH: two hosts of one machine could else find a shorter way to each other."""
_SUBNET = "10.213.0"
_GRACE_SECONDS = 5
# Far below what a bridge of this machine carries, so that the slow host stands out.
_SLOW_LINK = ("tbf", "rate", "200mbit", "burst", "64kb", "latency", "50ms")
_TOOLS = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "nsenter": "util-linux"}


def _unshare() -> tuple[str, ...]:
    own_user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    spaces = ("--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
    return ("unshare", *own_user, *spaces)


def why_not() -> str:
    """Why there can be no hosts in namespaces here; empty where there can."""
    lacking = [f"{tool} ({package})" for tool, package in _TOOLS.items() if not shutil.which(tool)]
    if lacking:
        return f"this machine lacks {', '.join(lacking)}"
    trial = (
        "ip link add h0 type veth peer name h1 && ip link add b0 type bridge"
        " && tc qdisc add dev h0 root tbf rate 1mbit burst 32kb latency 9ms"
        " && mount -t tmpfs none /mnt"
    )
    tried = subprocess.run(
        [*_unshare(), "sh", "-c", trial], capture_output=True, text=True, check=False
    )
    return f"namespaces are not allowed here: {tried.stderr.strip()}" if tried.returncode else ""


def inside(folder: Path, names: Sequence[str], slow: str = "") -> tuple[str, ...]:
    """What stands before a command that is to run on the first of these hosts."""
    script = (sys.executable, str(Path(__file__).resolve()), str(folder))
    return (*_unshare(), *script, ",".join(names), slow, "--")


def _run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def _enter(pid: int) -> tuple[str, ...]:
    return ("nsenter", "--target", str(pid), "--net", "--uts", "--mount")


def _start_host(name: str, hosts: Path) -> int:
    """A process that holds the namespaces of a host; it says when they are ready."""
    made = (
        f"hostname {name} && mount --bind '{hosts}' /etc/hosts && mount -t tmpfs none /dev/shm"
        " && ip link set lo up && echo ready && exec sleep 100000"
    )
    words = ("unshare", "--net", "--uts", "--mount", "sh", "-c", made)
    host = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert host.stdout is not None
    assert host.stdout.readline() == b"ready\n", f"no host {name}"
    return host.pid


def _connect(name: str, pid: int, number: int, *, slow: bool) -> None:
    outer = f"to-{name}"
    inner = ("name", "eth0", "netns", str(pid))
    _run("ip", "link", "add", outer, "type", "veth", "peer", *inner)
    _run("ip", "link", "set", outer, "master", "bridge0", "up")
    _run(*_enter(pid), "ip", "addr", "add", f"{_SUBNET}.{number}/24", "dev", "eth0")
    _run(*_enter(pid), "ip", "link", "set", "eth0", "up")
    if slow:
        _run("tc", "qdisc", "add", "dev", outer, "root", *_SLOW_LINK)
        _run(*_enter(pid), "tc", "qdisc", "add", "dev", "eth0", "root", *_SLOW_LINK)


def _write_agent(folder: Path, pids: dict[str, int], daemons: str) -> None:
    # ssh joins its words and gives them to a shell.
    cases = "\n".join(
        f'{name} | {name}-again) exec {" ".join(_enter(pid))} $clean sh -c "$*" ;;'
        for name, pid in pids.items()
    )
    # Daemons name their folders by process number: those of earlier hosts had the same ones.
    clean = f'clean="env -i PATH=$PATH HOME=$HOME TMPDIR={daemons}"'
    agent = folder / "agent"
    shell = f"#!/bin/sh\nhost=$1; shift\n{clean}\ncase $host in\n{cases}\n*) exit 255 ;;\nesac\n"
    agent.write_text(shell)
    agent.chmod(0o755)


def main(folder: Path, names: list[str], slow: str, command: list[str]) -> int:
    """Make the hosts, run the command on the first, and come back with its exit code."""
    hosts = folder / "hosts"
    lines = [
        f"{_SUBNET}.{number} {name} {name}-again" for number, name in enumerate(names, start=1)
    ]
    hosts.write_text("\n".join(["127.0.0.1 localhost", *lines]) + "\n")
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "link", "add", "bridge0", "type", "bridge")
    _run("ip", "link", "set", "bridge0", "up")
    pids = {name: _start_host(name, hosts) for name in names}
    for number, (name, pid) in enumerate(pids.items(), start=1):
        _connect(name, pid, number, slow=name == slow)
    # Short: names of sockets have room for a hundred letters.
    with tempfile.TemporaryDirectory(prefix="hosts-") as daemons:
        _write_agent(folder, pids, daemons)
        words = [*_enter(pids[names[0]]), *command]
        done = subprocess.run(words, env={**os.environ, "TMPDIR": daemons}, check=False)
    end = time.monotonic() + _GRACE_SECONDS
    while (left := _processes_beside(set(pids.values()))) and time.monotonic() < end:
        time.sleep(0.01)
    if left:
        print("left behind:", *left, sep="\n  ", file=sys.stderr)
    return done.returncode or (99 if left else 0)


def _processes_beside(known: set[int]) -> list[str]:
    """Command lines of what lives in this process namespace beside us and the hosts."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in {os.getpid(), *known}:
            continue
        with suppress(OSError):  # it may end meanwhile
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            found += [words] if words else []
    return found


if __name__ == "__main__":
    _, folder_name, host_names, slow_name, _, *words_of_command = sys.argv
    sys.exit(main(Path(folder_name), host_names.split(","), slow_name, words_of_command))

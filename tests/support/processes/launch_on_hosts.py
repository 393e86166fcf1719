"""One launch from inside a network of hosts: `python launch_on_hosts.py REQUEST`.

The request names a file of JSON; what became of the launch is printed as JSON.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec

# Started as a program of its own, too.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from machmeter.build.mpi import MpiInstall
from machmeter.build.programs import Programs
from machmeter.launch.hosts import Hosts
from machmeter.model.plan.launch import Launch, LaunchOutcome, Record
from tests.support.processes.hosts_in_namespaces import inside
from tests.support.processes.native_programs import launcher_of, start

# Hosts of one machine could else find a shorter way to each other.
_BY_TCP = {
    **{"FI_PROVIDER": "tcp", "MPIR_CVAR_CH4_NETMOD": "ofi"},
    **{"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp"},
}


class Request(msgspec.Struct, frozen=True):
    """A launch, what it is started with, and the folder for its record."""

    launch: Launch
    programs: Programs
    mpi: MpiInstall
    hosts: Hosts
    folder: str
    limit_seconds: float


class Became(msgspec.Struct, frozen=True):
    """The outcome of a launch and its record."""

    outcome: LaunchOutcome
    record: Record


def launch_on_hosts(request: Request, names: tuple[str, ...]) -> Became:
    """Start the launch on the first of these hosts, and see that none is left with a process."""
    folder = Path(request.folder)
    path = folder / "request.json"
    path.write_bytes(msgspec.json.encode(request))
    words = [sys.executable, str(Path(__file__).resolve()), str(path)]
    done = subprocess.run(
        [*inside(folder, names), *words],
        env={**os.environ, **_BY_TCP},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=request.limit_seconds + 60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return msgspec.json.decode(done.stdout, type=Became)


if __name__ == "__main__":
    asked = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Request)
    launcher = launcher_of(asked.programs, asked.mpi, os.environ, hosts=asked.hosts)
    outcome, record = start(launcher, asked.launch, Path(asked.folder), asked.limit_seconds)
    sys.stdout.buffer.write(msgspec.json.encode(Became(outcome, record)))

"""What a launcher is: how it starts ranks on hosts, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from machmeter.build.mpi import MpiInstall
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult
from machmeter.model.layout import Layout


class HostLauncher(Protocol):
    """Starts the ranks of a launch on their hosts."""

    @property
    def name(self) -> str:
        """As `Hosts` name it."""
        ...

    @property
    def in_job(self) -> bool:
        """Whether its hosts are those of a surrounding job of a batch system."""
        ...

    def allocation(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Host names of the surrounding job, in the job's order.

        Raises MachineLacksError where there is none, or the batch system does not name them.
        """
        ...

    def step_on(
        self, host: str, environment: Mapping[str, str], *, terminal: bool
    ) -> tuple[tuple[str, ...], dict[str, str]] | None:
        """What stands before a command that is to run on one host of the surrounding job, and its
        environment; None where no command gets there.

        terminal: whether it reads from and writes to a terminal.
        """
        ...

    def hosts_without(
        self, path: Path, hosts: Sequence[str], environment: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Those of all hosts of the surrounding job that do not see a file; none where nothing
        says so."""
        ...

    def command(
        self, mpi: MpiInstall, layout: Layout, hosts: Hosts, variables: Iterable[str]
    ) -> tuple[str, ...]:
        """What stands before the wrapper: ranks in blocks, rank r on node r // R, where R is the
        number of ranks on a node, bound to nothing: the wrapper binds.

        variables: names in the environment. Raises MachineLacksError where hosts are missing.
        """
        ...

    def environment(self, caller: Mapping[str, str]) -> dict[str, str]:
        """The variables of the caller's batch system that this launcher needs."""
        ...

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        limit_seconds: float,
        folder: str | None = None,
        most_kept: int = OUTPUT_TAIL,
        read_only: Sequence[Path] = (),
    ) -> ProcessResult:
        """Run the command in `folder` (None: here) to its end, and end what it leaves on other
        hosts.

        most_kept: bytes of its output, from the end, that the result has; read_only: files that
        what it starts on this machine cannot write to.
        """
        ...

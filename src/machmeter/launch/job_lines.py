"""The lines of a shell that start a program in one layout without machmeter."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from machmeter.launch.command import command_of_launch
from machmeter.launch.launchers.hosts import THIS_HOST, Hosts
from machmeter.launch.launchers.mpiexec import ALLOW_ROOT
from machmeter.launch.launchers.registry import LAUNCHERS
from machmeter.layout.environment import omp_environment
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.launch import Launch
from machmeter.model.written.text import shell_text

# The interface that each MPI has with srun, and whose line that is: by another one it starts copies
# of rank 0.
_OF_MPI = MappingProxyType(
    {"mpich": ("pmi2", "Slurm, MPICH"), "openmpi": ("pmix", "Slurm, Open MPI")}
)
_OF_COPIES = MappingProxyType({"none": "Slurm"})
_LOCAL_RANK_IN_JOB = "SLURM_LOCALID"
_EXPORT = "export "
# What runtimes do by themselves.
_BY_DEFAULT = ("OMP_DYNAMIC", "OMP_MAX_ACTIVE_LEVELS")


class ShellLine(Struct, frozen=True):
    """One line to copy."""

    command: str
    """As a shell reads it."""
    note: str = ""
    """Whose it is, where only one of several lines is to be used, and where it holds: `with Open
    MPI, not tried`."""
    used: bool = False
    """Whether it is of what started the launches of the run."""
    in_job: bool = False
    """Whether it is for a job of a batch system."""


class ShellWords(NamedTuple):
    """Lines as a program is started by them without a shell."""

    variables: dict[str, str]
    """What they export."""
    words: tuple[str, ...]
    """The last line."""
    local_rank: str = ""
    """The variable that numbers the ranks of a node; empty is that of the MPI."""


class UsedLauncher(Struct, frozen=True):
    """The mpiexec that started the launches of a run."""

    path: str = "mpiexec"
    """As it was started."""
    family: str = ""
    """Of its MPI: `mpich` or `openmpi`; empty where none did."""
    as_root: bool = False
    """Whether root started it, to which Open MPI says no unless it is allowed."""


NOT_USED = UsedLauncher()


def job_lines(
    launch: Launch,
    *,
    of_ranks: bool,
    hosts: Hosts = THIS_HOST,
    variables: Sequence[str] = (),
    family: str = "",
    used: UsedLauncher = NOT_USED,
) -> tuple[ShellLine, ...]:
    """Variables first, then one line for each launcher that may start the program; none at all
    where no launcher can.

    of_ranks: whether an MPI starts it; hosts: those of several nodes; variables: names of those
    that are exported before these lines; family: of the MPI that it is linked with, `mpich` or
    `openmpi` (empty: not known), since another one starts copies of rank 0; used: what started the
    launches, whose line names it by its path: another mpiexec may be the first on the PATH.
    A launcher without options that place ranks so has no line: Open MPI where the ranks are not on
    neighboring cores, or on several hardware threads of a core.
    """
    command = launch.spec.command
    if command is None:
        return ()
    words, own = command_of_launch(launch, command)
    program = shell_text(words)
    layout = launch.spec.layout
    exports = {**own, **_of_threads(launch)}
    lines = [ShellLine(f"{_EXPORT}{name}={shell_text([text])}") for name, text in exports.items()]
    cpus = [sorted({cpu for cpus in rank for cpu in cpus}) for rank in launch.assignment.cpus]
    if of_ranks:
        by = _Started(layout, hosts, (*variables, *exports), family or used.family, used)
        started = tuple(_of_ranks(by, cpus, _OF_COPIES if command.copies else by.interfaces))
    else:
        started = tuple(_of_process(layout, cpus[0]))
    if not started:
        return ()
    lines += [replace(line, command=f"{line.command}{program}") for line in started]
    return tuple(lines)


def lines_to_try(lines: Sequence[ShellLine], *, in_job: bool = False) -> tuple[str, ...]:
    """Of all lines those that export and the one of the launcher that the run used; in_job: that of
    the batch system in its place. None where there is no such line, or more than one."""
    found = [line.command for line in lines if (line.in_job if in_job else line.used)]
    return (*(line.command for line in exports_of(lines)), *found) if len(found) == 1 else ()


def exports_of(lines: Sequence[ShellLine]) -> tuple[ShellLine, ...]:
    """Of all lines those that set variables."""
    return tuple(line for line in lines if line.command.startswith(_EXPORT))


def words_of(lines: Sequence[str], *, in_job: bool = False) -> ShellWords | None:
    """What a shell makes of such lines; None where a word has characters of control, which other
    readers of shell words do not take."""
    if any("$'" in line for line in lines):
        return None
    *exports, last = map(shlex.split, lines)
    pairs = (words[1].partition("=") for words in exports)
    variables = {name: value for name, _, value in pairs}
    return ShellWords(variables, tuple(last), _LOCAL_RANK_IN_JOB if in_job else "")


def _of_threads(launch: Launch) -> dict[str, str]:
    layout = launch.spec.layout
    variables = omp_environment(layout, launch.assignment.cpus[0])
    if "OMP_PLACES" in variables:
        # Within the CPUs of each rank.
        variables["OMP_PLACES"] = "cores" if layout.smt == 1 else "threads"
    return {name: value for name, value in variables.items() if name not in _BY_DEFAULT}


def _of_process(layout: Layout, cpus: Sequence[int]) -> Iterator[ShellLine]:
    if not layout.binding.is_bound:
        yield ShellLine("", used=True)
        return
    yield ShellLine(f"taskset -c {','.join(map(str, cpus))} ", "on a node of your own", used=True)


class _Started(Struct, frozen=True):
    """The words of each launcher before those that bind."""

    layout: Layout
    hosts: Hosts
    exported: tuple[str, ...]
    family: str
    used: UsedLauncher

    def mpiexec(self, family: str) -> str:
        """The launcher of a family with what it always takes, and the number of ranks."""
        words = [self.used.path if family == self.used.family else "mpiexec"]
        if family == "openmpi" and self.used.as_root:
            words.append(ALLOW_ROOT)
        return f"{shell_text(words)} -n {self.layout.ranks}"

    def note(self, family: str, name: str) -> str:
        """Whose a line is, and that it was not tried where another launcher started the launches
        or nobody knows which did."""
        return f"with {name}" + ", not tried" * (family != self.used.family)

    @property
    def interfaces(self) -> dict[str, str]:
        """With srun, and whose each is."""
        return dict(own for one, own in _OF_MPI.items() if self.family in ("", one))

    @property
    def several(self) -> bool:
        """Whether ranks are on more than one node."""
        return self.layout.nodes > 1

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts, where no job of a batch system has them."""
        in_job = LAUNCHERS[self.hosts.launcher].in_job
        return () if in_job else self.hosts.names[: self.layout.nodes]

    @property
    def hydra(self) -> str:
        """Of MPICH, which binds by the ranks of a node; empty for a program of another MPI."""
        if self.family == "openmpi":
            return ""
        words = self.mpiexec("mpich")
        if not self.several:
            return words
        where = f" -hosts {','.join(self.names)}" if self.names else ""
        shell = self.hosts.remote_shell
        if where and shell:
            where = f" -launcher rsh -launcher-exec {shell_text([shell])}{where}"
        return f"{words}{where} -ppn {self.layout.ranks_per_node}"

    @property
    def open_mpi(self) -> str:
        """Of Open MPI, which hands other hosts no variables but those that are named; empty with a
        remote shell, which its versions call by different names, and for a program of another MPI.
        """
        if self.family == "mpich":
            return ""
        words = self.mpiexec("openmpi")
        if not self.several:
            return words
        if self.names and self.hosts.remote_shell:
            return ""
        each = self.layout.ranks_per_node
        where = ",".join(f"{name}:{each * self.layout.cpus_per_rank}" for name in self.names)
        hosts = f" --host {where}" if where else ""
        return words + hosts + "".join(f" -x {name}" for name in self.exported)

    @property
    def place(self) -> str:
        """How Open MPI shares ranks out."""
        return f"ppr:{self.layout.ranks_per_node}:node" if self.several else "slot"

    @property
    def srun(self) -> str:
        """In a job of more nodes srun would spread the ranks over all of them; empty where the
        hosts are of no job."""
        if self.several and self.names:
            return ""
        words = f"srun -N {self.layout.nodes} -n {self.layout.ranks}"
        return f"{words} --ntasks-per-node={self.layout.ranks_per_node}" if self.several else words


def _of_ranks(
    by: _Started, cpus: Sequence[Sequence[int]], slurm: Mapping[str, str]
) -> Iterator[ShellLine]:
    """slurm: the interfaces with srun, and whose each is."""
    layout = by.layout
    if layout.binding is Binding.DEFAULT:
        # Named hosts have as many slots as ranks: more words would be no default.
        placed = f" --map-by {by.place}" if by.several and not by.names else ""
        if by.hydra and by.hydra == by.open_mpi + placed:
            yield ShellLine(f"{by.hydra} ", "with MPICH, Open MPI, not tried")
        else:
            yield from _of_hydra(by, "")
            yield from _of_open_mpi(by, placed)
        yield from _of_slurm(by.srun, "", slurm)
        return
    if not layout.binding.is_bound:
        placed = f" --map-by {by.place}" if by.several else ""
        yield from _of_hydra(by, " -bind-to none")
        yield from _of_open_mpi(by, f"{placed} --bind-to none")
        yield from _of_slurm(by.srun, " --cpu-bind=none", slurm)
        return
    users = ",".join("+".join(map(str, one)) for one in cpus)
    yield from _of_hydra(by, f" -bind-to user:{users}")
    if layout.smt == 1 and _are_neighbors(cpus):
        each = f"{by.place}:PE={layout.cpus_per_rank}"
        yield from _of_open_mpi(by, f" --map-by {each} --bind-to core")
    masks = ",".join(hex(sum(1 << cpu for cpu in one)) for one in cpus)
    yield from _of_slurm(by.srun, f" --cpu-bind=mask_cpu:{masks}", slurm)


def _of_hydra(by: _Started, bound: str) -> Iterator[ShellLine]:
    if by.hydra:
        yield ShellLine(f"{by.hydra}{bound} ", by.note("mpich", "MPICH"), by.used.family == "mpich")


def _of_open_mpi(by: _Started, bound: str) -> Iterator[ShellLine]:
    if by.open_mpi:
        note = by.note("openmpi", "Open MPI")
        yield ShellLine(f"{by.open_mpi}{bound} ", note, by.used.family == "openmpi")


def _of_slurm(srun: str, bound: str, slurm: Mapping[str, str]) -> Iterator[ShellLine]:
    for interface, whose in slurm.items() if srun else ():
        yield ShellLine(f"{srun}{bound} --mpi={interface} ", f"with {whose}", in_job=True)


def _are_neighbors(cpus: Sequence[Sequence[int]]) -> bool:
    """Whether ranks have the first CPUs, in order, without a gap."""
    every = [cpu for one in cpus for cpu in one]
    return every == list(range(len(every)))

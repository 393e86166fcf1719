"""A study: experiments and the questions they answer, as data."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from machmeter.model.benchmark import Benchmark, RankSweep, ThreadSweep, Value
from machmeter.model.layout import Binding, LaunchMode, ProgressMode, WaitPolicy
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.plan.command import Command
from machmeter.model.plan.question import PublishedRatio, PublishedStatement, Question

SSH = "ssh"
"""The launcher that starts processes on hosts that were named."""


class Experiment(Struct, frozen=True):
    """A benchmark over parameters and layouts; what is empty or null takes the benchmark's own."""

    benchmark: str
    """Name of the benchmark."""
    parameters: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    """Values by parameter."""
    code: str = ""
    """The program that its points stand for, by name (empty: what the benchmark says)."""
    divisors: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of parameters that are `auto`: the automatic values over each of these in their place."""
    threads: ThreadSweep | None = None
    """Sweep of thread counts."""
    bindings: tuple[Binding, ...] = ()
    """How threads are bound."""
    wait_policies: tuple[WaitPolicy, ...] = ()
    """What idle threads do."""
    pages: bool | None = None
    """Whether page sizes are swept."""
    runtimes: bool | None = None
    """Whether OpenMP runtimes are swept."""
    allocators: bool | None = None
    """Whether allocators are swept."""
    ranks: RankSweep | None = None
    """Sweep of rank counts."""
    modes: tuple[LaunchMode, ...] = ()
    """Launch modes in the place of sweeps of ranks and threads, unless such are requested."""
    smt: int = 1
    """Hardware threads used of each core, unless layouts are requested; it is not measured where
    cores have fewer."""
    progress: tuple[ProgressMode, ...] = ()
    """Who advances communication."""
    packages: bool | None = None
    """Whether single packages are swept."""
    mpis: bool = True
    """Whether it is measured under each of several MPI libraries, or the first alone."""
    one_node: bool = False
    """Whether it is measured on one node alone where several are used."""
    seconds_per_point: float = 0.0
    """Time cap of one point in one launch, seconds (0: the benchmark's own)."""
    most_launches: int = 0
    """Launches after which no more are made (0: as the precision requires)."""
    command: Command | None = None
    """What its launches start, of a program that is not ours."""
    lacks: str = ""
    """Why it cannot be measured on this machine at all; empty where nothing is known to be
    missing."""


class StudyApplication(Struct, frozen=True):
    """An application that comes with machmeter as a part of a study, where it is installed."""

    name: str
    """Of the application."""
    ranks: RankSweep = RankSweep.EVERY
    """Sweep of its rank counts."""
    modes: tuple[LaunchMode, ...] = ()
    """Launch modes in the place of that sweep."""
    questions: tuple[Question, ...] = ()
    """What its results answer; the benchmark is `app.NAME`."""


class Study(Struct, frozen=True):
    """A named list of experiments and the questions that they answer."""

    name: str
    """What `machmeter run` calls it."""
    title: str
    """One line."""
    summary: str
    """What it measures, after which paper."""
    experiments: tuple[Experiment, ...]
    """What is measured."""
    questions: tuple[Question, ...] = ()
    """What the findings answer."""
    published: tuple[PublishedRatio | PublishedStatement, ...] = ()
    """What published machines say of all its codes together; each has a text."""
    budget_seconds: float = 300.0
    """Time for measuring unless another is requested, seconds."""
    benchmarks: tuple[Benchmark, ...] = ()
    """Benchmarks of its own, which no catalogue has."""
    applications: tuple[StudyApplication, ...] = ()
    """Applications that it measures too, until they are among its experiments."""
    mpis: tuple[str, ...] = ()
    """MPI libraries it is measured under unless others are requested (empty: the embedded
    default)."""
    code_set: CodeSet | None = None
    """The set of codes that it measures, of which a score is made."""


class LayoutOptions(Struct, frozen=True):
    """Layouts as requested; what is empty is the benchmark's own sweep."""

    rank_counts: tuple[int, ...] = ()
    """Ranks over all nodes."""
    nodes: tuple[int, ...] = ()
    """How many of the hosts."""
    hosts: tuple[str, ...] = ()
    """Names of hosts, this machine's first (empty: this machine alone)."""
    launcher: str = SSH
    """What starts processes on them, by the name of a launcher."""
    remote_shell: str = ""
    """What starts a process on another host, instead of ssh."""
    mpis: tuple[str, ...] = ()
    """Names of several MPI libraries (empty: there is only one)."""
    progress: tuple[ProgressMode, ...] = ()
    """Who advances communication."""
    threads: tuple[int, ...] = ()
    """Threads of each rank, those of inner teams included."""
    smt: int | tuple[int, ...] = 1
    """Hardware threads used of each core; each of several."""
    reserved_cores: int | tuple[int, ...] = 0
    """Cores of each node that are left idle; each of several."""
    modes: tuple[LaunchMode, ...] = ()
    """Launch modes in the place of a sweep of threads, SMT and reserved cores."""
    bindings: tuple[Binding, ...] = ()
    """How threads are bound."""
    page_bytes: tuple[int, ...] = ()
    """Page sizes, bytes."""
    wait_policies: tuple[WaitPolicy, ...] = ()
    """What idle threads do."""
    openmp: tuple[str, ...] = ()
    """OpenMP runtimes by name."""
    allocators: tuple[str, ...] = ()
    """Allocators by name."""
    oversubscribe: bool = False
    """Whether more ranks or threads than cores are allowed."""
    devices: tuple[str, ...] | UnsetType = UNSET
    """Devices by the names that `machmeter list devices` gives them."""
    one_machine: bool | UnsetType = UNSET
    """Whether launches count though hosts of theirs are one machine; left out where not."""

    @property
    def smts(self) -> tuple[int, ...]:
        """Every number of hardware threads of each core that is requested."""
        return self.smt if isinstance(self.smt, tuple) else (self.smt,)

    @property
    def reserves(self) -> tuple[int, ...]:
        """Every number of reserved cores that is requested."""
        found = self.reserved_cores
        return found if isinstance(found, tuple) else (found,)

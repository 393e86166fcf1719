"""A study: experiments and the questions they answer, as data."""

from __future__ import annotations

from msgspec import Struct, field

from machmeter.model.benchmark import RankSweep, ThreadSweep, Value
from machmeter.model.layout import Binding, ProgressMode, WaitPolicy
from machmeter.model.plan.question import Question

SSH = "ssh"
"""The launcher that starts processes on hosts that were named."""
LINKED = "linked"
"""Asks for the OpenMP runtime or allocator that the programs are linked with."""


class Experiment(Struct, frozen=True):
    """A benchmark over parameters and layouts; what is empty or None takes the benchmark's own.

    threads, bindings, wait_policies, pages, runtimes, allocators, ranks, progress, packages: as the
    sweeps of `model.benchmark.Benchmark`; mpis: under each of several MPI libraries, not the first
    alone; one_node: on one node alone, where several were named; seconds_per_point: time cap of one
    point in one launch, seconds (0 = the benchmark's own); most_launches: launches after which no
    more are made (0 = as the precision asks).
    """

    benchmark: str
    parameters: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    threads: ThreadSweep | None = None
    bindings: tuple[Binding, ...] = ()
    wait_policies: tuple[WaitPolicy, ...] = ()
    pages: bool | None = None
    runtimes: bool | None = None
    allocators: bool | None = None
    ranks: RankSweep | None = None
    progress: tuple[ProgressMode, ...] = ()
    packages: bool | None = None
    mpis: bool = True
    one_node: bool = False
    seconds_per_point: float = 0.0
    most_launches: int = 0


class Study(Struct, frozen=True):
    """A named list of experiments and the questions asked of them.

    budget_seconds: time for measuring unless another is requested, seconds; mpis: the MPI libraries
    it is measured under unless others are requested (empty: the embedded default).
    """

    name: str
    title: str
    summary: str
    experiments: tuple[Experiment, ...]
    questions: tuple[Question, ...] = ()
    budget_seconds: float = 300.0
    mpis: tuple[str, ...] = ()


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
    smt: int = 1
    """Hardware threads used of each core."""
    reserved_cores: int = 0
    """Cores of each node that are left idle."""
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

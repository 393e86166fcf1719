"""The findings of a run: its questions, put to what was measured on its machine. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.programs import find_program
from machmeter.layout.assign import assign, hardware_threads
from machmeter.layout.errors import LayoutError
from machmeter.layout.places import common_ancestors
from machmeter.layout.splits import domain_cores
from machmeter.model.benchmark import ParameterKind
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.machine import Machine, Topology
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.question import Question, Resource
from machmeter.model.point import Point
from machmeter.model.program import Starter
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Finding
from machmeter.model.results.run import Plan
from machmeter.run.compare.published_answers import published_answers
from machmeter.run.results.node_limits import node_limits
from machmeter.text.findings.answers import finding_of
from machmeter.text.findings.pinning import with_pinning

_HUGE_PAGE = str(2 * 2**20)


class RunFacts(Struct, frozen=True):
    """What a run showed other than its results."""

    rank_hosts: tuple[str, ...] = ()
    """The host of each rank, empty where that is not known."""
    hosts: tuple[ObservedHost, ...] = ()
    """What the hosts say of themselves."""
    dropped: frozenset[str] = frozenset()
    """Specs that dropped out of a race."""
    working: Mapping[Point, int] = MappingProxyType({})
    """How many threads of a rank worked in programs that are not ours."""
    settings: Mapping[str, str] = MappingProxyType({})
    """Variables that the caller had set."""


_NOTHING = RunFacts()


def findings(
    plan: Plan, machine: Machine, estimates: Sequence[Estimate], seen: RunFacts = _NOTHING
) -> tuple[Finding, ...]:
    """The finding for each question of the plan; `machine` is the one measured."""
    topology = machine.topology
    facts = TopologyFacts(
        pair_distances(_pairs_of_cpus(plan.points), topology),
        assignments(dict.fromkeys(point.layout for point in plan.points), topology),
        resources_of(machine, plan),
        domain_cores(topology) if topology.usable_cores else 0,
        seen.rank_hosts,
        tuple(point for point in plan.points if _names_of(point, ParameterKind.RANK_PAIR)),
        frozenset(p for spec in plan.specs if spec.name in seen.dropped for p in spec.points),
        frozenset(f"{name}={value.lower()}" for name, value in seen.settings.items()),
        seen.hosts,
        node_limits(machine, estimates, seen.hosts),
    )
    found = answered(plan.questions, estimates, facts)
    if not any(spec.layout.binding is Binding.DEFAULT for spec in plan.specs):
        return found
    return tuple(with_pinning(one, estimates, seen.working) for one in found)


def answered(
    questions: Sequence[Question], estimates: Sequence[Estimate], facts: TopologyFacts
) -> tuple[Finding, ...]:
    """The finding for each question, with what is published of it."""
    return tuple(
        finding_of(answer, published_answers(answer))
        for answer in answers(questions, estimates, facts)
    )


def resources_of(machine: Machine, plan: Plan | None = None) -> dict[Resource, int]:
    """How many the machine has of what questions require.

    Placements are the CPU sets of close and spread threads: of two threads, and of as many as half
    the cores (at least two). Of the plan: how many nodes and MPI libraries it has, and whether it
    has OpenSHMEM (without a plan: one node, one library, none).
    """
    topology, memory, software = machine.topology, machine.memory, machine.software
    cores = len(topology.usable_cores)
    of_two = _placements(topology, 2)
    return {
        Resource.CORES: cores,
        Resource.HARDWARE_THREADS: hardware_threads(topology),
        Resource.DOMAINS: len(topology.usable_domains),
        Resource.DOMAINS_WITH_MEMORY: len(topology.memory_domains),
        Resource.PAIR_PLACEMENTS: of_two,
        Resource.PLACEMENTS: max(of_two, _placements(topology, cores // 2)),
        Resource.HUGE_PAGES_2M: memory.hugetlb_free.get(_HUGE_PAGE, 0),
        Resource.TRANSPARENT_HUGE_PAGES: int(
            memory.transparent_huge_pages in ("always", "madvise")
        ),
        Resource.HUGE_PAGES_BY_DEFAULT: int(memory.transparent_huge_pages == "always"),
        Resource.OPENMP_RUNTIMES: len(software.openmp_runtimes),
        Resource.ALLOCATORS: len(software.allocators),
        Resource.PACKAGES: len({cpu.package for cpu in topology.usable}),
        Resource.DEVICES: len(machine.devices or ()),
        **_resources_of_ranks(cores, plan),
    }


def _resources_of_ranks(cores: int, plan: Plan | None) -> dict[Resource, int]:
    specs = plan.specs if plan else ()
    of_mpi = [spec for spec in specs if find_program(spec.program).has_ranks]
    nodes = max((spec.layout.nodes for spec in of_mpi), default=1)
    return {
        Resource.RANKS: cores * nodes,
        Resource.NODES: nodes,
        # Cores stand in for nodes where there is but one.
        Resource.NODE_PLACES: nodes if nodes > 1 else cores,
        Resource.MPI_LIBRARIES: max(
            1, len({spec.variant.mpi for spec in of_mpi if spec.variant.mpi})
        ),
        Resource.SPARE_CORES: int(cores > (2 if nodes == 1 else 1)),
        Resource.SHMEM_COMPILERS: int(
            any(find_program(s.program).starter is Starter.OSHRUN for s in specs)
        ),
    }


def pair_distances(pairs: Iterable[str], topology: Topology) -> dict[str, int]:
    """How far the two CPUs of each pair (`0-17`) are: the rank of what they share, by its size.

    Pairs of what are no CPUs are left out.
    """
    known = {cpu.number for cpu in topology.cpus if cpu.online}
    numbers: dict[str, tuple[int, int]] = {}
    for text in dict.fromkeys(pairs):
        first, _, second = text.partition("-")
        if first.isdecimal() and second.isdecimal() and {int(first), int(second)} <= known:
            numbers[text] = (int(first), int(second))
    ancestors = common_ancestors(topology, numbers.values())
    # Things of one kind may differ in size (caches of unequal cores): they have one rank.
    ordered = sorted(ancestors.values(), key=lambda ancestor: ancestor.nearness)
    order = list(dict.fromkeys(str(ancestor) for ancestor in ordered))
    return {text: order.index(str(ancestors[pair])) for text, pair in numbers.items()}


def assignments(layouts: Iterable[Layout], topology: Topology) -> dict[Layout, Assignment]:
    """The CPUs of each layout; one that this machine cannot hold is left out."""
    found = {}
    for layout in layouts:
        try:
            found[layout] = assign(layout, topology)
        except LayoutError:
            continue
    return found


def _placements(topology: Topology, threads: int) -> int:
    """How many sets of CPUs close and spread threads come to."""
    bindings = (Binding.CLOSE, Binding.SPREAD)
    layouts = [Layout(threads_per_rank=max(threads, 1), binding=one) for one in bindings]
    found = assignments(layouts, topology).values()
    return len({frozenset(cpus for rank in one.cpus for cpus in rank) for one in found})


def _pairs_of_cpus(points: Iterable[Point]) -> list[str]:
    return [
        str(point.get(name)) for point in points for name in _names_of(point, ParameterKind.PAIR)
    ]


def _names_of(point: Point, kind: ParameterKind) -> list[str]:
    """The names of the parameters of this kind."""
    declared = known(point.benchmark)
    return [p.name for p in declared.parameters if p.kind is kind] if declared else []

"""The findings of a run: its questions, put to what was measured on its machine. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from machmeter.analysis.rules.answer import answers
from machmeter.analysis.rules.select import TopologyFacts
from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.layout.places import common_ancestors
from machmeter.layout.splits import domain_cores
from machmeter.model.benchmark import Executable, ParameterKind
from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.machine import Machine, Topology
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import Finding
from machmeter.model.results.run import Plan
from machmeter.run.compare.published_answers import with_published_sides

_HUGE_PAGE = str(2 * 2**20)


def findings(
    plan: Plan,
    machine: Machine,
    estimates: Sequence[Estimate],
    rank_hosts: tuple[str, ...] = (),
) -> tuple[Finding, ...]:
    """The finding for each question of the plan; `machine` is the one measured.

    rank_hosts: the host of each rank, as observed, empty where that is not known.
    """
    places = TopologyFacts(
        kinds_of(_pairs_of_cpus(plan.points), machine.topology),
        assigned(dict.fromkeys(point.layout for point in plan.points), machine.topology),
        facts_of(machine, plan),
        rank_hosts,
        tuple(point for point in plan.points if _names_of(point, ParameterKind.RANK_PAIR)),
    )
    return with_published_sides(plan.questions, answers(plan.questions, estimates, places))


def facts_of(machine: Machine, plan: Plan | None = None) -> dict[str, int]:
    """How many the machine has of what a question needs two sides of.

    two_placed, some_placed: CPU sets that close and spread threads come to, of two threads and of
    as many as half the cores (at least two); hugetlb-2m: free pages of that pool; free_core:
    whether a core can be reserved beside two ranks. Of the plan: how many nodes and MPI libraries
    it has, whether it has OpenSHMEM (without a plan: one node, one library, none), and places: its
    nodes, or the cores that stand for nodes where it has but one.
    """
    topology, memory, software = machine.topology, machine.memory, machine.software
    cores = len(topology.usable_cores)
    return {
        "cores": cores,
        "domains": len({cpu.numa for cpu in topology.usable}),
        "memories": sum(domain.memory_bytes > 0 for domain in topology.domains),
        "domain_cores": domain_cores(topology) if cores else 0,
        "two_placed": _placed(topology, 2),
        "some_placed": max(_placed(topology, 2), _placed(topology, cores // 2)),
        "hugetlb-2m": memory.hugetlb_free.get(_HUGE_PAGE, 0),
        "transparent": int(memory.transparent_huge_pages in ("always", "madvise")),
        "runtimes": len(software.openmp_runtimes),
        "allocators": len(software.allocators),
        "packages": len({cpu.package for cpu in topology.usable}),
        **_facts_of_ranks(cores, plan),
    }


def _facts_of_ranks(cores: int, plan: Plan | None) -> dict[str, int]:
    specs = plan.specs if plan else ()
    of_mpi = [spec for spec in specs if spec.executable is not Executable.NODE]
    nodes = max((spec.layout.nodes for spec in of_mpi), default=1)
    return {
        "ranks": cores * nodes,
        "nodes": nodes,
        "places": nodes if nodes > 1 else cores,
        "mpis": max(1, len({spec.variant.mpi for spec in of_mpi if spec.variant.mpi})),
        "free_core": int(cores > (2 if nodes == 1 else 1)),
        "shmem": int(any(spec.executable is Executable.SHMEM for spec in specs)),
    }


def kinds_of(pairs: Iterable[str], topology: Topology) -> dict[str, int]:
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


def assigned(layouts: Iterable[Layout], topology: Topology) -> dict[Layout, Assignment]:
    """The CPUs of each layout; one that this machine cannot hold is left out."""
    found = {}
    for layout in layouts:
        try:
            found[layout] = assign(layout, topology)
        except LayoutError:
            continue
    return found


def _placed(topology: Topology, threads: int) -> int:
    """How many sets of CPUs close and spread threads come to."""
    bindings = (Binding.CLOSE, Binding.SPREAD)
    layouts = [Layout(threads_per_rank=max(threads, 1), binding=one) for one in bindings]
    found = assigned(layouts, topology).values()
    return len({frozenset(cpus for rank in one.cpus for cpus in rank) for one in found})


def _pairs_of_cpus(points: Iterable[Point]) -> list[str]:
    return [
        str(point.get(name)) for point in points for name in _names_of(point, ParameterKind.PAIR)
    ]


def _names_of(point: Point, kind: ParameterKind) -> list[str]:
    """The names of the parameters of this kind."""
    return [p.name for p in find(point.benchmark).parameters if p.kind is kind]

"""The CPUs of ranks on nodes where others may be used than on the first one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.layout.words import cpu_words
from machmeter.model.layout import Assignment, AssignmentElsewhere, Layout
from machmeter.model.machine import Topology

# What a command says of them: Linux takes 2 MB of words with the environment (execve(2)), and other
# hosts get them through more programs. A rank has variables, and each thread its CPUs in a few.
_MOST_BYTES, _BYTES_A_RANK, _BYTES_A_THREAD = 500_000, 200, 30


class NodeCpus(Struct, frozen=True):
    """The CPUs that programs may use on a node of a run."""

    node: int
    """Its number among the hosts of the run; the first one is 0."""
    name: str
    """Its name as a host."""
    cpus: tuple[int, ...]
    """Their numbers."""


class Elsewhere(Struct, frozen=True):
    """The CPUs of a layout on all nodes but those that are like the first."""

    assignments: tuple[AssignmentElsewhere, ...] = ()
    """Nodes with the same CPUs together, the most first."""
    lacking: tuple[tuple[str, str], ...] = ()
    """Names of nodes that cannot have the layout, each with the reason, for people."""


def assign_elsewhere(layout: Layout, topology: Topology, nodes: Sequence[NodeCpus]) -> Elsewhere:
    """The layout as `assign` makes it on each of the `nodes` that it has, from the CPUs there.

    topology: of the first node. Another one is taken to be like it, but for the CPUs that may be
    used. What no command line can hold, since too many nodes are unlike each other, is lacking,
    too.
    """
    usual = {cpu.number for cpu in topology.usable}
    known = {cpu.number for cpu in topology.cpus if cpu.online}
    groups: dict[tuple[int, ...], list[NodeCpus]] = defaultdict(list)
    for one in nodes:
        # Ranks that are not bound may use those, too, of which the first node has none.
        may_use = known.intersection(one.cpus) if layout.binding.is_bound else set(one.cpus)
        if 0 < one.node < layout.nodes and may_use != usual:
            groups[tuple(sorted(may_use))].append(one)
    a_rank = _BYTES_A_RANK + _BYTES_A_THREAD * layout.cpus_per_rank
    most = max(1, _MOST_BYTES // (layout.ranks_per_node * a_rank))
    # A command says once what several have, and nothing of what the first node has.
    first = assign(layout, topology)
    said: set[Assignment] = set()
    found: list[AssignmentElsewhere] = []
    lacking: list[tuple[str, str]] = []
    for cpus, members in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        names = [one.name for one in members]
        here = (replace(cpu, allowed=cpu.number in cpus) for cpu in topology.cpus)
        try:
            own = assign(layout, replace(topology, cpus=tuple(here)))
        except LayoutError as error:
            lacking += [(name, f"with CPUs {cpu_words(cpus)}: {error}") for name in names]
            continue
        if own != first and own not in said and len(said) == most:
            others = f"{most} groups of nodes have ranks on other CPUs than the first one already"
            lacking += [(name, f"{others}: no command names more") for name in names]
            continue
        said |= {own} - {first}
        found.append(AssignmentElsewhere(tuple(one.node for one in members), cpus, own))
    return Elsewhere(tuple(found), tuple(lacking))

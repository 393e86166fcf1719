"""The CPUs of a layout in plain lists, as tests compare them."""

from __future__ import annotations

from machmeter.layout.assign import assign
from machmeter.model.layout import Assignment, Layout
from machmeter.model.machine import Topology


def flat(assignment: Assignment) -> list[int]:
    return [cpu for rank in assignment.cpus for thread in rank for cpu in thread]


def domains_of(cpus: list[int], topology: Topology) -> list[int]:
    numa = {cpu.number: cpu.numa for cpu in topology.cpus}
    return [numa[cpu] for cpu in cpus]


def boards_of_teams(layout: Layout, topology: Topology) -> list[set[int]]:
    """The NUMA domains that each outer team of one rank was given CPUs in, by outer thread."""
    (rank,) = assign(layout, topology).cpus
    inner = layout.inner_threads
    teams = [rank[start : start + inner] for start in range(0, len(rank), inner)]
    return [{d for cpus in team for d in domains_of(list(cpus), topology)} for team in teams]

"""The CPUs of ranks on nodes where others may be used than on the first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.layout.elsewhere import NodeCpus, assign_elsewhere
from machmeter.model.layout import Binding, Layout
from machmeter.model.machine import Topology
from tests.support.sysfs_tree import Shape

WHOLE = Shape(packages=1, domains=1, cores=8, smt=1).topology()


def may_use(*cpus: int) -> Topology:
    here = (replace(cpu, allowed=cpu.number in cpus) for cpu in WHOLE.cpus)
    return replace(WHOLE, cpus=tuple(here))


def nodes(*cpus: tuple[int, ...]) -> tuple[NodeCpus, ...]:
    return tuple(NodeCpus(number, f"n{number}", these) for number, these in enumerate(cpus))


LAYOUT = Layout(nodes=4, ranks_per_node=2)


def test_each_node_has_the_layout_from_the_cpus_there() -> None:
    here = may_use(0, 1)
    found = assign_elsewhere(LAYOUT, here, nodes((0, 1), (4, 6), (0, 1), (3, 5)))
    assert not found.lacking
    assert [(one.nodes, one.usable) for one in found.assignments] == [
        ((3,), (3, 5)),
        ((1,), (4, 6)),
    ]
    assert found.assignments[0].assignment == assign(LAYOUT, may_use(3, 5))


def test_nodes_that_are_alike_are_together_and_the_most_come_first() -> None:
    found = assign_elsewhere(LAYOUT, may_use(0, 1), nodes((0, 1), (2, 3), (6, 7), (6, 7)))
    assert [one.nodes for one in found.assignments] == [(2, 3), (1,)]


def test_more_cpus_than_the_first_node_has_are_no_hindrance_and_fewer_are_named() -> None:
    here = may_use(2, 3)
    found = assign_elsewhere(LAYOUT, here, nodes((2, 3), tuple(range(8)), (5,), (2, 3)))
    (more,) = found.assignments
    assert more.assignment.cpus == assign(LAYOUT, WHOLE).cpus
    ((name, why),) = found.lacking
    assert name == "n2"
    assert "CPUs 5" in why


@pytest.mark.parametrize("layout", [Layout(nodes=2), Layout(nodes=2, binding=Binding.NONE)])
def test_only_nodes_of_the_layout_but_the_first_count(layout: Layout) -> None:
    others = nodes((7,), (6,), (5,), (4,))
    found = assign_elsewhere(layout, may_use(0, 1), others)
    assert [(one.nodes, one.usable) for one in found.assignments] == [((1,), (6,))]


def test_cpus_that_the_first_node_does_not_know_count_for_nothing_where_ranks_are_bound() -> None:
    larger = nodes((), tuple(range(16)))
    assert not assign_elsewhere(LAYOUT, WHOLE, larger).assignments
    (found,) = assign_elsewhere(replace(LAYOUT, binding=Binding.NONE), WHOLE, larger).assignments
    assert (found.nodes, found.usable) == ((1,), tuple(range(16)))


MANY = Shape(packages=1, domains=1, cores=1200, smt=1).topology()
WIDE = Layout(nodes=100, ranks_per_node=1000)


def test_more_unlike_nodes_than_a_command_can_name_are_named() -> None:
    each = tuple((place, *range(100, 1200)) for place in range(100))
    found = assign_elsewhere(WIDE, MANY, nodes(tuple(range(1200)), *each[1:]))
    assert len(found.assignments) + len(found.lacking) == 99
    assert 1 <= len(found.assignments) < 10
    assert all("no command names more" in why for _, why in found.lacking)


@pytest.mark.parametrize("first", [range(1000), range(1, 1001)])
def test_nodes_whose_ranks_are_on_the_same_cpus_are_named_together(first: range) -> None:
    each = tuple((*first, 1100 + place) for place in range(100))
    found = assign_elsewhere(WIDE, MANY, nodes(tuple(range(1200)), *each[1:]))
    assert not found.lacking
    assert len(found.assignments) == 99
    assert len({one.assignment for one in found.assignments}) == 1

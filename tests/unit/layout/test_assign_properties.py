"""What holds for every layout on every machine."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.layout.assign import assign, even_shares
from machmeter.layout.errors import LayoutError
from machmeter.model.layout import Binding, Layout
from machmeter.model.machine import Topology
from tests.support.assigned_cpus import boards_of_teams, flat
from tests.support.sysfs_tree import Shape


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    return Shape(*(draw(st.integers(1, most)) for most in (3, 3, 5, 2)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Layout, Topology]:
    topology = draw(shapes()).topology()
    numbers = [cpu.number for cpu in topology.cpus]
    off = draw(st.sets(st.sampled_from(numbers), max_size=len(numbers) - 1))
    banned = draw(st.sets(st.sampled_from(numbers), max_size=len(numbers) - 1))
    weak = draw(st.sets(st.sampled_from(numbers)))
    cpus = tuple(
        replace(c, online=c.number not in off, allowed=c.number not in banned, kind=c.core in weak)
        for c in topology.cpus
    )
    layout = Layout(
        ranks_per_node=draw(st.integers(1, 6)),
        threads_per_rank=draw(st.integers(1, 6)),
        smt=draw(st.integers(1, 2)),
        reserved_cores=draw(st.integers(0, 3)),
        inner_threads=draw(st.integers(1, 4)),
        binding=draw(st.sampled_from([Binding.CLOSE, Binding.SPREAD])),
        oversubscribe=draw(st.booleans()),
    )
    return layout, replace(topology, cpus=cpus)


@settings(deadline=None)
@given(cases())
def test_what_holds_for_every_layout(case: tuple[Layout, Topology]) -> None:
    layout, topology = case
    try:
        found = assign(layout, topology)
    except LayoutError:
        cores: Counter[int] = Counter(cpu.core for cpu in topology.usable)
        room = sum(min(n, layout.smt) for n in cores.values())
        lost = layout.reserved_cores * layout.smt
        impossible = layout.smt > max(cores.values(), default=0) or layout.reserved_cores >= len(
            cores
        )
        assert impossible or (layout.threads > room - lost and not layout.oversubscribe), (
            "an error only where something is lacking"
        )
        return
    cpus = flat(found)
    by_number = {cpu.number: cpu for cpu in topology.usable}
    assert len(found.cpus) == layout.ranks_per_node
    assert {len(rank) for rank in found.cpus} == {layout.cpus_per_rank}
    assert set(cpus) <= set(by_number), "only usable CPUs"
    used = {by_number[cpu].core for cpu in cpus}
    assert len(used) <= len(topology.usable_cores) - layout.reserved_cores
    per_core = Counter(by_number[cpu].core for cpu in set(cpus))
    assert max(per_core.values()) <= layout.smt
    counts = Counter(cpus)
    if not layout.oversubscribe:
        assert max(counts.values()) == 1
    if max(counts.values()) > 1:
        assert max(counts.values()) - min(counts.values()) <= 1
    assert assign(layout, topology) == found, "deterministic"


@settings(deadline=None)
@given(cases())
def test_outer_only_is_spread_with_the_cpus_of_each_team_pooled(
    case: tuple[Layout, Topology],
) -> None:
    layout, topology = case
    try:
        spread = assign(replace(layout, binding=Binding.SPREAD), topology)
    except LayoutError:
        return
    outer = assign(replace(layout, binding=Binding.OUTER), topology)
    inner = layout.inner_threads
    for own, pooled in zip(spread.cpus, outer.cpus, strict=True):
        for thread, cpus in enumerate(pooled):
            first = thread - thread % inner
            team = {cpu for single in own[first : first + inner] for cpu in single}
            assert set(cpus) == team
            assert len(cpus) == len(team), "each CPU once"


@settings(deadline=None)
@given(shapes(), st.integers(1, 9), st.integers(1, 5))
def test_an_inner_team_that_fits_into_a_domain_is_in_one(
    shape: Shape, outer: int, inner: int
) -> None:
    domains = shape.packages * shape.domains
    if domains * (shape.cores // inner) < outer:
        return
    layout = Layout(threads_per_rank=outer, inner_threads=inner, binding=Binding.SPREAD)
    boards = boards_of_teams(layout, shape.topology())
    assert all(len(board) == 1 for board in boards)
    load = Counter(board for (board,) in boards)
    everywhere = [load[domain] for domain in range(domains)]
    assert max(everywhere) - min(everywhere) <= 1


@settings(deadline=None)
@given(shapes(), st.integers(1, 12), st.integers(1, 5))
def test_spread_is_even_over_equal_domains(shape: Shape, ranks: int, threads: int) -> None:
    topology = shape.topology()
    layout = Layout(ranks_per_node=ranks, threads_per_rank=threads, binding=Binding.SPREAD)
    domains = shape.packages * shape.domains
    if ranks * threads > shape.all_cores or domains * (shape.cores // threads) < ranks:
        return
    found = assign(layout, topology)
    numa = {cpu.number: cpu.numa for cpu in topology.cpus}
    load = Counter(numa[thread[0]] for rank in found.cpus for thread in rank)
    step = threads if ranks > 1 else 1
    everywhere = [load[domain] for domain in range(domains)]
    assert max(everywhere) - min(everywhere) <= step


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.data())
def test_even_shares_fit_and_are_even(room: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, sum(room)))
    shares = even_shares(room, count)
    assert sum(shares) == count
    assert all(0 <= share <= most for share, most in zip(shares, room, strict=True))
    unfilled = [share for share, most in zip(shares, room, strict=True) if share < most]
    assert not unfilled or max(shares) - min(unfilled) <= 1

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.machine.topology.hwloc_read import read_hwloc
from machmeter.model.layout import Binding, Layout
from machmeter.model.machine import SIMULATED, NumaDomain, Topology
from tests.support.assigned_cpus import boards_of_teams, domains_of, flat
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

HWLOC = DATA / "hwloc"
BIG = Shape().topology()


def test_close_fills_neighboring_cores_without_their_siblings() -> None:
    found = assign(Layout(ranks_per_node=2, threads_per_rank=3), BIG)
    assert found.cpus == (((0,), (1,), (2,)), ((3,), (4,), (5,)))


def test_close_with_smt_uses_the_siblings_of_a_core_together() -> None:
    assert flat(assign(Layout(threads_per_rank=4, smt=2), BIG)) == [0, 64, 1, 65]


def test_close_fills_a_cache_before_it_crosses_to_the_next_with_interleaved_numbers() -> None:
    topology = Shape(packages=2, domains=1, cores=4, smt=1).topology()
    renumber = {cpu.number: 2 * (cpu.number % 4) + cpu.package for cpu in topology.cpus}
    topology = Topology(
        tuple(replace(c, number=renumber[c.number], core=renumber[c.core]) for c in topology.cpus),
        tuple(replace(c, cpus=tuple(renumber[n] for n in c.cpus)) for c in topology.caches),
        tuple(replace(d, cpus=tuple(renumber[n] for n in d.cpus)) for d in topology.domains),
    )
    assert flat(assign(Layout(threads_per_rank=6), topology)) == [0, 2, 4, 6, 1, 3]


def test_spread_shares_ranks_over_packages_and_domains() -> None:
    found = assign(Layout(ranks_per_node=8, threads_per_rank=4, binding=Binding.SPREAD), BIG)
    assert [domains_of([t[0] for t in rank], BIG) for rank in found.cpus] == [
        [rank] * 4 for rank in range(8)
    ]


def test_spread_takes_one_rank_to_each_package_first() -> None:
    found = assign(Layout(ranks_per_node=2, binding=Binding.SPREAD), BIG)
    assert domains_of(flat(found), BIG) == [0, 4]


def test_spread_of_one_rank_spreads_its_threads() -> None:
    found = flat(assign(Layout(threads_per_rank=16, binding=Binding.SPREAD), BIG))
    assert Counter(domains_of(found, BIG)) == dict.fromkeys(range(8), 2)
    assert found[:2] == [0, 4], "evenly inside a domain too"


def test_spread_over_thirteen_boards() -> None:
    topology = read_hwloc(HWLOC / "thirteen_boards.xml")
    found = flat(assign(Layout(threads_per_rank=13, binding=Binding.SPREAD), topology))
    assert domains_of(found, topology) == list(range(13))
    nested = assign(Layout(ranks_per_node=13, threads_per_rank=8, binding=Binding.SPREAD), topology)
    assert [{d for t in rank for d in domains_of(list(t), topology)} for rank in nested.cpus] == [
        {board} for board in range(13)
    ]


def test_ranks_too_large_for_a_domain_straddle_it() -> None:
    topology = Shape(packages=2, domains=1, cores=8, smt=1).topology()
    found = assign(Layout(ranks_per_node=3, threads_per_rank=5, binding=Binding.SPREAD), topology)
    assert flat(found) == list(range(15))


def test_no_binding_gives_empty_tuples() -> None:
    found = assign(Layout(ranks_per_node=2, threads_per_rank=2, binding=Binding.NONE), BIG)
    assert found.cpus == (((), ()), ((), ()))


def test_thirteen_boards_hold_one_inner_team_each() -> None:
    topology = read_hwloc(HWLOC / "thirteen_boards.xml")
    layout = Layout(threads_per_rank=13, inner_threads=8, binding=Binding.SPREAD)
    assert boards_of_teams(layout, topology) == [{board} for board in range(13)]
    assert boards_of_teams(replace(layout, binding=Binding.OUTER), topology) == [
        {board} for board in range(13)
    ]


def boards_with_packages_numbered_in_turn(*, domain_of_board: bool) -> Topology:
    """13 boards of two packages of 4 cores: board b holds packages b and b + 13.

    A board is one NUMA domain, or a package is one, nearer to that of its board than to others.
    """
    topology = Shape(packages=26, domains=1, cores=4, smt=1).topology()
    if domain_of_board:
        cpus = tuple(replace(cpu, numa=cpu.package % 13) for cpu in topology.cpus)
        members = [tuple(c.number for c in cpus if c.numa == board) for board in range(13)]
        domains = tuple(NumaDomain(board, held, 2**36) for board, held in enumerate(members))
        return replace(topology, cpus=cpus, domains=domains)
    domains = tuple(
        replace(
            domain,
            distances=tuple(
                10 if other == domain.number else 20 if (other - domain.number) % 13 == 0 else 254
                for other in range(26)
            ),
        )
        for domain in topology.domains
    )
    return replace(topology, domains=domains)


@pytest.mark.parametrize("domain_of_board", [True, False])
def test_teams_stay_on_one_board_however_packages_are_numbered(domain_of_board: bool) -> None:
    topology = boards_with_packages_numbered_in_turn(domain_of_board=domain_of_board)
    board_of = {cpu.number: cpu.package % 13 for cpu in topology.cpus}
    layout = Layout(threads_per_rank=13, inner_threads=8, binding=Binding.SPREAD)
    found = flat(assign(layout, topology))
    teams = [{board_of[cpu] for cpu in found[start : start + 8]} for start in range(0, 104, 8)]
    assert teams == [{board} for board in range(13)]
    close = flat(assign(Layout(threads_per_rank=104), topology))
    assert [board_of[cpu] for cpu in close] == [board for board in range(13) for _ in range(8)]
    one_each = flat(assign(Layout(threads_per_rank=13, binding=Binding.SPREAD), topology))
    assert [board_of[cpu] for cpu in one_each] == list(range(13))


def test_inner_teams_stay_together_inside_domains_and_packages() -> None:
    spread = Layout(threads_per_rank=4, inner_threads=4, binding=Binding.SPREAD)
    assert boards_of_teams(spread, BIG) == [{0}, {2}, {4}, {6}]
    assert flat(assign(spread, BIG))[:5] == [0, 1, 2, 3, 16]
    wide = replace(spread, threads_per_rank=2, inner_threads=32)
    assert boards_of_teams(wide, BIG) == [{0, 1, 2, 3}, {4, 5, 6, 7}]


def test_close_fills_inner_teams_in_order() -> None:
    layout = Layout(threads_per_rank=3, inner_threads=4)
    assert flat(assign(layout, BIG)) == list(range(12))


def test_outer_only_gives_every_thread_the_cpus_of_its_team() -> None:
    layout = Layout(threads_per_rank=2, inner_threads=2, binding=Binding.OUTER)
    assert assign(layout, BIG).cpus == (((0, 1), (0, 1), (32, 33), (32, 33)),)
    two = Shape(packages=1, domains=1, cores=2, smt=1).topology()
    wrapped = replace(layout, inner_threads=3, oversubscribe=True)
    assert assign(wrapped, two).cpus == (((0, 1),) * 3 + ((1, 0),) * 3,)


def test_inner_teams_of_several_ranks_stay_in_their_rank() -> None:
    layout = Layout(ranks_per_node=8, threads_per_rank=2, inner_threads=4, binding=Binding.SPREAD)
    found = assign(layout, BIG)
    assert [set(domains_of([t[0] for t in rank], BIG)) for rank in found.cpus] == [
        {domain} for domain in range(8)
    ]


def test_unbound_inner_threads_have_entries_of_their_own() -> None:
    layout = Layout(threads_per_rank=2, inner_threads=3, binding=Binding.NONE)
    assert assign(layout, BIG).cpus == (((),) * 6,)


def test_most_capable_cores_come_first_then_the_rest() -> None:
    small = Shape(packages=1, domains=1, cores=8, smt=1).topology()
    mixed = replace(
        small, cpus=tuple(replace(c, kind=0 if c.number >= 6 else 1) for c in small.cpus)
    )
    assert flat(assign(Layout(threads_per_rank=3), mixed)) == [6, 7, 0]
    spread = flat(assign(Layout(threads_per_rank=4, binding=Binding.SPREAD), mixed))
    assert sorted(spread) == [0, 3, 6, 7]


def test_reserved_cores_are_the_last_of_each_domain_in_turn() -> None:
    found = flat(assign(Layout(threads_per_rank=54, reserved_cores=10), BIG))
    idle = sorted(set(range(64)) - set(found))
    assert idle == [6, 7, 14, 15, 23, 31, 39, 47, 55, 63]


def test_first_usable_hardware_thread_is_taken_where_the_first_is_not_allowed() -> None:
    narrowed = replace(
        BIG, cpus=tuple(replace(c, allowed=c.number in (64, 1, 65)) for c in BIG.cpus)
    )
    assert flat(assign(Layout(threads_per_rank=2), narrowed)) == [64, 1]


def test_oversubscription_wraps_around() -> None:
    two = Shape(packages=1, domains=1, cores=2, smt=1).topology()
    layout = Layout(ranks_per_node=5, oversubscribe=True)
    assert flat(assign(layout, two)) == [0, 1, 0, 1, 0]
    assert flat(assign(replace(layout, binding=Binding.SPREAD), two)) == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (
            Layout(ranks_per_node=4, threads_per_rank=2),
            "4 ranks x 2 threads need 8 cores; this machine lets machmeter use 2: "
            "ask for fewer or pass --oversubscribe",
        ),
        (Layout(threads_per_rank=4, binding=Binding.NONE), "need 4 cores"),
        (Layout(threads_per_rank=2, reserved_cores=1), "use 1 beside 1 reserved"),
        (Layout(smt=2), "pass --smt 1"),
        (Layout(reserved_cores=2), "reserve at most 1"),
        (
            Layout(threads_per_rank=2, inner_threads=2),
            "1 rank x 2 threads x 2 inner threads need 4 cores; this machine lets machmeter use 2:",
        ),
        (Layout(threads_per_rank=0), "at least 1"),
        (Layout(inner_threads=0), "0 inner threads"),
        (Layout(reserved_cores=-1), "-1 reserved"),
    ],
)
def test_what_is_lacking_is_named(layout: Layout, words: str) -> None:
    two = Shape(packages=1, domains=1, cores=2, smt=1).topology()
    with pytest.raises(LayoutError) as caught:
        assign(layout, two)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (
            Layout(ranks_per_node=2, reserved_cores=1),
            "2 ranks x 1 thread need 2 cores; a node of the model has 1 beside 1 reserved: ask for "
            "fewer or share them out over more nodes (--nodes)",
        ),
        (
            Layout(smt=2),
            "2 hardware threads of each core were requested; the cores of the model offer 1: pass "
            "--smt 1",
        ),
    ],
)
def test_a_model_is_advised_nothing_that_only_a_real_machine_can_do(
    layout: Layout, words: str
) -> None:
    two = Shape(packages=1, domains=1, cores=2, smt=1).topology()
    with pytest.raises(LayoutError) as caught:
        assign(layout, replace(two, source=SIMULATED))
    assert str(caught.value) == words


def test_idle_siblings_are_offered_as_a_remedy() -> None:
    one = Shape(packages=1, domains=1, cores=1, smt=2).topology()
    with pytest.raises(LayoutError, match="pass --smt 2 or pass --oversubscribe"):
        assign(Layout(threads_per_rank=2), one)


def test_no_usable_cpu_is_an_error() -> None:
    none = replace(BIG, cpus=tuple(replace(c, allowed=False) for c in BIG.cpus))
    with pytest.raises(LayoutError, match="no CPU at all"):
        assign(Layout(), none)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.layout.places import (
    Ancestor,
    common_ancestors,
    domain_pairs,
    ordered_pairs,
    places,
    unordered_pairs,
)
from machmeter.model.machine import Cache, NumaDomain, Topology
from tests.support.sysfs_tree import Shape


def with_distances(topology: Topology, distance: Callable[[int, int], int]) -> Topology:
    """`topology` whose firmware tells `distance(a, b)` between domains, 10 within one."""
    numbers = [domain.number for domain in topology.domains]
    rows = {
        one: tuple(10 if one == other else distance(one, other) for other in numbers)
        for one in numbers
    }
    domains = tuple(replace(domain, distances=rows[domain.number]) for domain in topology.domains)
    return replace(topology, domains=domains)


def two_packages_with_cache_groups() -> Topology:
    """2 packages x 2 NUMA domains x 2 groups of 4 cores with an L3 each; 2 hardware threads."""
    shape = Shape(packages=2, domains=2, cores=8, smt=2)
    topology = with_distances(shape.topology(), lambda a, b: 12 if a // 2 == b // 2 else 32)
    private = tuple(cache for cache in topology.caches if cache.level < 3)
    groups = tuple(
        Cache(
            3,
            "unified",
            16 * 2**20,
            64,
            tuple(cpu.number for cpu in topology.cpus if cpu.core // 4 == group),
        )
        for group in range(8)
    )
    return replace(topology, caches=private + groups)


def virtual_smp() -> Topology:
    """16 boards of 2 packages with a NUMA domain and 4 cores each, joined by software."""
    topology = Shape(packages=32, domains=1, cores=4, smt=1).topology()
    return with_distances(topology, lambda a, b: 20 if a // 2 == b // 2 else 254)


CACHE_GROUPS = two_packages_with_cache_groups()
BOARDS = virtual_smp()
LAPTOP = Shape(packages=1, domains=1, cores=2, smt=1).topology()


def common_ancestor(topology: Topology, a: int, b: int) -> Ancestor:
    """Of one pair."""
    return common_ancestors(topology, [(a, b)])[a, b]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (0, "same CPU"),
        (32, "same core"),
        (3, "same L3"),
        (4, "same NUMA domain"),
        (8, "same package, distance 12"),
        (16, "same machine, distance 32"),
        (31 + 32, "same machine, distance 32"),
    ],
)
def test_the_closest_shared_thing_on_two_packages(other: int, expected: str) -> None:
    assert str(common_ancestor(CACHE_GROUPS, 0, other)) == expected
    assert str(common_ancestor(CACHE_GROUPS, other, 0)) == expected


def test_boards_of_a_virtual_smp_show_in_its_distances() -> None:
    found = common_ancestors(BOARDS, [(0, 1), (0, 4), (4, 0), (0, 8), (127, 120), (127, 119)])
    assert [str(ancestor) for ancestor in found.values()] == [
        "same L3",
        "same board, distance 20",
        "same board, distance 20",
        "same machine, distance 254",
        "same board, distance 20",
        "same machine, distance 254",
    ]


def test_without_distances_there_are_no_boards() -> None:
    silent = Shape(packages=32, domains=1, cores=4, smt=1).topology()
    assert str(common_ancestor(silent, 0, 4)) == "same machine"


def test_domains_of_one_package_are_no_board() -> None:
    topology = with_distances(
        Shape(packages=1, domains=4, cores=2, smt=1).topology(),
        lambda a, b: 11 if a // 2 == b // 2 else 12,
    )
    assert str(common_ancestor(topology, 0, 2)) == "same package, distance 11"
    assert str(common_ancestor(topology, 0, 4)) == "same package, distance 12"


def test_a_ring_of_packages_has_no_boards() -> None:
    ring = with_distances(
        Shape(packages=4, domains=1, cores=2, smt=1).topology(),
        lambda a, b: 16 if abs(a - b) in (1, 3) else 22,
    )
    assert {str(common_ancestor(ring, 0, cpu)) for cpu in (2, 4, 6)} == {
        "same machine, distance 16",
        "same machine, distance 22",
    }


def test_boards_of_four_packages_are_found_within_a_machine_of_eight() -> None:
    eight = with_distances(
        Shape(packages=8, domains=1, cores=1, smt=1).topology(),
        lambda a, b: (15 if abs(a - b) < 3 else 17) if a // 4 == b // 4 else 40,
    )
    kinds = [common_ancestor(eight, 0, cpu).kind for cpu in range(8)]
    assert kinds == ["same CPU"] + ["same board"] * 3 + ["same machine"] * 4


def test_a_cache_that_spans_domains_is_named_only_across_them() -> None:
    topology = Shape(packages=1, domains=2, cores=2, smt=1).topology()
    spanning = Cache(3, "unified", 2**25, 64, tuple(range(4)))
    private = tuple(cache for cache in topology.caches if cache.level < 3)
    topology = replace(topology, caches=(*private, spanning))
    assert common_ancestor(topology, 0, 1).kind == "same NUMA domain"
    assert common_ancestor(topology, 0, 2).kind == "same L3"


def test_ancestors_sort_from_the_inside_outwards() -> None:
    found = [common_ancestor(CACHE_GROUPS, 0, other) for other in (16, 8, 4, 3, 32, 0)]
    assert sorted(found, key=lambda one: one.nearness) == found[::-1]


def test_a_cpu_that_does_not_exist_is_told() -> None:
    with pytest.raises(ValueError, match="no CPU 7: its CPUs are 0, 1"):
        common_ancestor(LAPTOP, 0, 7)


def test_places_are_the_first_usable_hardware_threads() -> None:
    cpus = tuple(
        replace(cpu, allowed=cpu.number != 1, online=cpu.number not in (2, 34))
        for cpu in CACHE_GROUPS.cpus
    )
    found = places(replace(CACHE_GROUPS, cpus=cpus))
    assert sorted(found) == [0, *range(3, 32), 33]


def test_a_small_machine_is_covered_whole() -> None:
    assert ordered_pairs(LAPTOP, 64) == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert unordered_pairs(LAPTOP, 64) == ((0, 1),)
    assert domain_pairs(LAPTOP, 64) == ((0, 0),)


def test_one_core_has_no_pair_of_two() -> None:
    alone = Shape(packages=1, domains=1, cores=1, smt=2).topology()
    assert ordered_pairs(alone, 8) == ((0, 0),)
    assert unordered_pairs(alone, 8) == ()


@pytest.mark.parametrize(
    ("topology", "kinds"), [(CACHE_GROUPS, 5), (BOARDS, 4)], ids=["cache groups", "boards"]
)
def test_samples_give_every_kind_of_ancestor_the_same_share(topology: Topology, kinds: int) -> None:
    for pairs, sorts in (
        (ordered_pairs(topology, 60), kinds),
        (unordered_pairs(topology, 60), kinds - 1),
    ):
        counts = Counter(common_ancestors(topology, pairs).values())
        assert len(counts) == sorts
        assert set(counts.values()) == {60 // sorts}


def test_a_sample_reaches_all_over_the_machine() -> None:
    pairs = ordered_pairs(BOARDS, 128)
    for end in (0, 1):
        assert len({pair[end] // 8 for pair in pairs}) == 16
    assert any(a > b for a, b in pairs) and any(a < b for a, b in pairs)


def test_a_thousand_cores_and_an_odd_one_are_all_represented() -> None:
    """One core without the others' last level cache is met, wherever the even steps fall."""
    topology = with_distances(
        Shape(packages=32, domains=1, cores=32, smt=1).topology(),
        lambda a, b: 20 if a // 2 == b // 2 else 254,
    )
    caches = tuple(
        replace(cache, cpus=tuple(cpu for cpu in cache.cpus if cpu != 331))
        for cache in topology.caches
    )
    topology = replace(topology, caches=caches)
    kinds = {
        ancestor.kind
        for ancestor in common_ancestors(topology, ordered_pairs(topology, 100)).values()
    }
    assert "same NUMA domain" in kinds
    assert len(kinds) == 5


def test_memory_without_cpus_is_visited_and_cpus_without_memory_visit() -> None:
    topology = Shape(packages=2, domains=1, cores=2, smt=1).topology()
    bare = replace(topology.domains[1], memory_bytes=0)
    expander = NumaDomain(2, (), 2**38)
    topology = replace(topology, domains=(topology.domains[0], bare, expander))
    assert domain_pairs(topology, 64) == ((0, 0), (0, 2), (1, 0), (1, 2))


def test_domains_without_a_usable_cpu_do_not_visit() -> None:
    topology = Shape(packages=2, domains=1, cores=2, smt=1).topology()
    cpus = tuple(replace(cpu, allowed=cpu.numa == 1) for cpu in topology.cpus)
    assert domain_pairs(replace(topology, cpus=cpus), 64) == ((1, 0), (1, 1))


def test_sampled_domains_keep_every_distance() -> None:
    pairs = domain_pairs(BOARDS, 30)
    sorts = Counter((a != b) + (a // 2 != b // 2) for a, b in pairs)
    assert sorts == {0: 10, 1: 10, 2: 10}


shapes = st.builds(
    Shape,
    packages=st.integers(1, 5),
    domains=st.integers(1, 3),
    cores=st.integers(1, 5),
    smt=st.integers(1, 2),
)


@given(shape=shapes, most=st.integers(1, 200), allowed=st.sets(st.integers(0, 149), min_size=1))
def test_samples_are_usable_pairs_without_repetition(
    shape: Shape, most: int, allowed: set[int]
) -> None:
    topology = shape.topology()
    cpus = tuple(replace(cpu, allowed=cpu.number in allowed) for cpu in topology.cpus)
    topology = replace(topology, cpus=cpus)
    everywhere = places(topology)
    ordered = ordered_pairs(topology, most)
    unordered = unordered_pairs(topology, most)
    assert len(set(ordered)) == len(ordered) == min(most, len(everywhere) ** 2)
    pairs = len(everywhere) * (len(everywhere) - 1) // 2
    assert len(set(unordered)) == len(unordered) == min(most, pairs)
    assert {cpu for pair in ordered + unordered for cpu in pair} <= set(everywhere)
    assert not {(b, a) for a, b in unordered} & set(unordered)


@given(shape=shapes, data=st.data())
def test_what_two_cpus_share_does_not_depend_on_their_order(
    shape: Shape, data: st.DataObject
) -> None:
    topology = shape.topology()
    numbers = st.sampled_from([cpu.number for cpu in topology.cpus])
    a, b = data.draw(numbers), data.draw(numbers)
    assert common_ancestor(topology, a, b) == common_ancestor(topology, b, a)
    assert (common_ancestor(topology, a, b).kind == "same CPU") == (a == b)

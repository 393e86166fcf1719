"""Where the time of a program went, by what the wrapper saw of its ranks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.observation import ObservedRank, ObservedTree
from machmeter.run.results.resource_use import LaunchUse, launch_use, resource_use

TWO_BY_ONE = Layout(ranks_per_node=2)


@dataclass(frozen=True)
class Seen:
    """What a rank used in two seconds."""

    user: float = 1.5
    system: float = 0.5
    peak: int = 100
    together: int = 80
    samples: int = 6


def rank(seen: Seen, cpus: tuple[int, ...] = (0,)) -> ObservedRank:
    tree = ObservedTree(seen.samples, 1, seen.together, (), 4096, 8192, (), ())
    return ObservedRank(
        "node", True, 2.0, seen.user, seen.system, seen.peak, 0, 0, 7, 3, 0, cpus, 2.0, tree
    )


def used(layout: Layout, *ranks: ObservedRank) -> LaunchUse:
    found = launch_use(layout, ranks)
    assert found is not None
    return found


def test_a_launch_uses_what_its_ranks_use_together() -> None:
    found = used(TWO_BY_ONE, rank(Seen()), rank(Seen(user=0.5, together=150), (1,)))
    assert found == LaunchUse(3.0 / 4.0, 1.0 / 3.0, 250, 14, 6, (8192, 16384))


@pytest.mark.parametrize(
    ("layout", "cpus", "share"),
    [
        (Layout(), (0,), 1.0),
        (Layout(binding=Binding.NONE), (0, 1, 2, 3), 1.0),
        (Layout(threads_per_rank=2, binding=Binding.NONE), (0, 1, 2, 3), 0.5),
        (Layout(threads_per_rank=4, oversubscribe=True), (0, 1), 0.5),
        (Layout(binding=Binding.DEFAULT), (0, 1, 2, 3), 0.25),
    ],
)
def test_cpus_are_as_many_as_threads_or_all_where_nothing_is_set(
    layout: Layout, cpus: tuple[int, ...], share: float
) -> None:
    assert used(layout, rank(Seen(), cpus)).cpu_share == share


def test_a_launch_without_the_totals_of_every_rank_says_nothing() -> None:
    both = (rank(Seen()), rank(Seen(), (1,)))
    assert launch_use(TWO_BY_ONE, both[:1]) is None
    assert launch_use(TWO_BY_ONE, (both[0], replace(both[1], ended=False))) is None
    assert launch_use(TWO_BY_ONE, ()) is None


def test_a_short_launch_has_totals_alone() -> None:
    found = used(Layout(), rank(Seen(user=0.01, system=0.02, samples=1)))
    assert found.storage is None
    assert found.system_share is None
    assert found.peak_bytes == 100


def test_a_layout_has_the_medians_of_its_launches() -> None:
    shares = (0.9, 0.1, 0.8)
    uses = [LaunchUse(s, s / 2, round(100 * s), 4, 2, (10, round(100 * s))) for s in shares]
    found = resource_use("spec", uses)
    assert (found.cpu_share, found.system_share, found.peak_bytes) == (0.8, 0.4, 80.0)
    assert (found.read_bytes, found.written_bytes) == (10.0, 80.0)
    assert (found.launches, found.sampled) == (3, 3)


def test_what_only_some_launches_tell_is_of_these() -> None:
    whole = LaunchUse(0.5, 0.25, 100, 4, 2, (10, 20))
    short = replace(whole, system_share=None, storage=None)
    mixed = resource_use("spec", [whole, short, short])
    assert (mixed.launches, mixed.sampled, mixed.system_share) == (3, 1, 0.25)
    nothing = resource_use("spec", [short])
    assert (nothing.system_share, nothing.read_bytes, nothing.written_bytes) == (None, None, None)

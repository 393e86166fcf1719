"""`--with NAME=VALUE`: what it changes, and what is refused."""

from __future__ import annotations

import pytest

from machmeter.model.errors import UsageError
from machmeter.model.twin import TwinBasis
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.change import changed

HOPPER = find_twin("hopper")
LINKS = {f"network.link.bandwidth_{axis}" for axis in "xyz"}


@pytest.mark.parametrize(
    ("change", "factors"),
    [
        ("network.hop_latency=2x", {"network.hop_latency": 2}),
        ("network.hop_latency = 52.5 ns", {"network.hop_latency": 0.5}),
        ("network.link.bandwidth=0.5x", dict.fromkeys(LINKS, 0.5)),
        ("network.link=2x", dict.fromkeys(LINKS, 2)),
        ("network.link.bandwidth_x=11.74GB/s", {"network.link.bandwidth_x": 2}),
        ("network.eager_limit=8 KiB", {"network.eager_limit": 0.5}),
        ("network.nodes_per_router=2x", {"network.nodes_per_router": 2}),
    ],
)
def test_only_what_is_named_changes_and_says_so(change: str, factors: dict[str, float]) -> None:
    twin = changed(HOPPER, [change])
    assert [one.name for one in twin.parameters] == [one.name for one in HOPPER.parameters]
    for before, after in zip(HOPPER.parameters, twin.parameters, strict=True):
        if before.name not in factors:
            assert after == before
            continue
        assert after.value == pytest.approx(before.value * factors[before.name], rel=1e-12)
        assert after.changed
        assert after.basis is TwinBasis.ASSUMED
        assert after.reason.startswith(f"--with {change}")


def test_no_change_leaves_the_twin_as_it_is() -> None:
    assert changed(HOPPER, ()) == HOPPER


def test_several_changes_are_made_together() -> None:
    twin = changed(HOPPER, ("network.link.bandwidth=2x", "network.hop_latency=50ns"))
    assert sum(one.changed for one in twin.parameters) == 4


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (["network.hop_latencie=2x"], "network.hop_latency"),
        (["=2x"], "NAME=VALUE"),
        (["network.hop_latency"], "NAME=VALUE"),
        (["network.hop_latency="], "NAME=VALUE"),
        (["network.hop_latency=2"], "such as"),
        (["network.hop_latency=2 GB/s"], "such as"),
        (["network.hop_latency=-2x"], "such as"),
        (["network.hop_latency=1000000000x"], "from"),
        (["network.link.bandwidth=0x"], "from"),
        (["network.duplex_share=2x"], "from"),
        (["network.nodes_per_router=0.75x"], "whole"),
        (["network.nodes_per_router=0.5x"], "enlarge"),
        (["network=2x"], "network.hop_latency"),
        (["network.link.bandwidth_global=2x"], "network.link.bandwidth_x"),
        (["network.link=2x", "network.link.bandwidth_x=3x"], "one of the two"),
    ],
)
def test_what_cannot_be_changed_is_refused(changes: list[str], named: str) -> None:
    with pytest.raises(UsageError) as error:
        changed(HOPPER, changes)
    assert named in f"{error.value.message} {error.value.remedy}"
    assert error.value.message.startswith("--with")
    assert error.value.remedy

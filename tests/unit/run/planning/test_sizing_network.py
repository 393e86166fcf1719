"""Message sizes that go on until bandwidth is flat."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from machmeter.benchmarks.catalogue import find
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.run import Plan, Precision
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.planning.sizing_network import (
    LARGEST_PROBED,
    choose_message_sizes,
    message_sizing_spec,
    needs_message_sizes,
)
from tests.support.fake_launcher import synthetic_machine

KIB, MIB = 2**10, 2**20


def curve(half_bytes: float) -> list[tuple[int, float]]:
    """Bandwidth of a link that reaches half of its 10 GB/s at `half_bytes`."""
    sizes = [64 * KIB * 2**step for step in range(11)]
    return [(size, 10e9 * size / (size + half_bytes)) for size in sizes]


def study(*experiments: Experiment) -> Study:
    return Study("made-up", "", "", experiments)


def test_a_curve_that_is_flat_early_ends_early() -> None:
    chosen = choose_message_sizes(curve(4 * KIB))
    assert chosen.sizes[-1] == 512 * KIB
    assert "beyond messages of 256 KiB" in chosen.note


def test_a_curve_that_still_rises_goes_to_the_end_and_says_so() -> None:
    chosen = choose_message_sizes(curve(32 * MIB))
    assert chosen.sizes[-1] == LARGEST_PROBED
    assert "still rises at messages of 64 MiB" in chosen.note


def test_without_a_measurement_the_sweep_ends_at_four_mebibytes() -> None:
    assert choose_message_sizes(()).sizes[-1] == 4 * MIB
    assert "no sizing launch" in choose_message_sizes(()).note


@given(st.floats(1, 2**30))
def test_sizes_rise_from_one_byte_to_the_end(half_bytes: float) -> None:
    sizes = choose_message_sizes(curve(half_bytes)).sizes
    assert sizes[0] == 1
    assert list(sizes) == sorted(set(sizes))
    assert all(larger <= 4 * smaller for smaller, larger in pairwise(sizes))


def test_sizing_is_needed_only_where_sizes_are_left_to_auto() -> None:
    assert needs_message_sizes(study(Experiment("network.bandwidth")))
    assert not needs_message_sizes(study(Experiment("network.bandwidth", {"size": (8,)})))
    assert not needs_message_sizes(study(Experiment("memory.stream")))


def test_a_dip_where_a_protocol_begins_is_no_end() -> None:
    rates = (7.0, 5.0, 8.0, 10.0, 11.5, 12.0, 12.1)
    measured = [(64 * KIB * 2**step, rate * 1e9) for step, rate in enumerate(rates)]
    chosen = choose_message_sizes(measured)
    assert chosen.sizes[-1] == 4 * MIB
    assert "beyond messages of 2 MiB" in chosen.note


def plan_of(wish: LayoutOptions, *experiments: Experiment) -> Plan:
    asked = study(*experiments)
    return make_plan(asked, synthetic_machine(), wish, Precision(), NO_SIZES)


def test_the_sizing_launch_has_the_layout_of_the_curve_with_the_most_nodes() -> None:
    curve_of = Experiment("network.bandwidth")
    alone = message_sizing_spec(plan_of(LayoutOptions(), curve_of))
    assert alone is not None
    assert (alone.layout.nodes, alone.layout.ranks_per_node) == (1, 2)
    wish = LayoutOptions(hosts=("a", "b", "c"), mpis=("openmpi", "x"), reserved_cores=0)
    apart = message_sizing_spec(plan_of(wish, curve_of))
    assert apart is not None
    assert (apart.layout.nodes, apart.layout.ranks_per_node) == (2, 1)
    assert apart.variant.mpi == "openmpi"
    names = {parameter.name for parameter in find("network.bandwidth").parameters}
    assert all(set(dict(point.parameters)) == names for point in alone.points)


def test_without_a_bandwidth_curve_nothing_is_sized() -> None:
    assert message_sizing_spec(plan_of(LayoutOptions(), Experiment("network.latency"))) is None

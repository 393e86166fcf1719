"""Which curves of a run have protocols."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.variant import Variant
from machmeter.run.results.protocol_curves import protocol_curves
from tests.support.made_up.estimates import made_up

PAIR = Layout(ranks_per_node=2)
SIZES = tuple(4**power for power in range(12))


def curve(
    benchmark: str, metric: str, layout: Layout, sizes: tuple[int, ...], pattern: str = "ping-pong"
) -> list[Estimate]:
    found = []
    for size in sizes:
        parameters: dict[str, Value] = {"size": size, "pattern": pattern}
        made = made_up(benchmark, parameters, layout, metric, 1e-6 + 1e-10 * size)
        found.append(replace(made, launch_numbers=made.rounds))
    return found


def test_every_curve_of_time_over_size_has_its_own_regions() -> None:
    estimates = (
        curve("network.latency", "latency", PAIR, SIZES)
        + curve("network.latency", "latency", PAIR, SIZES, "ping-ping")
        + [
            replace(one, point=replace(one.point, variant=Variant("openmpi")))
            for one in curve("network.latency", "latency", PAIR, SIZES)
        ]
    )
    found = protocol_curves(estimates)
    assert len(found) == 3
    assert {one.point.get("pattern") for one in found} == {"ping-pong", "ping-ping"}
    for one in found:
        (region,) = one.regions
        assert (region.first_bytes, region.last_bytes) == (SIZES[0], SIZES[-1])


def test_few_sizes_rates_and_working_sets_have_none() -> None:
    assert protocol_curves(curve("network.latency", "latency", PAIR, SIZES[:7])) == ()
    assert protocol_curves(curve("network.bandwidth", "message_rate", PAIR, SIZES)) == ()
    assert protocol_curves(curve("memory.latency", "latency", Layout(), SIZES[4:])) == ()
    assert protocol_curves([]) == ()


def test_sizes_of_other_launches_and_rounds_make_no_curve() -> None:
    apart = [
        replace(one, launch_numbers=(100 + i,), launch_values=one.launch_values[:1], rounds=(i,))
        for i, one in enumerate(curve("network.latency", "latency", PAIR, SIZES))
    ]
    assert protocol_curves(apart) == ()

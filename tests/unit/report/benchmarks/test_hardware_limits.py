"""Results as shares of what the hardware of a made-up machine can."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.analysis.scaling.hardware import network_limit
from machmeter.benchmarks.lu import LU
from machmeter.machine.hardware.processors import known_processor
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.machine import Adapter, MemoryChannels, PcieLink
from machmeter.model.results.curves import LastCache
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.hardware_limits import hardware_lines, limit_share
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.selection import estimates_of, of_metric
from machmeter.report.benchmarks.yardsticks import yardstick_text
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.runs import run

QUICK = run("quick")
FULL = Layout(threads_per_rank=64)
OF_HARDWARE = ", of what the hardware can"
ZEN3 = known_processor("AMD EPYC 7763 64-Core Processor")
LINKS = tuple(
    Adapter(f"mlx5_{n}", "InfiniBand", 200e9, up=n < 2, slot=PcieLink(8e9, 16)) for n in range(3)
)


def on_machine(hypervisor: str = "", of: RunResult = QUICK, **parts: Any) -> RunResult:
    """A run on a machine of which more is known."""
    header = of.header
    software = replace(header.machine.software, hypervisor=hypervisor)
    machine = replace(header.machine, software=software, **parts)
    return replace(of, header=replace(header, machine=machine))


def largest(name: str, metric: str) -> Estimate:
    found = of_metric(estimates_of(QUICK, name), metric)
    return max(found, key=lambda one: (dict(one.point.parameters).get("size", 0), one.value))


def test_bandwidth_is_a_share_of_the_channels() -> None:
    triad = largest("memory.stream", "stream_bandwidth")
    seen = on_machine(processor=ZEN3, channels=MemoryChannels(16, 2933e6, "EDAC", "DMI"))
    found = limit_share(seen, triad)
    assert found is not None
    assert found.share == pytest.approx(triad.value / (16 * 2933e6 * 8))
    assert yardstick_text(seen, triad).endswith("of the memory's channels, 375 GB/s")


def test_what_was_not_read_is_that_of_the_processors_and_says_so() -> None:
    ((title, text), *_) = hardware_lines(on_machine(processor=ZEN3))
    packages = len({cpu.package for cpu in QUICK.header.machine.topology.cpus})
    assert title.startswith("Memory")
    assert f"{8 * packages} channels (not read: all that Zen 3 has)" in text
    assert "3,200 MT/s (not read: the most that Zen 3 takes)" in text
    assert title in [one.title for one in limits(on_machine(processor=ZEN3))]


def test_a_virtual_machine_may_have_a_part_of_the_memory_only() -> None:
    assert list(hardware_lines(on_machine("KVM", processor=ZEN3))) == []
    seen = MemoryChannels(8, 0.0, "EDAC")
    assert len(list(hardware_lines(on_machine("KVM", processor=ZEN3, channels=seen)))) == 1


def test_arrays_in_caches_have_no_limit() -> None:
    triad = largest("memory.stream", "stream_bandwidth")
    inside = replace(on_machine(processor=ZEN3), last_cache=LastCache(2**40, 0, 0, 0, 2**40))
    assert limit_share(inside, triad) is None


@pytest.mark.parametrize(
    ("metric", "value", "share"),
    [
        ("bandwidth_one_way", 7.875e9, 0.5),
        ("bandwidth_one_way", 23.625e9, 0.75),
        ("bandwidth_both_ways", 15.75e9, 0.5),
        ("message_rate", 1e6, None),
    ],
)
def test_messages_between_nodes_are_a_share_of_the_adapters_that_are_up(
    metric: str, value: float, share: float | None
) -> None:
    parameters: dict[str, Value] = {"size": 2**20, "window": 64, "direction": "one-way"}
    for nodes in (1, 2):
        layout = Layout(nodes=nodes, ranks_per_node=2 // nodes)
        one = made_up("network.bandwidth", parameters, layout, metric, value)
        found = limit_share(on_machine(adapters=LINKS), one)
        expected = share if nodes > 1 else None
        assert (found and found.share) == (expected and pytest.approx(expected, rel=1e-3))


def test_the_peak_is_that_of_the_clock_as_measured() -> None:
    layout = Layout(threads_per_rank=64)
    parameters: dict[str, Value] = {"width": "256-bit", "precision": "double"}
    rate = made_up("compute.fma", parameters, layout, "flops", 2.5e12)
    clock = made_up("compute.fma", parameters, layout, "clock", 2.5e9)
    seen = replace(on_machine(processor=ZEN3), estimates=(rate, clock))
    found = limit_share(seen, rate)
    assert found is not None
    assert found.share == pytest.approx(2.5e12 / (64 * 2.5e9 * 16))
    assert (
        "64 cores at 2.5 GHz as measured, 16 operations a cycle"
        in dict(hardware_lines(seen)).popitem()[1]
    )
    assert limit_share(replace(seen, estimates=(rate,)), rate) is None


def test_a_factorization_is_a_share_of_the_nominal_peak() -> None:
    rate = made_up("compute.lu", {"library": "openblas", "order": 4000}, FULL, "flops", 2e12)
    known = replace(ZEN3, nominal_clock=2.45e9) if ZEN3 else None
    found = limit_share(on_machine(processor=known), rate)
    assert found is not None
    assert found.share == pytest.approx(2e12 / (64 * 2.45e9 * 16))
    seen = replace(on_machine(processor=known), estimates=(rate,))
    assert "64 cores at 2.45 GHz nominal" in dict(hardware_lines(seen))[f"{LU.title}{OF_HARDWARE}"]
    assert limit_share(on_machine("KVM", processor=known), rate) is None
    assert limit_share(on_machine(processor=ZEN3), rate) is None
    time = made_up("compute.lu", {"library": "openblas", "order": 4000}, FULL, "time", 2.0)
    assert limit_share(on_machine(processor=known), time) is None


def test_where_a_package_may_not_be_used_memory_has_no_limit() -> None:
    topology = QUICK.header.machine.topology
    other = [replace(cpu, package=7, allowed=False) for cpu in topology.cpus]
    wider = replace(topology, cpus=(*topology.cpus, *other))
    assert list(hardware_lines(on_machine(processor=ZEN3, topology=wider))) == []


def test_ports_of_one_card_share_its_slot() -> None:
    ports = tuple(
        replace(one, up=True, bits_per_second=100e9, device="0000:01:00") for one in LINKS
    )
    limit = network_limit(on_machine(adapters=ports[:2]).header.machine)
    assert limit is not None
    assert limit.value == PcieLink(8e9, 16).bytes_per_second

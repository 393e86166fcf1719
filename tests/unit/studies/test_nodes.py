"""Study `nodes`: every node is measured by itself, at the same time."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.machine.hardware.processors import known_processor
from machmeter.model.benchmark import Direction
from machmeter.model.machine import Machine, MemoryChannels
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Plan
from machmeter.run.planning.plan import expected_launch_seconds, make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.run.results.findings import RunFacts, findings
from machmeter.run.results.node_limits import node_limits, normal_of_arithmetic
from machmeter.studies.nodes import NODES
from tests.support.fake_launcher import PRECISION
from tests.support.made_up.network_studies import TWO_PACKAGES, machine_of
from tests.support.synthetic.maker import Maker

BENCHMARKS = [f"nodes.{name}" for name in ("stream", "latency", "fma", "gemm", "sync", "noise")]
MACHINE = machine_of(TWO_PACKAGES)


def plan_over(*hosts: str, machine: Machine = MACHINE) -> Plan:
    sizes = choose_sizes(machine, ())
    return make_plan(NODES, machine, LayoutOptions(hosts=hosts), PRECISION, sizes)


def test_each_node_is_one_process_with_a_thread_on_every_core() -> None:
    specs = [one for one in plan_over("n1", "n2", "n3").specs if one.of_points]
    assert {one.benchmark for one in specs} == set(BENCHMARKS)
    for spec in specs:
        layout = spec.layout
        assert (layout.nodes, layout.ranks_per_node, layout.threads_per_rank) == (3, 1, 64)
        assert {point.get("node") for point in spec.points} == {0, 1, 2}


def test_one_node_is_measured_too() -> None:
    assert {point.get("node") for point in plan_over().points} == {0}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_more_nodes_take_no_longer_but_to_start(benchmark: str) -> None:
    def seconds(*hosts: str) -> float:
        (spec,) = (one for one in plan_over(*hosts).specs if one.benchmark == benchmark)
        return expected_launch_seconds(spec, {})

    many = seconds(*(f"n{number}" for number in range(100)))
    assert many - seconds("n0") < 5


def answers(
    hosts: tuple[str, ...],
    slow: dict[int, float],
    spread: float = 0.01,
    said: tuple[ObservedHost, ...] = (),
    machine: Machine = MACHINE,
    usual: float = 1e9,
) -> dict[str, str]:
    """By question, where nodes have that share of the speed of the others, of that usual value;
    spread: of launches; said: by hosts of themselves; machine: that the run is made from."""
    plan = plan_over(*hosts, machine=machine)
    make = Maker(7)
    estimates = []
    for point in plan.points:
        speed = slow.get(int(dict(point.parameters)["node"]), 1.0)
        for metric in find(point.benchmark).metrics:
            value = usual * (speed if metric.direction is Direction.HIGHER else 1 / speed)
            estimates.append(
                make.estimate(
                    *(point.benchmark, dict(point.parameters), point.layout),
                    *(metric.name, value, spread),
                )
            )
    found = findings(plan, machine, estimates, RunFacts(hosts, said))
    return {one.question: one.answer for one in found}


HOSTS = tuple(f"n{number}" for number in range(12))


def test_a_slow_node_is_named_by_its_host_for_every_metric() -> None:
    found = answers(HOSTS, {7: 0.8})
    assert len(found) == len(NODES.questions)
    for answer in found.values():
        assert answer.startswith("no, n7 1.2"), answer
        assert "measure these nodes again" in answer
        assert "n8" not in answer


def test_what_slow_nodes_share_is_said_with_how_many_others_have_it() -> None:
    names = tuple(f"r{node // 8}c1n{node % 8}" for node in range(64))
    slow = dict.fromkeys((16, 17, 18, 40), 0.8)
    old = {16, 17, 18, 50}
    said = tuple(
        ObservedHost(name, kernel="6.1 <b>\nx" if node in old else "6.12", governor="schedutil")
        for node, name in enumerate(names)
    )
    for answer in answers(names, slow, said=said).values():
        assert "; 3 of the 4 slow nodes have kernel 6.1 <b> x, 1 of the 60 others: " in answer
        assert "governor" not in answer
    for answer in answers(names, slow).values():
        assert (
            "3 of the 4 slow nodes have a name that begins with r2c1, 5 of the 60 others" in answer
        )
    apart = {16: 0.8, 25: 0.8}
    assert not [
        one for one in answers(names, apart, said=said).values() if "slow nodes have" in one
    ]


def test_even_nodes_blame_nobody() -> None:
    for answer in answers(HOSTS, {}).values():
        assert answer.startswith("yes, each of 12 nodes at most 1.0"), answer


def test_that_no_node_is_shown_to_be_slow_is_no_yes_where_launches_vary() -> None:
    for answer in answers(HOSTS, {}, spread=0.3).values():
        assert answer.startswith("inconclusive, none of 12 nodes is shown to be slow"), answer
        assert "intervals allow" in answer
        assert "use the nodes" not in answer


CHANNELS = MemoryChannels(16, 3200e6, "EDAC", "DMI")
ZEN3 = known_processor("AMD EPYC 7763 64-Core Processor")
assert ZEN3 is not None
KNOWN = replace(MACHINE, channels=CHANNELS, processor=replace(ZEN3, nominal_clock=2e9))
MEMORY, *ARITHMETIC = (
    f"Has every node the same {what}?"
    for what in (
        "memory bandwidth",
        "sustained floating-point rate",
        "rate of products of matrices",
    )
)


def such_as(machine: Machine, **other: Any) -> tuple[ObservedHost, ...]:
    """What hosts say that are such as that machine, but for what is another."""
    one = ObservedHost(
        "", cpu_model=machine.cpu_model, online_cpus="0-63", memory_bytes=machine.memory.total_bytes
    )
    return tuple(replace(one, name=name, **other) for name in HOSTS)


def low_together(usual: float, machine: Machine = KNOWN, **other: Any) -> set[str]:
    """Questions whose answers say that all nodes are slow together."""
    found = answers(HOSTS, {}, said=such_as(machine, **other), machine=machine, usual=usual)
    assert all(answer.startswith("yes, each of 12 nodes") for answer in found.values())
    named = {question for question, answer in found.items() if "cause common to all" in answer}
    assert named == {question for question, answer in found.items() if "slow together" in answer}
    assert not named & {question for question, one in found.items() if "use the nodes" in one}
    return named


def test_nodes_that_are_all_below_what_is_normal_of_their_hardware_say_so() -> None:
    # 16 channels carry 410 GB/s; 64 cores at 2 GHz make 2.05 Tflop/s.
    assert low_together(100e9) == {MEMORY, *ARITHMETIC}
    assert low_together(300e9) == set(ARITHMETIC)
    assert low_together(1.8e12) == set()


def test_nothing_is_said_of_nodes_whose_limits_are_not_known() -> None:
    assert low_together(100e9, cpu_model="Another CPU") == set()
    assert low_together(100e9, online_cpus="0-31") == set()
    assert low_together(100e9, memory_bytes=64 * 2**30) == set()
    assert low_together(100e9, cpu_model=None) == set()
    found = answers(HOSTS, {}, said=such_as(MACHINE), usual=1e6)
    assert not [answer for answer in found.values() if "slow together" in answer]


def test_nodes_of_which_some_are_as_is_normal_are_not_all_slow() -> None:
    def of_memory(slow: dict[int, float], usual: float) -> str:
        return answers(HOSTS, slow, said=such_as(KNOWN), machine=KNOWN, usual=usual)[MEMORY]

    # Half of them reach 71 %.
    halves = of_memory(dict.fromkeys(range(6), 0.4), 290e9)
    assert halves.startswith("no: two groups")
    assert "slow together" not in halves
    assert "all 12 nodes are slow together" in of_memory(dict.fromkeys(range(6), 0.4), 150e9)
    assert "most of the 12 nodes are slow together" in of_memory({3: 3.0}, 100e9)
    assert "all 12 nodes are slow together" in of_memory({3: 1.1}, 100e9)


def test_cores_of_a_part_of_each_node_are_no_fault_of_its_memory() -> None:
    usable = tuple(replace(cpu, allowed=cpu.number % 32 < 4) for cpu in KNOWN.topology.cpus)
    part = replace(KNOWN, topology=replace(KNOWN.topology, cpus=usable))
    assert len(part.topology.usable) == 8
    # 8 cores at 2 GHz make 256 Gflop/s.
    assert low_together(50e9, part) == set(ARITHMETIC)


def test_a_host_of_any_name_is_compared_with_the_machine() -> None:
    (own,) = such_as(KNOWN, cpu_model="Another CPU")[:1]
    (point, *_) = (one for one in plan_over("n1").points if one.benchmark == "nodes.stream")
    make = Maker(7)
    stream = make.estimate(
        *(point.benchmark, dict(point.parameters), point.layout, "bandwidth", 1e9, 0.01)
    )
    for name in ("here", "n1"):
        assert not node_limits(KNOWN, [stream], [replace(own, name=name)]).hosts


def test_a_share_of_the_nominal_peak_is_normal_from_that_of_the_slowest_published_product() -> None:
    normal = normal_of_arithmetic()
    # Eiger expects 3.2 Tflop/s of 128 cores at 2.25 GHz, 16 operations a cycle.
    assert normal.low == pytest.approx(3.2e12 / (128 * 2.25e9 * 16))
    assert normal.high is None


def test_two_halves_are_two_groups() -> None:
    for answer in answers(HOSTS, dict.fromkeys(range(6), 0.7)).values():
        assert answer.startswith("no: two groups"), answer


def test_two_nodes_are_too_few_to_blame_one() -> None:
    for answer in answers(("n1", "n2"), {0: 0.5}).values():
        assert answer.startswith("inconclusive, too few nodes"), answer


def test_one_node_has_no_other_to_compare_with() -> None:
    for answer in answers((), {}).values():
        assert "requires 2 nodes" in answer, answer


def test_nodes_are_compared_within_their_class() -> None:
    """A fat node that is slower than the thin ones is none of the slow."""
    names = tuple(f"n{number}" for number in range(24))
    said = tuple(
        ObservedHost(name, cpu_model="Xeon" if node % 3 == 0 else "EPYC")
        for node, name in enumerate(names)
    )
    slow = {node: 0.6 if node % 3 == 0 else 1.0 for node in range(24)} | {7: 0.8, 9: 0.48}
    for answer in answers(names, slow, said=said).values():
        assert "n7 1.2" in answer, answer
        assert "n9 1.2" in answer, answer
        assert "n0 " not in answer
        assert "EPYC" in answer
        assert "Xeon" in answer

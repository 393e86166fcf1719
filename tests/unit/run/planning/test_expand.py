"""From experiments to launch specs, on machines made up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.model.benchmark import Benchmark, ThreadSweep, Value
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.run.planning.automatic import automatic_values
from machmeter.run.planning.expand import Automatic, expand
from machmeter.run.planning.layouts import configurations_for
from machmeter.run.planning.sizing import choose_sizes
from tests.support.fake_launcher import GIB, KIB, MIB, synthetic_machine
from tests.support.sysfs_tree import Shape

SIZES: Automatic = {
    "memory.stream": {"size": (512 * MIB,)},
    "memory.latency": {"size": (4 * KIB, 64 * MIB)},
    "device.stream": {"size": (512 * MIB,)},
}


def every_automatic_value(machine: Machine) -> Automatic:
    return automatic_values(machine, choose_sizes(machine, ()), 300, LayoutOptions()).values


def layouts_of(benchmark: Benchmark, machine: Machine, wish: LayoutOptions) -> tuple[Layout, ...]:
    return configurations_for(benchmark, Experiment(benchmark.name), machine, wish).layouts


def threads_of(cores: int, *, every: bool = True, smt: int = 1, reserve: int = 0) -> list[int]:
    machine = synthetic_machine(Shape(1, 1, cores, 2))
    wish = LayoutOptions(smt=smt, reserved_cores=reserve, page_bytes=(4096,))
    sweep = ThreadSweep.POWERS if every else ThreadSweep.ENDS
    experiment = Experiment("memory.stream", threads=sweep)
    layouts = configurations_for(find("memory.stream"), experiment, machine, wish).layouts
    return [layout.threads_per_rank for layout in layouts]


@pytest.mark.parametrize(
    ("cores", "expected"),
    [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (6, [1, 2, 4, 6]), (64, [1, 2, 4, 8, 16, 32, 64])],
)
def test_threads_go_by_powers_of_two_to_all_cores(cores: int, expected: list[int]) -> None:
    assert threads_of(cores) == expected


def test_threads_follow_smt_and_reserved_cores() -> None:
    assert threads_of(4, smt=2) == [1, 2, 4, 8]
    assert threads_of(4, reserve=1) == [1, 2, 3]
    assert threads_of(64, every=False) == [1, 64]
    assert threads_of(1, every=False) == [1]


def test_every_benchmark_expands_to_its_full_product_on_a_large_machine() -> None:
    machine = synthetic_machine(Shape())
    for benchmark in BENCHMARKS:
        automatic = every_automatic_value(machine)
        expansion = expand((Experiment(benchmark.name),), machine, LayoutOptions(), automatic)
        lacking = [s for s in expansion.skipped if "none was found" not in s.reason]
        programs = ("no OpenSHMEM compiler", "no OpenCL")
        assert not [s for s in lacking if not any(one in s.reason for one in programs)]
        names = [spec.name for spec in expansion.specs]
        assert len(set(names)) == len(names)
        for spec in expansion.specs:
            keys = [point.key for point in spec.points]
            assert len(set(keys)) == len(keys)
            assert all(point.layout == spec.layout for point in spec.points)


def test_a_device_is_measured_where_the_machine_has_opencl() -> None:
    bare = synthetic_machine()
    software = replace(bare.software, opencl=("libpocl.so.2",))
    wanted = (Experiment("device.stream"),)
    without = expand(wanted, bare, LayoutOptions(), SIZES)
    assert not without.specs
    assert all("apt install pocl-opencl-icd" in one.reason for one in without.skipped)
    having = expand(wanted, replace(bare, software=software), LayoutOptions(), SIZES)
    assert having.specs
    assert not having.skipped


def test_several_devices_are_layouts_of_what_measures_devices_alone() -> None:
    bare = synthetic_machine()
    machine = replace(bare, software=replace(bare.software, opencl=("libpocl.so.2",)))
    devices = tuple(
        NamedDevice(name, f"opencl:lib.so:{name[-1]}", Device("opencl", "a device"))
        for name in ("opencl:0", "opencl:1")
    )
    machine = replace(machine, devices=devices)
    options = LayoutOptions(threads=(1,))
    wanted = (Experiment("device.stream"), Experiment("memory.stream"))
    specs = expand(wanted, machine, options, SIZES).specs
    named = [(one.benchmark, one.layout.device) for one in specs]
    assert named[:2] == [("device.stream", "opencl:0"), ("device.stream", "opencl:1")]
    assert set(named[2:]) == {("memory.stream", UNSET)}


@pytest.mark.parametrize(
    ("kind", "threads", "packages"), [("gpu", 1, [0, 1]), ("cpu", 8, [-1]), (None, 8, [-1])]
)
def test_copies_of_a_gpu_are_measured_from_each_package_by_one_thread(
    kind: str | None, threads: int, packages: list[int]
) -> None:
    machine = synthetic_machine(Shape(packages=2, domains=1, cores=4, smt=1))
    device = NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "a device", kind))
    software = replace(machine.software, opencl=("libpocl.so.2",))
    machine = replace(machine, software=software, devices=(device,))
    wanted = (Experiment("device.copy"), Experiment("device.launch"))
    specs = expand(wanted, machine, LayoutOptions(), SIZES).specs
    copies, others = ([s.layout for s in specs if s.benchmark == one.benchmark] for one in wanted)
    assert sorted(one.package for one in copies) == packages
    assert {one.package for one in others} == {-1}
    assert {one.threads_per_rank for one in (*copies, *others)} == {threads}
    asked = expand(wanted, machine, LayoutOptions(threads=(2,)), SIZES).specs
    assert {one.layout.threads_per_rank for one in asked} == {2}


def test_combinations_that_mean_nothing_are_left_out() -> None:
    expansion = expand(
        (Experiment("memory.stream"),), synthetic_machine(), LayoutOptions(threads=(1,)), SIZES
    )
    points = [dict(point.parameters) for point in expansion.specs[0].points]
    assert len(points) == 7 * 2 - 1
    assert {"kernel": "read", "stores": "nontemporal", "size": 512 * MIB} not in points
    with pytest.raises(UsageError, match=r"nothing of memory\.stream is left"):
        expand(
            (Experiment("memory.stream", {"kernel": ("read",), "stores": ("nontemporal",)}),),
            synthetic_machine(),
            LayoutOptions(),
            SIZES,
        )


def test_what_means_nothing_for_one_experiment_leaves_the_others() -> None:
    read: dict[str, tuple[Value, ...]] = {"kernel": ("read",), "stores": ("nontemporal",)}
    expansion = expand(
        (Experiment("memory.stream", read), Experiment("threads.sync")),
        synthetic_machine(),
        LayoutOptions(),
        SIZES,
    )
    assert {spec.benchmark for spec in expansion.specs} == {"threads.sync"}
    assert [(one.what, one.reason) for one in expansion.skipped] == [
        ("memory.stream", "the requested values mean nothing together")
    ]
    of_one = (
        Experiment("memory.stream", read),
        Experiment("memory.stream", {"kernel": ("read",)}),
    )
    expansion = expand(of_one, synthetic_machine(), LayoutOptions(), SIZES)
    assert {spec.benchmark for spec in expansion.specs} == {"memory.stream"}
    assert expansion.skipped == ()


@pytest.mark.parametrize("name", ["memory.pages", "memory.matrix", "threads.pairs"])
def test_pairs_of_unbound_threads_are_left_out_and_said_so(name: str) -> None:
    machine = synthetic_machine(Shape(1, 2, 2, 1))
    wish = LayoutOptions(bindings=(Binding.NONE,), page_bytes=(4096,))
    automatic = every_automatic_value(machine)
    expansion = expand((Experiment(name),), machine, wish, automatic)
    assert expansion.specs == ()
    (skipped,) = expansion.skipped
    assert skipped.what.startswith(f"{name} (")
    assert skipped.reason == "it needs threads that are bound to one CPU each"


def test_an_automatic_value_may_be_divided() -> None:
    machine = synthetic_machine()
    third = 512 * MIB // 3 // 512 * 512
    for parameters, sizes in (({}, {256 * MIB, third}), ({"size": (MIB,)}, {MIB})):
        one = Experiment("memory.stream", parameters, divisors={"size": (2, 3)})
        expansion = expand((one,), machine, LayoutOptions(), SIZES)
        points = [point for spec in expansion.specs for point in spec.points]
        assert {dict(point.parameters)["size"] for point in points} == sizes
        assert not any("size" in skipped.what for skipped in expansion.skipped)


def test_automatic_pairs_of_which_none_is_on_the_layout_are_said() -> None:
    machine = synthetic_machine(Shape(1, 2, 2, 1))
    automatic: Automatic = {**every_automatic_value(machine), "threads.pairs": {"pair": ("2-3",)}}
    wish = LayoutOptions(threads=(2,))
    expansion = expand((Experiment("threads.pairs"),), machine, wish, automatic)
    assert [one.reason for one in expansion.skipped] == ["no thread of this layout runs on CPU 2"]


def test_auto_takes_the_measured_sizes_and_asked_values_win() -> None:
    machine = synthetic_machine()
    auto = expand((Experiment("memory.latency"),), machine, LayoutOptions(), SIZES)
    assert [p.get("size") for p in auto.specs[0].points] == [4 * KIB, 64 * MIB]
    asked = expand(
        (Experiment("memory.latency", {"size": (4096,)}),), machine, LayoutOptions(), SIZES
    )
    assert [p.get("size") for p in asked.specs[0].points] == [4096]


def test_an_unknown_parameter_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match=r"memory\.latency has no parameter kernel"):
        expand(
            (Experiment("memory.latency", {"kernel": ("triad",)}),),
            synthetic_machine(),
            LayoutOptions(),
            SIZES,
        )


def test_page_sizes_follow_the_machine() -> None:
    def pages(**memory: int | str) -> list[int]:
        machine = synthetic_machine(**memory)  # type: ignore[arg-type]
        layouts = layouts_of(find("memory.latency"), machine, LayoutOptions())
        return [layout.page_bytes for layout in layouts]

    assert pages() == [4096, 2 * MIB]
    assert pages(huge_page_bytes=0) == [4096]
    assert pages(huge_page_bytes=512 * MIB) == [4096, 512 * MIB]


def test_huge_pages_that_cannot_be_had_are_skipped_with_the_remedy() -> None:
    machine = synthetic_machine(huge_pages="never")
    expansion = expand((Experiment("memory.latency"),), machine, LayoutOptions(), SIZES)
    assert [spec.layout.page_bytes for spec in expansion.specs] == [4096]
    (skipped,) = expansion.skipped
    assert "transparent_hugepage" in skipped.reason


def test_wait_policies_are_swept_only_where_a_thread_can_wait() -> None:
    layouts = layouts_of(find("threads.sync"), synthetic_machine(), LayoutOptions())
    found = {(layout.threads_per_rank, layout.wait_policy) for layout in layouts}
    assert found == {(1, WaitPolicy.ACTIVE), *((2, policy) for policy in WaitPolicy)}
    wish = LayoutOptions(wait_policies=(WaitPolicy.PASSIVE,))
    layouts = layouts_of(find("threads.sync"), synthetic_machine(), wish)
    assert {layout.wait_policy for layout in layouts} == {WaitPolicy.PASSIVE}


def test_mpi_benchmarks_take_two_ranks_and_a_machine_of_one_core_lacks_them() -> None:
    large = synthetic_machine(Shape(1, 1, 8, 1))
    for wish in (LayoutOptions(), LayoutOptions(rank_counts=(2,))):
        ranks = {
            b.name: {layout.ranks for layout in layouts_of(b, large, wish)} for b in BENCHMARKS
        }
        assert ranks["network.latency"] == {2}
        assert ranks["memory.stream"] == {1}
    for wrong in (1, 4):
        with pytest.raises(UsageError, match="exactly 2 ranks"):
            expand(
                (Experiment("network.latency"),), large, LayoutOptions(rank_counts=(wrong,)), SIZES
            )
    one_core = synthetic_machine(Shape(1, 1, 1, 1))
    expansion = expand((Experiment("network.latency"),), one_core, LayoutOptions(), SIZES)
    assert expansion.specs == ()
    assert "--oversubscribe" in expansion.skipped[0].reason


@pytest.mark.parametrize("setting", ["never", "absent", ""])
def test_huge_pages_need_transparent_ones_whatever_lies_in_the_pool(setting: str) -> None:
    machine = synthetic_machine(huge_pages=setting)
    machine = replace(machine, memory=replace(machine.memory, huge_pages_free=512))
    expansion = expand((Experiment("memory.latency"),), machine, LayoutOptions(), SIZES)
    assert [spec.layout.page_bytes for spec in expansion.specs] == [4096]
    assert "transparent huge pages" in expansion.skipped[0].reason


@pytest.mark.parametrize("pages", [4 * MIB, GIB])
def test_pages_that_the_machine_has_not_are_skipped(pages: int) -> None:
    wish = LayoutOptions(page_bytes=(4096, pages))
    expansion = expand((Experiment("memory.latency"),), synthetic_machine(), wish, SIZES)
    assert [spec.layout.page_bytes for spec in expansion.specs] == [4096]
    assert "4 KiB and 2 MiB" in expansion.skipped[0].reason


def test_with_unequal_cores_all_their_hardware_threads_are_used() -> None:
    topology = Shape(1, 1, 4, 2).topology()
    # Cores 2 and 3 are small ones, of one hardware thread each.
    small = tuple(cpu for cpu in topology.cpus if cpu.core < 2 or cpu.smt == 0)
    machine = replace(synthetic_machine(), topology=replace(topology, cpus=small))
    benchmark = find("threads.sync")
    for wish, most in ((LayoutOptions(smt=2), 6), (LayoutOptions(smt=2, reserved_cores=1), 5)):
        layouts = layouts_of(benchmark, machine, wish)
        assert max(layout.threads_per_rank for layout in layouts) == most
    assert expand((Experiment("threads.sync"),), machine, LayoutOptions(smt=2), SIZES).skipped == ()


def test_a_value_that_a_benchmark_cannot_take_is_left_out_there_and_said_so() -> None:
    machine = synthetic_machine()
    size = (8, 1024)
    expansion = expand(
        (
            Experiment("memory.stream", {"size": size}),
            Experiment("network.latency", {"size": size}),
        ),
        machine,
        LayoutOptions(page_bytes=(4096,)),
        SIZES,
    )
    sizes = {s.benchmark: {p.get("size") for p in s.points} for s in expansion.specs}
    assert sizes == {"memory.stream": {1024}, "network.latency": {8, 1024}}
    (skipped,) = expansion.skipped
    assert (skipped.what, "at least 512" in skipped.reason) == ("memory.stream with size=8", True)


def test_threads_do_not_share_less_than_they_need() -> None:
    experiment = (Experiment("memory.stream", {"size": (1024, 4096)}),)
    wish = LayoutOptions(threads=(4,), page_bytes=(4096,))
    expansion = expand(experiment, synthetic_machine(Shape(1, 1, 4, 1)), wish, SIZES)
    assert {p.get("size") for s in expansion.specs for p in s.points} == {4096}
    assert "2048 for 4 threads" in expansion.skipped[0].reason
    two_domains = synthetic_machine(Shape(1, 2, 2, 1))
    huge = expand(
        (Experiment("memory.stream", {"size": (4 * MIB, 8 * MIB)}),),
        two_domains,
        LayoutOptions(threads=(4,), page_bytes=(2 * MIB,)),
        SIZES,
    )
    assert {p.get("size") for s in huge.specs for p in s.points} == {8 * MIB}


@pytest.mark.parametrize(("nodes", "samples"), [(32, 200), (256, 200), (257, 77), (1000, 20)])
def test_of_very_many_pairs_of_ranks_fewer_samples_are_taken(nodes: int, samples: int) -> None:
    hosts = tuple(f"n{number}" for number in range(nodes))
    wish = LayoutOptions(hosts=hosts, page_bytes=(4096,))
    machine = synthetic_machine()
    automatic = automatic_values(machine, choose_sizes(machine, ()), 300, wish).values
    (spec,) = expand((Experiment("network.consistency"),), machine, wish, automatic).specs
    assert spec.samples == samples


# Each example expands every benchmark, in a third of a second.
@settings(max_examples=20)
@given(
    st.integers(1, 2), st.integers(1, 4), st.integers(1, 9), st.integers(1, 2), st.integers(0, 3)
)
def test_on_any_machine_everything_is_launched_or_skipped_with_a_reason(
    packages: int, domains: int, cores: int, smt: int, reserved: int
) -> None:
    machine = synthetic_machine(Shape(packages, domains, cores, smt), available=GIB)
    automatic = every_automatic_value(machine)
    experiments = tuple(Experiment(benchmark.name) for benchmark in BENCHMARKS)
    expansion = expand(experiments, machine, LayoutOptions(reserved_cores=reserved), automatic)
    assert all(skipped.reason for skipped in expansion.skipped)
    named = {spec.name for spec in expansion.specs} | {s.what for s in expansion.skipped}
    assert len(named) == len(expansion.specs) + len(expansion.skipped)
    for spec in expansion.specs:
        usable = len(machine.topology.usable_cores) - reserved
        assert spec.layout.threads <= usable or spec.layout.oversubscribe

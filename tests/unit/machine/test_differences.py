"""What differs between a machine at two times."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from machmeter.machine.differences import (
    NOTHING,
    differences,
    launch_facts,
    machine_facts,
    toolchain_facts,
)
from machmeter.machine.drivers import read_drivers, read_firmware
from machmeter.model.plan.launch import ClockProperties, Header, Toolchain
from machmeter.model.results.history import EnvironmentDifference
from tests.support.synthetic.machine import make_machine

CHAIN = Toolchain("GNU 12.2.0", "-O3 -march=native", "a1", "201511", "MPICH 5.0.1")


def test_the_same_machine_differs_in_nothing() -> None:
    facts = machine_facts(make_machine())
    assert differences(facts, dict(facts)) == ()


def test_software_and_settings_that_changed_are_told_before_and_after() -> None:
    old = make_machine()
    new = replace(
        old,
        software=replace(old.software, kernel="6.2", governor="powersave", firmware="X 2"),
        memory=replace(old.memory, transparent_huge_pages="always", limit_bytes=2**30),
        cpu_quota=1.5,
    )
    assert differences(machine_facts(old), machine_facts(new)) == (
        EnvironmentDifference("kernel", "6.1.0-28-amd64", "6.2"),
        EnvironmentDifference("transparent huge pages", "madvise", "always"),
        EnvironmentDifference("memory limit", NOTHING, "1 GiB"),
        EnvironmentDifference("CPU quota", NOTHING, "1.5 CPUs"),
    )


def test_what_was_not_recorded_before_is_no_difference() -> None:
    old = make_machine()
    new = replace(old, software=replace(old.software, microcode="0x2", drivers={"mlx5_core": "1"}))
    assert differences(machine_facts(old), machine_facts(new)) == ()


def test_of_lists_only_what_came_or_went_is_told() -> None:
    old = machine_facts(make_machine())
    lost = machine_facts(replace(make_machine(), features=("avx512f", "sse2")))
    assert differences(old, lost) == (EnvironmentDifference("CPU features", "avx2", "sse2"),)
    before = toolchain_facts([CHAIN])
    turned = toolchain_facts([replace(CHAIN, flags="-march=native -O3")])
    assert differences(before, turned) == ()
    more = toolchain_facts([replace(CHAIN, flags="-O3 -march=native -g")])
    assert differences(before, more) == (EnvironmentDifference("compiler flags", NOTHING, "-g"),)


def test_several_toolchains_stand_side_by_side_in_any_order() -> None:
    other = replace(CHAIN, mpi_library="Open MPI 5", source_hash="")
    facts = toolchain_facts([CHAIN, other])
    assert facts == toolchain_facts([other, CHAIN])
    assert facts["MPI library"] == "MPICH 5.0.1; Open MPI 5"
    assert facts["machmeter's native sources"] == "a1"


def test_what_launches_observed_is_told() -> None:
    header = Header(
        1, "network.latency", 1, 7, 2, "", (), CHAIN, ClockProperties("tsc", 0, 0), (),
        libraries={"openmp": "libgomp.so.1"}, transport={"device": "ch4:ofi", "libraries": "a b"},
    )  # fmt: skip
    other = replace(header, transport={"device": "ch4:ucx", "libraries": "b c"})
    assert differences(launch_facts([header]), launch_facts([other])) == (
        EnvironmentDifference("transport", "ch4:ofi", "ch4:ucx"),
        EnvironmentDifference("libraries of the transport", "a", "c"),
    )
    assert launch_facts([]) == {}


def test_firmware_and_drivers_are_read_where_they_tell(tmp_path: Path) -> None:
    assert read_firmware(tmp_path) == ""
    assert read_drivers(tmp_path) == {}
    for path, text in (
        ("sys/class/dmi/id/bios_vendor", "Some  Vendor\n"),
        ("sys/class/dmi/id/bios_version", "2.1\n"),
        ("sys/class/dmi/id/bios_date", "01/02/2026\n"),
        ("sys/module/nvidia/version", "550.54 beta\n"),
        ("sys/class/infiniband/mlx5_0/fw_ver", "28.39.1002\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert read_firmware(tmp_path) == "Some Vendor 2.1 01/02/2026"
    assert read_drivers(tmp_path) == {"nvidia": "550.54-beta", "mlx5_0-firmware": "28.39.1002"}

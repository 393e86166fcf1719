"""Network adapters, read from made-up trees of /sys."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.machine.detect import detect_machine
from machmeter.machine.diagnosis.adapters import diagnose_adapters
from machmeter.machine.hardware.adapters import read_adapters
from machmeter.model.machine import Adapter, Machine, PcieLink, Severity
from machmeter.model.results.caveat import CaveatKind
from machmeter.run.results.caveats import adapter_caveats
from machmeter.text.hardware.adapters import adapter_text, held_back_text
from tests.support.pci_tree import GEN3, GEN4, write_device, write_infiniband, write_interface
from tests.support.sysfs_tree import Shape, write, write_sysfs

HDR = "200 Gb/sec (4X HDR)"


def with_adapters(*adapters: Adapter) -> Machine:
    return replace(detect_machine(root=Path("/nowhere")), host="n1", adapters=adapters)


def test_an_adapter_in_a_slow_slot_is_seen(tmp_path: Path) -> None:
    device = write_device(tmp_path, 1, (GEN3, 16), (GEN4, 16), (GEN4, 16))
    write_infiniband(tmp_path, "mlx5_0", device, HDR)
    # The network interface of the same device says nothing new.
    write_interface(tmp_path, "ib0", device, "200000")
    (one,) = read_adapters(tmp_path)
    assert one == Adapter(
        "mlx5_0",
        "InfiniBand",
        200e9,
        up=True,
        numa=1,
        slot=PcieLink(8e9, 16),
        slot_of_adapter=PcieLink(16e9, 16),
        slot_of_board=PcieLink(16e9, 16),
        device="0000:01:00",
    )
    assert one.is_limited_by_slot
    assert one.bytes_per_second == pytest.approx(15.75e9, rel=1e-3)
    found, remedy = held_back_text(one)
    assert "PCIe 3.0 x16, at most 15.8 GB/s" in found
    assert "BIOS" in remedy
    assert "faster slot" in held_back_text(replace(one, slot_of_board=PcieLink(8e9, 16)))[1]


def test_a_narrow_slot_that_carries_the_link_is_no_limit(tmp_path: Path) -> None:
    device = write_device(tmp_path, 2, (GEN3, 4), (GEN3, 8))
    write_interface(tmp_path, "eth0", device, "25000")
    (one,) = read_adapters(tmp_path)
    assert (one.is_held_back, one.is_limited_by_slot) == (True, False)
    found = diagnose_adapters(with_adapters(one))
    assert [each.severity for each in found] == [Severity.GOOD, Severity.NOTE]
    assert "BIOS" in found[1].remedy
    assert one.bytes_per_second == 25e9 / 8


def test_ports_are_told_apart_and_compared(tmp_path: Path) -> None:
    device = write_device(tmp_path, 3, (GEN4, 16), (GEN4, 16))
    write_infiniband(tmp_path, "mlx4_0", device, HDR, "100 Gb/sec (2X HDR)")
    every = read_adapters(tmp_path)
    assert [one.name for one in every] == ["mlx4_0:1", "mlx4_0:2"]
    notes = diagnose_adapters(with_adapters(*every))[1:]
    assert [note.severity for note in notes] == [Severity.NOTE]
    assert notes[0].found.startswith("mlx4_0:2 runs at 100 Gbit/s")


@pytest.mark.parametrize(
    ("rate", "gigabits"),
    [
        ("10 Gb/sec (4X)", 8.0),
        ("40 Gb/sec (4X QDR)", 32.0),
        ("56 Gb/sec (4X FDR)", 54.3),
        ("2.5 Gb/sec (1X)", 2.0),
        ("100 Gb/sec (4X EDR)", 100.0),
        ("400 Gb/sec (4X NDR)", 400.0),
    ],
)
def test_rates_are_those_of_data(tmp_path: Path, rate: str, gigabits: float) -> None:
    device = write_device(tmp_path, 1, (GEN4, 16), (GEN4, 16))
    write_infiniband(tmp_path, "mlx5_0", device, rate)
    (one,) = read_adapters(tmp_path)
    assert one.bits_per_second == pytest.approx(gigabits * 1e9, rel=1e-3)


def test_of_ethernet_the_rate_is_that_of_data(tmp_path: Path) -> None:
    device = write_device(tmp_path, 1, (GEN4, 16), (GEN4, 16))
    write_infiniband(tmp_path, "mlx5_0", device, "40 Gb/sec (4X QDR)", layer="Ethernet")
    (one,) = read_adapters(tmp_path)
    assert (one.network, one.bits_per_second) == ("Ethernet", 40e9)


def test_a_port_that_is_down_holds_nothing_back(tmp_path: Path) -> None:
    write_interface(tmp_path, "eth0", write_device(tmp_path, 1, (GEN3, 4), (GEN3, 8)), "-1", "down")
    write_interface(tmp_path, "eth1", write_device(tmp_path, 2, (GEN3, 8), (GEN3, 8)), "-1")
    write_interface(tmp_path, "eth2", write_device(tmp_path, 3, (GEN3, 8), (GEN3, 8)), "10000")
    machine = with_adapters(*read_adapters(tmp_path))
    assert adapter_caveats(machine, ("n1", "n2")) == []
    found = diagnose_adapters(machine)
    assert [one.severity for one in found] == [Severity.GOOD, Severity.NOTE]
    assert "0 Gbit/s, another" not in found[1].found


def test_what_has_neither_rate_nor_slot_nor_device_is_left_out(tmp_path: Path) -> None:
    write_interface(tmp_path, "lo", None, "")
    write_interface(tmp_path, "veth1a2b", None, "10000")
    write_interface(tmp_path, "bond0", None, "50000")
    virtio = tmp_path / "sys/devices/pci0000:00/0000:00:03.0/virtio2"
    virtio.mkdir(parents=True)
    write_interface(tmp_path, "eth0", virtio, "-1")
    assert read_adapters(tmp_path) == ()
    assert [d.severity for d in diagnose_adapters(with_adapters())] == [Severity.GOOD]


@pytest.mark.parametrize(
    ("rate", "speed", "width"),
    [
        ("a lot", "fast", "16"),
        ("1" * 400 + " Gb/sec", "0 GT/s PCIe", "16"),
        ("999999 Gb/sec (4X)", "16.0 GT/s PCIe", "9" * 40),
        ("-5 Gb/sec", "16.0 GT/s PCIe", "0"),
        ("nan Gb/sec", "inf GT/s", "-1"),
    ],
)
def test_nonsense_is_unknown(tmp_path: Path, rate: str, speed: str, width: str) -> None:
    device = write_device(tmp_path, 1, (GEN3, 16), (GEN4, 16))
    write(tmp_path, f"{device.relative_to(tmp_path)}/current_link_speed", speed)
    write(tmp_path, f"{device.relative_to(tmp_path)}/current_link_width", width)
    write_infiniband(tmp_path, "mlx5_0", device, rate, state="1: DOWN")
    (one,) = read_adapters(tmp_path)
    assert (one.bits_per_second, one.slot, one.up) == (0.0, None, False)
    assert adapter_text(one) == "mlx5_0 InfiniBand, down"


def test_a_caveat_is_of_messages_between_hosts(tmp_path: Path) -> None:
    device = write_device(tmp_path, 1, (GEN3, 16), (GEN4, 16))
    write_infiniband(tmp_path, "mlx5_0", device, HDR)
    write_sysfs(tmp_path, Shape().topology())
    machine = detect_machine("m", root=tmp_path)
    assert adapter_caveats(machine, ("n1", "n1")) == []
    (caveat,) = adapter_caveats(machine, ("n1", "n2"))
    assert caveat.kind is CaveatKind.ADAPTER


@pytest.mark.parametrize(
    ("transfers", "lanes", "gigabytes"),
    [(2.5e9, 1, 0.25), (5e9, 8, 4.0), (8e9, 16, 15.75), (16e9, 16, 31.5), (32e9, 16, 63.0)],
)
def test_what_a_slot_carries(transfers: float, lanes: int, gigabytes: float) -> None:
    assert PcieLink(transfers, lanes).bytes_per_second == pytest.approx(gigabytes * 1e9, rel=1e-3)

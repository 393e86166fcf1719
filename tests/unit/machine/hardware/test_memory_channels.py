"""Channels of memory, read from made-up trees of /sys."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.machine.detect import detect_machine
from machmeter.machine.diagnosis.channels import diagnose_channels
from machmeter.machine.hardware.memory_channels import read_memory_channels
from machmeter.machine.hardware.processors import known_processor
from machmeter.model.machine import Machine, MemoryChannels, Severity
from machmeter.text.hardware.memory import channels_text
from tests.support.sysfs_tree import Shape, write

MC = "sys/devices/system/edac/mc"
ZEN3 = known_processor("AMD EPYC 7763 64-Core Processor")


def write_dimms(root: Path, controllers: int, channels: int, mebibytes: int = 32768) -> None:
    """One DIMM in each channel, and an empty slot beside it."""
    for controller in range(controllers):
        for channel in range(channels):
            for slot, size in ((0, mebibytes), (1, 0)):
                folder = f"{MC}/mc{controller}/dimm{2 * channel + slot}"
                write(root, f"{folder}/dimm_location", f"channel {channel} slot {slot}")
                write(root, f"{folder}/size", size)


def write_dmi(
    root: Path, number: int, *, size: int, speed: int, configured: int, cut: int = 92
) -> None:
    """A memory device of the firmware's tables."""
    raw = bytearray(92)
    raw[0], raw[1] = 17, 92
    for at, value in ((0x0C, size), (0x15, speed), (0x20, configured)):
        raw[at : at + 2] = value.to_bytes(2, "little")
    file = root / f"sys/firmware/dmi/entries/17-{number}/raw"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(raw[:cut]))


def machine(channels: MemoryChannels, packages: int = 2) -> Machine:
    described = detect_machine(root=Path("/nowhere"))
    topology = Shape(packages=packages).topology()
    return replace(described, topology=topology, channels=channels, processor=ZEN3)


def test_channels_with_memory_are_counted(tmp_path: Path) -> None:
    write_dimms(tmp_path, 2, 8)
    write_dmi(tmp_path, 0, size=32767, speed=3200, configured=2933)
    write_dmi(tmp_path, 1, size=32767, speed=3200, configured=3200)
    write_dmi(tmp_path, 2, size=0, speed=4800, configured=0)
    found = read_memory_channels(tmp_path)
    assert found == MemoryChannels(16, 2933e6, "EDAC", "DMI")
    assert channels_text(found) == "16 channels (EDAC), 2,933 MT/s (DMI)"
    assert diagnose_channels(machine(found)).severity is Severity.GOOD


def test_unequal_channels_are_seen(tmp_path: Path) -> None:
    write_dimms(tmp_path, 2, 8)
    write(tmp_path, f"{MC}/mc1/dimm2/size", 16384)
    found = read_memory_channels(tmp_path)
    assert found.unequal
    assert diagnose_channels(machine(found)).severity is Severity.NOTE


def test_of_two_packages_one_may_be_shown(tmp_path: Path) -> None:
    write_dimms(tmp_path, 1, 8)
    found = read_memory_channels(tmp_path)
    assert (found.count, found.transfers) == (8, 0.0)
    assert diagnose_channels(machine(found)).severity is Severity.NOTE
    assert diagnose_channels(machine(found, packages=1)).severity is Severity.GOOD


def test_units_of_amd_stand_for_channels(tmp_path: Path) -> None:
    for unit in range(12):
        write(tmp_path, f"sys/bus/event_source/devices/amd_umc_{unit}/cpumask", "0,96")
    assert read_memory_channels(tmp_path) == MemoryChannels(24, 0.0, "amd_umc")


def test_where_nothing_is_shown_nothing_is_said(tmp_path: Path) -> None:
    found = read_memory_channels(tmp_path)
    assert found == MemoryChannels()
    assert channels_text(found) == ""
    assert diagnose_channels(machine(found)).severity is Severity.GOOD


@pytest.mark.parametrize("cut", [0, 1, 5, 0x16, 0x21])
def test_tables_that_end_early_say_nothing_false(tmp_path: Path, cut: int) -> None:
    write_dmi(tmp_path, 0, size=32767, speed=3200, configured=2933, cut=cut)
    assert read_memory_channels(tmp_path).transfers in (0.0, 3200e6)

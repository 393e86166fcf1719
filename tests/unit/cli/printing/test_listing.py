"""Lists as people read them."""

from __future__ import annotations

import pytest

from machmeter.cli.printing.listing import Listing, print_listing
from machmeter.model.device import Device, LibraryWithoutDevice, NamedDevice
from tests.support.cli_calls import call

CPU = Device(
    "opencl",
    "EPYC",
    kind="cpu",
    units=2,
    clock_hz=2_445_000_000,
    memory_bytes=2**34,
    platform="pocl",
    driver="3.1",
)


def test_devices_are_listed_with_what_is_known_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    listed = (
        NamedDevice("opencl:0", "opencl:libpocl.so:0", CPU),
        NamedDevice("opencl:1", "opencl:libx.so:0", Device("opencl", "Zen"), same_as="opencl:0"),
        NamedDevice("opencl:2", "opencl:liby.so:0", Device("opencl", "G", double_precision=False)),
    )
    without = (LibraryWithoutDevice("libnone.so", "no answer within 60 s"),)
    print_listing(Listing(devices=listed, without_device=without))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    known = ["opencl:0", "EPYC", "CPU", "2", "16", "GiB", "2.44", "GHz", "pocl", "3.1"]
    assert known in lines
    assert ["opencl:1", "Zen", "(same", "as", "opencl:0)"] in lines
    assert ["opencl:2", "G", "(no", "double", "precision:", "not", "measurable)"] in lines
    assert ["libnone.so", "no", "answer", "within", "60", "s"] in lines


@pytest.mark.usefixtures("home")
def test_a_machine_without_devices_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("machmeter.run.programs.devices.find_opencl", tuple)
    monkeypatch.setattr("machmeter.run.programs.devices.find_nvidia_driver", str)
    code, out, err = call(capfd, "list", "devices")
    assert (code, out) == (3, "")
    assert "no OpenCL" in err
    assert "pocl-opencl-icd" in err

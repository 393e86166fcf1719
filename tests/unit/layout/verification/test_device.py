"""A launch counts only where it measured the device that its layout names."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.layout.verification.verify import verify
from machmeter.model.device import Device, NamedDevice
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Launch
from tests.unit.layout.verification.test_verify import make_launch, record_as_asked, with_header

GPU = Device(
    "opencl",
    "A100",
    kind="gpu",
    platform="NVIDIA CUDA",
    vendor="NVIDIA",
    uuid="0a1b",
    bus="0000:c1:00.0",
    units=108,
    driver="570.1",
)
CPU = Device("opencl", "EPYC", kind="cpu", platform="pocl", vendor="AMD", units=2)
NAME = "opencl:1"


def launch_on(device: Device, name: str = NAME) -> Launch:
    launch = make_launch(Layout(device=name))
    return replace(launch, device=NamedDevice(name, "opencl:libx.so:1", device))


def reasons(launch: Launch, observed: Device | None) -> tuple[str, ...]:
    return verify(launch, with_header(record_as_asked(launch), device=observed))


@pytest.mark.parametrize("device", [GPU, CPU])
def test_the_device_that_was_named_is_the_one(device: Device) -> None:
    assert reasons(launch_on(device), device) == ()
    # Its driver and what it is attached to may be described otherwise.
    assert reasons(launch_on(device), replace(device, driver="580", clock_hz=1, numa=0)) == ()


@pytest.mark.parametrize(
    ("part", "observed"),
    [
        ("uuid", "0a1c"),
        ("uuid", None),
        ("bus", "0000:c2:00.0"),
        ("name", "A100 MIG 1g.10gb"),
        ("api", "cuda"),
        ("platform", "Portable Computing Language"),
        ("vendor", "AMD"),
        ("units", 14),
    ],
)
def test_another_device_is_told_with_both(part: str, observed: str | int | None) -> None:
    (reason,) = reasons(launch_on(GPU), replace(GPU, **{part: observed}))
    requested = f"requested {getattr(GPU, part)}, observed {observed or 'unknown'}"
    assert reason == f"{part} of device {NAME}: {requested}"


def test_the_cpus_have_as_many_units_as_the_layout_has_threads() -> None:
    assert reasons(launch_on(CPU), replace(CPU, units=1)) == ()
    assert reasons(launch_on(CPU), replace(CPU, name="Xeon"))


def test_a_record_without_a_device_is_none_of_the_one_named() -> None:
    (reason,) = reasons(launch_on(GPU), None)
    assert reason == f"device: requested {NAME} (A100), observed none"


def test_kernels_that_run_on_other_units_than_the_device_says_are_told() -> None:
    assert reasons(launch_on(GPU), replace(GPU, observed_units=108)) == ()
    part = replace(GPU, observed_units=14)
    for launch, name in ((launch_on(GPU), NAME), (make_launch(Layout()), "A100")):
        (reason,) = reasons(launch, part)
        assert reason.startswith(f"units of device {name}: it says 108, kernels ran on 14")


def test_where_none_is_named_any_will_do() -> None:
    launch = make_launch(Layout())
    assert reasons(launch, GPU) == reasons(launch, CPU) == reasons(launch, None) == ()


def test_a_launch_that_does_not_know_its_device_cannot_be_verified() -> None:
    launch = launch_on(GPU)
    assert reasons(replace(launch, device=UNSET), GPU)
    assert reasons(launch_on(GPU, "opencl:0"), GPU) == ()
    other = replace(launch.device, name="opencl:0") if launch.device else UNSET
    assert reasons(replace(launch, device=other), GPU)

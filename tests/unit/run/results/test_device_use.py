"""What is said of devices: their states in accepted launches, and how near the CPUs were."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.model.device import Device, DeviceDuringPoint, DeviceState, HostCpus
from machmeter.model.plan.launch import Launch, LaunchOutcome, Verdict
from machmeter.run.results.device_use import device_uses, is_on_gpu, nearness
from machmeter.run.results.disturbed import LaunchAsSeen
from machmeter.store.records import parse_record
from tests.support.fake_launcher import record_lines, small_spec, synthetic_machine

GPU = Device("cuda", "H100", "gpu", numa=0, local_cpus="0-3,8")
SPEC = small_spec("small", 8192, 16384)
LAUNCH = Launch(1, SPEC, 1, assign(SPEC.layout, synthetic_machine().topology))
IDLE = DeviceState(sm_clock_hz=345_000_000, clock_reasons=("gpu_idle",), temperature_celsius=41.0)
BUSY = replace(IDLE, sm_clock_hz=1_980_000_000, clock_reasons=("sw_power_cap",), power_w=650.0)


def seen(device: Device | None, *states: DeviceDuringPoint) -> LaunchAsSeen:
    record = parse_record(b"".join(record_lines(LAUNCH)))
    assert record.header is not None
    points = tuple(
        replace(point, device_state=state)
        for point, state in zip(record.points, states or [UNSET] * 2, strict=True)
    )
    outcome = LaunchOutcome(1, SPEC.name, Verdict.ACCEPTED, (), (), 0, "", 1.0)
    header = replace(record.header, device=device)
    return LaunchAsSeen(SPEC, outcome, replace(record, header=header, points=points))


def test_ranges_are_over_all_points_and_reasons_count_points() -> None:
    first = DeviceDuringPoint(2.0, 900.0, IDLE, BUSY)
    slower = replace(BUSY, sm_clock_hz=1_755_000_000, power_limit_w=700.0)
    second = DeviceDuringPoint(0.5, None, IDLE, slower)
    uses = device_uses([seen(GPU, first, second)])
    assert uses is not UNSET
    (use,) = uses
    assert (use.benchmark, use.device, use.points) == (SPEC.benchmark, "H100", 2)
    assert use.before.sm_clock_hz == (345e6, 345e6)
    assert use.after.sm_clock_hz == (1_755e6, 1_980e6)
    assert use.before.power_w is None
    assert use.after.power_w == (650.0, 650.0)
    assert use.power_limit_w == (700.0, 700.0)
    assert use.mean_power_w == (450.0, 450.0)
    assert use.after.memory_clock_hz is None
    assert use.clock_reasons == {"gpu_idle": 2, "sw_power_cap": 2}


def test_launches_on_cpus_have_none_and_those_without_states_are_unknown() -> None:
    for device in (None, replace(GPU, kind="cpu")):
        assert not is_on_gpu(seen(device).record)
        assert device_uses([seen(device)]) is UNSET
    uses = device_uses([seen(GPU)])
    assert uses is not UNSET
    assert uses[0].points == 0
    assert uses[0].after.sm_clock_hz is None


@pytest.mark.parametrize(
    ("cpus", "expected"),
    [
        ({0, 8}, HostCpus.NEAR),
        ({4, 5}, HostCpus.FAR),
        ({3, 4}, HostCpus.BOTH),
        (set(), HostCpus.UNKNOWN),
    ],
)
def test_cpus_beside_the_device_are_near(cpus: set[int], expected: HostCpus) -> None:
    assert nearness(GPU, cpus) is expected


def test_a_machine_that_does_not_say_is_unknown() -> None:
    for numa, local in ((None, "0-3"), (0, None), (0, "what")):
        assert nearness(replace(GPU, numa=numa, local_cpus=local), {0}) is HostCpus.UNKNOWN

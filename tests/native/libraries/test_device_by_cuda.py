"""Benchmarks of devices by CUDA: on a stand-in of its driver and compiler, without a GPU."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.devices.selected import SELECTED, list_devices
from machmeter.build.programs import build_program
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.libraries import Libraries
from machmeter.launch.ready import ReadyProgram
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.launch import Verdict
from machmeter.run.measuring.device_contention import device_reasons
from tests.support.paths import ROOT
from tests.support.processes.native_programs import build_tools, launch_of, start, two_cpus

pytestmark = pytest.mark.alone

UUID = "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"


@pytest.fixture(scope="module")
def program(cache: Path) -> str:
    return build_program(cache, DEVICE_PROGRAM, build_tools(), os.environ)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a machine with the driver."""
    library = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    native = ROOT / "native"
    sources = [*(native / "tests/support/cuda").glob("*.cpp"), native / "core/values/json.cpp"]
    words = ["g++", "-std=c++20", "-O0", "-shared", "-fPIC", f"-I{native}", *map(str, sources)]
    subprocess.run([*words, "-o", str(library), "-ldl"], check=True)
    management = native / "tests/support/nvml/nvml.cpp"
    words = ["g++", "-std=c++20", "-O0", "-shared", "-fPIC", f"-I{native}", str(management)]
    subprocess.run([*words, "-o", str(library.with_name("libnvidia-ml.so.1"))], check=True)
    found = os.environ.get("LD_LIBRARY_PATH", "")
    return {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(library.parent), found))),
        "MACHMETER_NVRTC": str(library),
    }


def test_a_device_of_cuda_is_listed_measured_and_verified(
    program: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    two_cpus()
    (listed,) = (one for one in list_devices(program, environment).devices if one.name == "cuda:0")
    assert listed.select == f"cuda:GPU-{UUID}"
    assert listed.device.architecture == "sm_90"
    launcher = ProgramLauncher(
        {("", DEVICE_PROGRAM.name): ReadyProgram(program)},
        environment,
        Libraries(tmp_path / "cache"),
    )
    layout = Layout(wait_policy=WaitPolicy.PASSIVE, device=listed.name)
    plain = launch_of(DEVICE_STREAM.name, [{"size": 2**20}], layout)
    outcome, record = start(launcher, replace(plain, device=listed), tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert f"{SELECTED}={listed.select}" in outcome.command
    assert record.header is not None
    observed = replace(listed.device, compiler="NVRTC 12.9", mig=False, power_limit_w=700.0)
    assert record.header.device == observed
    assert record.closing is not None
    assert record.closing.compile_seconds is not UNSET
    assert record.closing.compile_seconds > 0
    (point,) = record.points
    assert point.check.passed, point.check
    assert point.device_state is not UNSET
    assert point.device_state.seconds > max(map(max, point.series.values()))
    for state in (point.device_state.before, point.device_state.after):
        assert state.sm_clock_hz == 1_755_000_000
        assert state.clock_reasons == ("sw_power_cap",)
        assert state.other_processes == 0
        assert state.ecc is None
    other = replace(listed, device=replace(listed.device, bus="0000:c2:00.0"))
    outcome, _ = start(launcher, replace(plain, number=2, device=other), tmp_path)
    assert outcome.verdict is Verdict.REJECTED
    assert any(reason.startswith("bus of device cuda:0") for reason in outcome.reasons)


def test_a_launch_on_a_device_that_others_use_and_heat_slows_does_not_count(
    program: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    two_cpus()
    disturbing = {"STAND_IN_NVML_OTHERS": "2", "STAND_IN_NVML_REASONS": str(0x44)}
    launcher = ProgramLauncher(
        {("", DEVICE_PROGRAM.name): ReadyProgram(program)},
        {**environment, **disturbing, SELECTED: f"cuda:GPU-{UUID}"},
        Libraries(tmp_path / "cache"),
    )
    plain = launch_of(DEVICE_STREAM.name, [{"size": 2**20}], Layout(wait_policy=WaitPolicy.PASSIVE))
    outcome, record = start(launcher, plain, tmp_path)
    assert record.points[0].check.passed
    assert outcome.verdict is Verdict.CONTENDED
    # Tests run among others.
    (reason,) = outcome.reasons
    assert reason == device_reasons(record)[-1]
    assert "hw_thermal_slowdown" in reason
    assert device_reasons(record)[0] == "2 other processes on the device at 1 of 1 points"


def test_a_part_of_a_divided_device_has_its_own_name_and_no_energy_of_the_whole(
    program: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    two_cpus()
    divided = {**environment, "STAND_IN_NVML_MIG": "1"}
    (listed,) = (one for one in list_devices(program, divided).devices if one.name == "cuda:0")
    assert listed.select == f"cuda:MIG-{UUID}"
    launcher = ProgramLauncher(
        {("", DEVICE_PROGRAM.name): ReadyProgram(program)},
        {**divided, SELECTED: listed.select},
        Libraries(tmp_path / "cache"),
    )
    plain = launch_of(DEVICE_STREAM.name, [{"size": 2**20}], Layout(wait_policy=WaitPolicy.PASSIVE))
    outcome, record = start(launcher, plain, tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    state = record.points[0].device_state
    assert state is not UNSET
    assert (state.after.mig, state.after.power_w, state.energy_joules) == (True, None, None)


@pytest.mark.parametrize("call", [1, 40])
def test_a_device_that_fails_ends_its_launch_and_not_the_run(
    call: int, program: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    two_cpus()
    launcher = ProgramLauncher(
        {("", DEVICE_PROGRAM.name): ReadyProgram(program)},
        {**environment, "STAND_IN_CUDA_LOST": f"{call}:214", SELECTED: f"cuda:GPU-{UUID}"},
        Libraries(tmp_path / "cache"),
    )
    plain = launch_of(DEVICE_STREAM.name, [{"size": 2**20}], Layout(wait_policy=WaitPolicy.PASSIVE))
    outcome, record = start(launcher, plain, tmp_path)
    # Code 3 would end the run: the machine lacks what all launches need.
    assert (outcome.verdict, outcome.exit_code) == (Verdict.FAILED, 1)
    assert any("CUDA_ERROR_ECC_UNCORRECTABLE (214)" in reason for reason in outcome.reasons)
    assert not record.points


def test_a_device_that_the_driver_does_not_have_is_told(
    program: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    words = [program, DEVICE_STREAM.name, "--record", str(tmp_path / "r"), "--point", "size=1024"]
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, SELECTED: "cuda:GPU-1"},
    )
    assert done.returncode == 3
    assert "none of the 1 devices of CUDA" in done.stderr

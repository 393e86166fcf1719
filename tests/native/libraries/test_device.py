"""Benchmarks of devices, on one of this machine: measured, checked, described, refused."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.devices.selected import SELECTED, list_devices, selected_device
from machmeter.build.programs import build_program
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.libraries import Libraries
from machmeter.launch.ready import ReadyProgram
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.plan.launch import LaunchOutcome, Record, Verdict
from machmeter.run.measuring.tally import metrics_of
from tests.support.cli_calls import call, document
from tests.support.processes.native_programs import build_tools, launch_of, start, two_cpus

pytestmark = pytest.mark.alone

SIZE = 2**20
KERNELS = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "dot": 2}


@pytest.fixture(scope="module")
def program(cache: Path) -> str:
    return build_program(cache, DEVICE_PROGRAM, build_tools(), os.environ)


@pytest.fixture(scope="module")
def device(program: str) -> str:
    try:
        return selected_device(program, os.environ, os.environ.get(SELECTED, "")).select
    except MachineLacksError as error:
        pytest.skip(error.message)


def launched(
    program: str,
    threads: int,
    folder: Path,
    benchmark: str = DEVICE_STREAM.name,
    points: Sequence[dict[str, Value]] = ({"size": SIZE},),
    *,
    device: str,
) -> tuple[LaunchOutcome, Record]:
    ready = {("", DEVICE_PROGRAM.name): ReadyProgram(program)}
    launcher = ProgramLauncher(ready, {**os.environ, SELECTED: device}, Libraries(folder / "cache"))
    layout = Layout(threads_per_rank=threads, wait_policy=WaitPolicy.PASSIVE)
    return start(launcher, launch_of(benchmark, points, layout), folder)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_kernel_is_measured_checked_and_timed_twice(
    threads: int, program: str, device: str, tmp_path: Path
) -> None:
    two_cpus()
    outcome, record = launched(program, threads, tmp_path, device=device)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert record.header is not None
    described = record.header.device
    assert described is not None
    assert described.api == "opencl"
    if "pocl" in device:
        # Threads are those of the layout, and not as many as there are CPUs.
        assert described.units == threads
        assert record.points[0].quantities["device_threads"] == threads
    (point,) = record.points
    assert point.check.passed, point.check
    for kernel, arrays in KERNELS.items():
        assert point.quantities[f"{kernel}_bytes"] == arrays * point.quantities["bytes"]
        times = zip(point.series[kernel], point.series[f"{kernel}_event"], strict=True)
        assert all(0 < own <= 1.001 * wall for wall, own in times)
    assert {one.name for one in metrics_of(DEVICE_STREAM, point)} == {
        f"{kernel}{clock}_bandwidth" for kernel in KERNELS for clock in ("", "_event")
    }


@pytest.mark.parametrize(
    ("benchmark", "points", "series"),
    [
        ("device.latency", [{"size": 2**14}, {"size": 2**22}], "load"),
        ("device.launch", [{"together": 1}, {"together": 50}], "seconds"),
        (
            "device.copy",
            [
                {"way": "to-device", "host_memory": "pinned", "size": 2**16},
                {"way": "both", "host_memory": "pageable", "size": 2**16},
            ],
            "seconds",
        ),
        (
            "device.overlap",
            [{"way": "to-device", "size": 2**20}, {"way": "from-device", "size": 2**20}],
            "total",
        ),
        ("device.atomics", [{"bins": 1}, {"bins": 1024}], "seconds"),
        ("device.fma", [{"precision": "double"}, {"precision": "single"}], "seconds"),
        (
            "device.liquid",
            [{"case": case, "cells": 6, "steps": 25} for case in ("melt", "liquid")],
            "run_event",
        ),
    ],
)
def test_loads_and_launches_are_measured_and_checked(
    benchmark: str,
    points: list[dict[str, Value]],
    series: str,
    program: str,
    device: str,
    tmp_path: Path,
) -> None:
    two_cpus()
    outcome, record = launched(program, 2, tmp_path, benchmark, points, device=device)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert [point.check.passed for point in record.points] == [True, True]
    assert all(min(point.series[series]) > 0 for point in record.points)


def test_what_is_listed_can_be_selected_by_its_name_and_its_number(
    program: str, device: str
) -> None:
    listed = list_devices(program, os.environ)
    names = [one.select for one in listed.devices]
    assert device in names or os.environ.get(SELECTED)
    assert selected_device(program, os.environ, str(len(names) - 1)).select == names[-1]
    assert all(one.device.name for one in listed.devices)
    with pytest.raises(MachineLacksError, match="names no device"):
        selected_device(program, os.environ, str(len(names)))


@pytest.mark.usefixtures("device")
def test_the_command_lists_devices_with_the_names_that_runs_take(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MACHMETER_CACHE", str(cache))
    monkeypatch.setenv("COLUMNS", "100")
    found = document(capfd, "list", "list", "devices")
    assert not found["benchmarks"]
    assert not found["machines"]
    code, out, _ = call(capfd, "list", "devices")
    assert code == 0
    for one in found["devices"]:
        assert re.search(rf"(?m)^  {one['name']} ", out)
        assert one["device"]["name"].split()[0] in out
        assert one["device"]["kind"].upper() in out


def test_a_launch_on_another_device_than_its_layout_names_is_rejected(
    program: str, device: str, tmp_path: Path
) -> None:
    two_cpus()
    every = {one.select: one for one in list_devices(program, os.environ).devices}
    listed = every.get(device, next(iter(every.values())))
    launcher = ProgramLauncher(
        {("", DEVICE_PROGRAM.name): ReadyProgram(program)},
        os.environ,
        Libraries(tmp_path / "cache"),
    )
    layout = Layout(wait_policy=WaitPolicy.PASSIVE, device=listed.name)
    plain = launch_of(DEVICE_STREAM.name, [{"size": SIZE}], layout)
    outcome, _ = start(launcher, replace(plain, device=listed), tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert f"{SELECTED}={listed.select}" in outcome.command
    other = replace(listed, device=replace(listed.device, name="another", uuid="0a"))
    outcome, _ = start(launcher, replace(plain, number=2, device=other), tmp_path)
    assert outcome.verdict is Verdict.REJECTED
    name = f"name of device {listed.name}: requested another, observed {listed.device.name}"
    assert name in outcome.reasons
    assert any(reason.startswith("uuid of device") for reason in outcome.reasons)


@pytest.mark.usefixtures("device")
def test_a_name_that_no_device_has_is_wrong_usage_with_those_that_there_are(
    cache: Path, program: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MACHMETER_CACHE", str(cache))
    names = [one.name for one in list_devices(program, os.environ).devices]
    words = ("run", DEVICE_STREAM.name, "--threads", "1", "--dry-run", "--device")
    code, out, err = call(capfd, *words, f"{names[0]},opencl:99")
    assert (code, out) == (2, "")
    assert f"no device 'opencl:99'; it has {', '.join(names)}" in err
    code, out, _ = call(capfd, *words, names[0])
    assert code == 0
    assert f"device {names[0]}" in out


def test_a_device_that_is_not_there_is_told_with_what_to_install(
    program: str, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    words = [program, DEVICE_STREAM.name, "--record", str(record), "--point", f"size={SIZE}"]
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, SELECTED: "opencl:/no/such/libnone.so:0"},
    )
    assert done.returncode == 3
    assert "/no/such/libnone.so" in done.stderr
    assert "pocl-opencl-icd" in done.stderr
    assert not list(tmp_path.iterdir())

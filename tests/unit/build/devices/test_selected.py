"""Which device a launch measures, and what its program is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.build.devices.selected import device_settings, list_devices, selected_device
from machmeter.launch.environment import launch_environment
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from tests.support.processes.native_programs import executable

SEVERAL = """cat <<END
{"select":"opencl:pocl:0","device":{"api":"opencl","name":"pthread","kind":"cpu"}}
{"select":"opencl:nv:0","device":{"api":"opencl","name":"G","kind":"gpu","bus":"0000:c1:00.0"}}
{"select":"opencl:nv:1","device":{"api":"opencl","name":"G","kind":"gpu","bus":"0000:c2:00.0"}}
{"select":"opencl:intel:0","device":{"api":"opencl","name":"EPYC","kind":"cpu","uuid":"ab"}}
{"select":"cuda:GPU-1","device":{"api":"cuda","name":"G","kind":"gpu","bus":"0000:c2:00.0"}}
{"select":"opencl:x:0","device":{"api":"opencl","name":"G","kind":"gpu","uuid":null,"bus":null}}
{"select":"opencl:y:0","device":{"api":"opencl","name":"G","kind":"gpu","uuid":null,"bus":null}}
END"""
LISTED = """cat <<END
{"library":"libnone.so","failure":"it has no device"}
{"select":"opencl:libpocl.so.2:0","device":{"api":"opencl","name":"cpu","units":2,"ecc":null}}
{"select":"opencl:libnvidia.so:0","device":{"api":"opencl","name":"gpu"}}
END"""


def test_the_first_is_measured_unless_another_is_named(tmp_path: Path) -> None:
    program = str(executable(tmp_path / "listing", LISTED))
    assert selected_device(program, os.environ, "").select == "opencl:libpocl.so.2:0"
    assert selected_device(program, os.environ, "1").select == "opencl:libnvidia.so:0"
    # By its name it is not looked for.
    assert selected_device("/no/such", {}, "opencl:/x.so:3").select == "opencl:/x.so:3"
    # What compiles for one of CUDA is chosen by what it is.
    several = str(executable(tmp_path / "several", SEVERAL))
    found = selected_device(several, os.environ, "cuda:GPU-1")
    assert (found.select, found.device.bus) == ("cuda:GPU-1", "0000:c2:00.0")


def test_devices_are_numbered_by_interface_and_one_that_is_listed_again_is_told(
    tmp_path: Path,
) -> None:
    listed = list_devices(str(executable(tmp_path / "listing", SEVERAL)), os.environ)
    # All of the CPUs are one device; of those that say nothing of themselves nothing is known.
    assert [(one.name, one.same_as) for one in listed.devices] == [
        ("opencl:0", ""),
        ("opencl:1", ""),
        ("opencl:2", ""),
        ("opencl:3", "opencl:0"),
        ("cuda:0", "opencl:2"),
        ("opencl:4", ""),
        ("opencl:5", ""),
    ]
    assert listed.without == ()


@pytest.mark.parametrize("named", ["2", "first", "cuda:GPU-7"])
def test_what_names_none_is_told_with_why_implementations_have_none(
    named: str, tmp_path: Path
) -> None:
    program = str(executable(tmp_path / "listing", LISTED))
    with pytest.raises(MachineLacksError) as caught:
        selected_device(program, os.environ, named)
    assert f"MACHMETER_DEVICE={named} names no device: there are 2" in caught.value.message
    assert "libnone.so: it has no device" in caught.value.message


def test_without_any_device_it_says_what_to_install(tmp_path: Path) -> None:
    program = str(executable(tmp_path / "listing", "true"))
    with pytest.raises(MachineLacksError, match="has no device") as caught:
        selected_device(program, os.environ, "")
    assert "pocl-opencl-icd" in caught.value.remedy


def test_a_device_on_the_cpus_has_the_threads_of_the_layout(tmp_path: Path) -> None:
    device = NamedDevice("opencl:0", "opencl:x:0", Device("opencl", "cpu"))
    layout = Layout(threads_per_rank=3)
    settings = device_settings(device, layout, tmp_path / "cache", {})
    assert settings["MACHMETER_DEVICE"] == "opencl:x:0"
    assert "MACHMETER_NVRTC" not in settings
    assert settings["POCL_MAX_PTHREAD_COUNT"] == settings["POCL_CPU_MAX_CU_COUNT"] == "3"
    assert Path(settings["POCL_CACHE_DIR"]).is_dir()
    assert Path(settings["POCL_CACHE_DIR"]).is_relative_to(tmp_path / "cache")


def test_what_the_caller_sets_for_devices_reaches_no_launch_but_what_schedulers_allow() -> None:
    caller = {
        "POCL_AFFINITY": "1",
        "OCL_ICD_VENDORS": "/x",
        "CUDA_LAUNCH_BLOCKING": "1",
        "CUDA_VISIBLE_DEVICES": "GPU-1",
        "MACHMETER_DEVICE": "1",
        "HOME": "/h",
    }
    kept = {"CUDA_VISIBLE_DEVICES": "GPU-1", "HOME": "/h"}
    assert launch_environment(caller, None) == kept
    assert launch_environment(caller, None, ours=False) == caller

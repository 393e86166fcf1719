"""Which NVRTC makes code that a driver loads on a device, and how it is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from machmeter.build.devices import nvrtc
from machmeter.build.devices.nvrtc import (
    NVRTC,
    NvrtcRelease,
    compiler_settings,
    nvrtc_for,
    resolve_nvrtc,
)
from machmeter.model.device import Device
from machmeter.model.errors import MachineLacksError


@pytest.mark.parametrize(
    ("driver", "architecture", "version"),
    [
        ((13, 0), 90, "13.5.37"),
        ((13, 1), 75, "13.5.37"),
        # V100, and a driver of CUDA 12.
        ((13, 0), 70, "12.9.86"),
        ((12, 4), 90, "12.9.86"),
        ((12, 0), 60, "12.9.86"),
        # K80, and drivers that load no code of CUDA 12.
        ((11, 4), 37, "11.8.89"),
        ((12, 2), 37, "11.8.89"),
        ((11, 0), 80, "11.8.89"),
    ],
)
def test_the_newest_whose_code_the_driver_loads(
    driver: tuple[int, int], architecture: int, version: str
) -> None:
    assert nvrtc_for(driver, architecture).requirement.endswith(f"=={version}")


@pytest.mark.parametrize(("driver", "architecture"), [((10, 2), 70), ((11, 8), 100), ((12, 0), 30)])
def test_where_there_is_none_opencl_is_left(driver: tuple[int, int], architecture: int) -> None:
    with pytest.raises(MachineLacksError, match=f"sm_{architecture}") as caught:
        nvrtc_for(driver, architecture)
    assert "OpenCL" in caught.value.remedy


def test_the_library_of_the_wheel_is_found_and_an_empty_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "nvrtc" / "wheel"
    folder = prefix / "lib" / "python3" / "nvidia" / "lib"
    folder.mkdir(parents=True)

    def fetched(requirement: str, _folder: Path, **options: object) -> Path:
        assert requirement == NVRTC[0].requirement
        assert isinstance(options["environment"], Mapping)
        return prefix

    monkeypatch.setattr(nvrtc, "fetch_wheel", fetched)
    monkeypatch.setattr(nvrtc.platform, "machine", lambda: "x86_64")
    with pytest.raises(MachineLacksError, match="holds no libnvrtc"):
        resolve_nvrtc(NVRTC[0], tmp_path, {})
    (folder / "libnvrtc-builtins.so.13.5").touch()
    (folder / "libnvrtc.so.13").touch()
    assert resolve_nvrtc(NVRTC[0], tmp_path, {}) == str(folder / "libnvrtc.so.13")
    monkeypatch.setattr(nvrtc.platform, "machine", lambda: "riscv64")
    with pytest.raises(MachineLacksError, match="riscv64"):
        resolve_nvrtc(NVRTC[0], tmp_path, {})


def test_a_launch_on_a_device_of_cuda_is_told_where_its_compiler_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolved(release: NvrtcRelease, cache: Path, _: Mapping[str, str]) -> str:
        return f"{cache}/{release.requirement}"

    monkeypatch.setattr(nvrtc, "resolve_nvrtc", resolved)
    k80 = Device("cuda", "Tesla K80", runtime="CUDA 11.4", architecture="sm_37")
    found = compiler_settings(k80, tmp_path, {})
    assert found == {"MACHMETER_NVRTC": f"{tmp_path}/nvidia-cuda-nvrtc-cu11==11.8.89"}
    # The one that its user names is taken as it is.
    named = {"MACHMETER_NVRTC": "/opt/libnvrtc.so"}
    assert compiler_settings(k80, tmp_path, named) == named
    assert compiler_settings(Device("opencl", "Tesla K80"), tmp_path, named) == {}

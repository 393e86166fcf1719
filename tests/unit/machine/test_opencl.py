"""Implementations of OpenCL are found by the files that loaders read, and none is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.machine.opencl import find_nvidia_driver, find_opencl


def test_libraries_are_those_that_files_name_in_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "etc/OpenCL/vendors"
    folder.mkdir(parents=True)
    (folder / "b.icd").write_text("/opt/libb.so\n")
    (folder / "a.icd").write_text("liba.so")
    (folder / "c.icd").write_text("\n")
    (folder / "d.txt").write_text("libd.so\n")
    (folder / "e.icd").mkdir()
    assert find_opencl(tmp_path) == ("liba.so", "/opt/libb.so")


def test_a_machine_without_any_has_none(tmp_path: Path) -> None:
    assert find_opencl(tmp_path) == ()
    assert find_nvidia_driver(tmp_path) == ""


def test_the_driver_of_nvidia_is_that_whose_module_is_loaded(tmp_path: Path) -> None:
    version = tmp_path / "sys/module/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text("550.54.15\n")
    assert find_nvidia_driver(tmp_path) == "550.54.15"


@pytest.mark.parametrize("file", ["usr/lib/wsl/lib/libcuda.so.1", "dev/nvhost-gpu", "dev/nvgpu"])
def test_a_driver_that_does_not_say_its_version_is_there_all_the_same(
    file: str, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).touch()
    assert find_nvidia_driver(tmp_path) == "unknown"

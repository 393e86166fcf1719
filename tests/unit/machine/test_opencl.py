"""Implementations of OpenCL are found by the files that loaders read, and none is loaded."""

from __future__ import annotations

from pathlib import Path

from machmeter.machine.opencl import find_opencl


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

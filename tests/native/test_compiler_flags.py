"""Flags that a person names come after all others, each as often as it is named."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
CONFIGURE_SECONDS = 200
# Words that are there already, twice the same one, and OpenMP's own, whose last one counts.
FLAGS = ("-march=x86-64", "-march=native", "-fno-math-errno", "-fopenmp", "-march=x86-64")


def test_they_are_last_and_as_written(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or pytest.skip("g++ is not installed")
    tools = Path(sys.executable).parent
    configure = [str(tools / "cmake"), "-S", str(NATIVE), "-B", str(tmp_path), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", f"-DCMAKE_CXX_COMPILER={compiler}"]
    configure += ["-DMACHMETER_MPI=OFF", f"-DMACHMETER_EXTRA_FLAGS={';'.join(FLAGS)}"]
    subprocess.run(configure, check=True, capture_output=True, timeout=CONFIGURE_SECONDS)
    flags = " ".join(FLAGS)
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    files = [Path(one["file"]) for one in commands]
    folders = {f.relative_to(NATIVE).parts[0] for f in files if f.is_relative_to(NATIVE)}
    assert folders >= {"core", "memory", "threads", "sparse", "apps", "main"}
    measuring = [one["command"] for one in commands if "machmeter-bind.dir" not in one["command"]]
    assert all(f" {flags} -o " in command for command in measuring)
    links = (tmp_path / "build.ninja").read_text().splitlines()
    of_node = [line.strip() for line in links if line.strip().startswith("LINK_FLAGS")]
    assert f"LINK_FLAGS = {flags}" in of_node
    recorded = (tmp_path / "generated" / "core" / "record" / "toolchain.hpp").read_text()
    assert f'-std=c++20 {flags})machmeter"' in recorded

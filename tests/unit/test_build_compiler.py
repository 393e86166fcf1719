"""The compiler that is found, and the words when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_up_tools import tool

from machmeter.build.compiler import find_compiler
from machmeter.model.errors import MachineLacksError


def test_the_usual_names_are_tried_in_turn(tmp_path: Path) -> None:
    clang = tool(tmp_path, "clang++", "echo 'made-up clang 14'; echo more")
    found = find_compiler("", {"PATH": str(tmp_path)})
    assert (found.path, found.version) == (str(clang), "made-up clang 14")
    gcc = tool(tmp_path, "g++", "echo 'made-up gcc 12'")
    assert find_compiler("", {"PATH": str(tmp_path)}).path == str(gcc)


def test_what_is_asked_for_wins_over_cxx_and_cxx_over_the_usual_names(tmp_path: Path) -> None:
    for name in ("g++", "mine", "theirs"):
        tool(tmp_path, name, f"echo {name}")
    environment = {"PATH": str(tmp_path), "CXX": "theirs"}
    assert find_compiler("", environment).version == "theirs"
    assert find_compiler("mine", environment).version == "mine"
    assert find_compiler(str(tmp_path / "mine"), environment).version == "mine"


@pytest.mark.parametrize("asked", ["", "no-such-compiler"])
def test_no_compiler_is_told_with_how_to_get_one(tmp_path: Path, asked: str) -> None:
    with pytest.raises(MachineLacksError) as caught:
        find_compiler(asked, {"PATH": str(tmp_path)})
    assert "C++ compiler" in caught.value.message
    assert "apt install g++" in caught.value.remedy
    assert asked in caught.value.message


def test_another_compiler_is_not_taken_in_silence(tmp_path: Path) -> None:
    tool(tmp_path, "g++", "echo gcc")
    with pytest.raises(MachineLacksError, match="no-such"):
        find_compiler("no-such", {"PATH": str(tmp_path) + os.pathsep + "/usr/bin"})


def test_a_compiler_that_does_not_even_tell_its_version_is_told(tmp_path: Path) -> None:
    tool(tmp_path, "g++", "echo 'license expired' >&2; exit 3")
    with pytest.raises(MachineLacksError) as caught:
        find_compiler("", {"PATH": str(tmp_path)})
    assert "exit code 3" in caught.value.message
    assert "license expired" in caught.value.details

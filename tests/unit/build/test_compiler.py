"""The compiler that is found, and the words when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.build.compiler import find_compiler, parse_flags
from machmeter.model.errors import MachineLacksError, UsageError
from tests.support.made_up.tools import tool


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


@pytest.mark.parametrize(
    ("named", "flags"),
    [
        ("ccache g++", ()),
        ("/usr/lib/sccache g++ -m64", ("-m64",)),
        ("g++ -m64 -std=gnu++17", ("-m64", "-std=gnu++17")),
        ("  g++  ", ()),
        ("distcc ccache 'g++'", ()),
    ],
)
def test_cxx_may_hold_what_starts_the_compiler_and_flags(
    tmp_path: Path, named: str, flags: tuple[str, ...]
) -> None:
    for name in ("g++", "ccache"):
        tool(tmp_path, name, f"echo {name}")
    environment = {"PATH": str(tmp_path), "CXX": named, "CXXFLAGS": "-g"}
    found = find_compiler("", environment)
    assert (found.version, found.flags) == ("g++", flags)
    assert found.environment(environment)["CXXFLAGS"] == " ".join((*flags, "-g"))
    assert find_compiler(named, {"PATH": str(tmp_path)}) == found


def test_a_path_with_blanks_is_one_compiler(tmp_path: Path) -> None:
    (tmp_path / "my tools").mkdir()
    path = tool(tmp_path / "my tools", "g++", "echo mine")
    found = find_compiler(str(path), {"PATH": str(tmp_path)})
    assert (found.path, found.flags) == (str(path), ())


@pytest.mark.parametrize("named", ["g++ -isystem /opt/x", "g++ '-DA=;rm'", "g++ -DA=$(id)"])
def test_words_of_cxx_that_are_no_flags_are_refused(tmp_path: Path, named: str) -> None:
    tool(tmp_path, "g++", "echo g++")
    with pytest.raises(UsageError, match="is no flag"):
        find_compiler(named, {"PATH": str(tmp_path)})


def test_what_the_loader_says_is_not_the_version(tmp_path: Path) -> None:
    """A library in LD_PRELOAD that is not there: its line came before that of the compiler."""
    tool(tmp_path, "g++", "echo 'ERROR: ld.so: cannot be preloaded' >&2; echo 'made-up gcc 12'")
    assert find_compiler("", {"PATH": str(tmp_path)}).version == "made-up gcc 12"
    tool(tmp_path, "g++", "echo 'made-up gcc 13' >&2")
    assert find_compiler("", {"PATH": str(tmp_path)}).version == "made-up gcc 13"


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


def test_flags_are_words_of_their_own() -> None:
    assert parse_flags("") == ()
    text = "-O2 -march=x86-64-v3 --param=max-unroll-times=4 -Wl,-z,now -mprefer-vector-width=512"
    assert parse_flags(text) == tuple(text.split())
    assert parse_flags("'-O2'   -g") == ("-O2", "-g")


@pytest.mark.parametrize(
    "text",
    [
        *("O2", "-O2; rm", "-O2 $(id)", "-DA=`id`", "-DA='x y'", "@file", "-", "--", "'-O2"),
        *("-o", "-ofile", "-c", "-E", "-S", "-MD", "-MFx", "-std=c++17", "-x", "-Da\nb", "-fé"),
        *("--output=file", "--std=c++17", "--compile", "--language=c", "-xc", "-ansi", "--ansi"),
        *("--version", "-dumpversion", "--help=target", "-print-search-dirs", "-M", "--assemble"),
        " ".join(["-g"] * 101),
    ],
)
def test_what_is_no_flag_or_is_the_build_s_to_decide_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--flags"):
        parse_flags(text)


@given(st.text(max_size=40))
def test_no_flag_holds_what_a_shell_or_cmake_would_read(text: str) -> None:
    try:
        flags = parse_flags(text)
    except UsageError:
        return
    for flag in flags:
        assert flag.startswith("-")
        assert not set(flag) & set(" \t\n;&|<>$`\"'\\*?[]#~%!(){}")

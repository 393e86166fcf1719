"""Input files of an application: there, and those of its description."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from machmeter.apps.inputs import LARGEST_FILLED, check_inputs, identity
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.plan.description import (
    Description,
    InputFile,
    Preparation,
    ProgramVariant,
)

CONTENT = b"units lj\n"
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


def described(path: str, sha256: str = "") -> Description:
    file = InputFile(path=path, sha256=sha256)
    return Description(name="a", title="A", command=("a",), inputs=(file,))


@pytest.mark.parametrize("sha256", ["", CHECKSUM, CHECKSUM.upper()])
def test_checksums_of_files_that_are_right(sha256: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "in").write_bytes(CONTENT)
    assert check_inputs(described("sub/in", sha256), tmp_path) == {"sub/in": CHECKSUM}


def test_another_file_is_refused_with_its_checksum(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(CONTENT)
    with pytest.raises(MachmeterError, match=CHECKSUM):
        check_inputs(described("in", "0" * 64), tmp_path)


@pytest.mark.parametrize("name", ["none", "folder", "pipe"])
def test_what_is_no_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MachmeterError, match=name):
        check_inputs(described(name), tmp_path)


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"{cores}\n", "{cores}"), (b"\xff", "UTF-8"), (b"a" * (LARGEST_FILLED + 1), "larger")],
)
def test_a_file_that_cannot_be_filled_is_refused(content: bytes, word: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(content)
    file = InputFile(path="in", fill=True)
    with pytest.raises(UsageError) as refused:
        check_inputs(Description(name="a", title="A", command=("a",), inputs=(file,)), tmp_path)
    assert word in refused.value.message + refused.value.remedy


def test_another_variant_of_the_program_is_another_input() -> None:
    variants = (ProgramVariant(program="/b/a-avx2", feature="avx2"),)
    described = Description(name="a", title="A", command=("a",), variants=variants)
    assert identity(described, {}, "/b/a-avx2") != identity(described, {}, "/b/a")
    bare = Description(name="a", title="A", command=("a",))
    assert identity(bare, {}, "/b/a") == identity(bare, {}, "/c/b")


def test_what_a_tool_makes_is_the_same_where_its_preparations_are() -> None:
    def described(command: str, sha256: str = "") -> Description:
        return Description(
            name="a",
            title="A",
            command=("a",),
            inputs=(InputFile(path="mesh", made=True, sha256=sha256),),
            preparations=(Preparation(command=(command,)),),
        )

    first, other = {"mesh": CHECKSUM}, {"mesh": "0" * 64}
    assert identity(described("a"), first) == identity(described("a"), other)
    assert identity(described("a"), first) != identity(described("b"), first)
    assert identity(described("a", CHECKSUM), first) != identity(described("a", CHECKSUM), other)


def test_filling_makes_another_input_of_a_file() -> None:
    names = {"in": CHECKSUM}
    filled = Description(
        name="a", title="A", command=("a",), inputs=(InputFile(path="in", fill=True),)
    )
    assert identity(filled, names) != identity(described("in"), names)

"""What launches are given is looked at before and after each, and is the user's own for ever."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.files import given_files
from machmeter.launch.files.given_files import GivenFiles
from machmeter.launch.observed import Running, run_observed
from machmeter.launch.process import ProcessResult
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description, InputFile
from machmeter.model.plan.launch import FileState, Launch
from machmeter.store.records import read_record
from tests.support.described import launch_of_described

DESCRIBED = Description(name="a", title="A", command=("a",), inputs=(InputFile(path="mesh"),))
KIB = 2**10


class Case:
    """A program and its input file, launched again and again."""

    def __init__(self, folder: Path, description: Description | None = DESCRIBED) -> None:
        self.folder, self.records, self.said = folder / "user", folder / "launches", list[str]()
        for one in (self.folder, self.records):
            one.mkdir()
        self.program, self.mesh = self.folder / "solver", self.folder / "mesh"
        self.program.write_text("#!/bin/sh")
        self.mesh.write_text("m" * KIB)
        self.files = GivenFiles(self.said.append)
        self.number = 0
        own = description is not None
        words = (str(self.program), "mesh", "no file", "x" * 5000)
        self.command = Command(words, str(self.folder), 60.0, description, own_folder=own)

    @property
    def launch(self) -> Launch:
        one = launch_of_described(DESCRIBED, folder=str(self.folder))
        spec = replace(one.spec, command=self.command, points=one.spec.points[:1])
        return replace(one, number=self.number, spec=spec)

    def start(self, does: str = "", *, is_local: bool = False) -> tuple[FileState, ...]:
        """What the record of one launch says it was given; does: what it writes into its mesh."""
        self.number += 1
        self.read_only: tuple[Path, ...] = ()
        record = self.records / f"{self.number:05d}.jsonl"

        def run(folder: str, _most: int, read_only: Sequence[Path]) -> ProcessResult:
            self.read_only = tuple(read_only)
            mesh = Path(folder) / "mesh"
            assert mesh.read_text() == self.mesh.read_text()
            if does:
                mesh.write_text(does)
            return ProcessResult(0, 1.0, False, "")

        running = Running(self.command.words, run, is_local=is_local)
        result = run_observed(self.launch, self.command, record, running, self.files)
        header = read_record(record).header
        assert header is not None, result.output
        return header.inputs


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input file of a KiB is too large to be copied for each launch."""
    monkeypatch.setattr(given_files, "LARGEST_COPIES", KIB - 1)


def test_the_record_says_what_the_launch_was_given(tmp_path: Path) -> None:
    case = Case(tmp_path)
    program, mesh = case.start()
    assert (program.path, program.bytes) == (str(case.program), 9)
    assert (mesh.path, mesh.bytes) == (str(case.mesh), KIB)
    assert mesh.changed_ns == case.mesh.stat().st_mtime_ns
    assert mesh.sha256 == hashlib.sha256(b"m" * KIB).hexdigest()
    case.mesh.write_text("n" * KIB)
    _, changed = case.start()
    assert (changed.bytes, changed.sha256 != mesh.sha256) == (KIB, True)
    # A checksum is made again where anything about the file is new, and its time may be set.
    os.utime(case.mesh, ns=(mesh.changed_ns, mesh.changed_ns))
    _, same = case.start()
    assert same.sha256 == changed.sha256


def test_what_a_program_writes_into_a_large_input_reaches_no_other_launch(
    tmp_path: Path, large: None
) -> None:
    case = Case(tmp_path)
    for number in range(3):
        (_, mesh) = case.start(does=f"written over {number}")
        assert not mesh.written
    assert case.mesh.read_text() == "m" * KIB
    (said,) = case.said
    assert str(case.mesh) in said
    copies = tuple((case.records / "inputs").iterdir())
    case.start()
    assert [one.read_text() for one in copies] == ["m" * KIB], "one copy for all launches"


def test_a_copy_that_no_launch_wrote_to_is_made_once(tmp_path: Path, large: None) -> None:
    case = Case(tmp_path)
    case.start()
    (copy,) = (case.records / "inputs").iterdir()
    made = copy.stat()
    case.start()
    now = copy.stat()
    assert (now.st_ino, now.st_ctime_ns) == (made.st_ino, made.st_ctime_ns)
    case.mesh.write_text("n" * KIB)
    case.start()
    assert {one.read_text() for one in (case.records / "inputs").iterdir()} >= {"n" * KIB}


def test_a_user_s_file_that_does_not_fit_is_told_before_and_seen_after(
    tmp_path: Path, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given_files, "SHARE_OF_FREE", 0.0)
    case = Case(tmp_path)
    (_, mesh) = case.start()
    assert not mesh.written
    (said,) = case.said
    assert f"can write into {case.mesh}" in said
    (_, mesh) = case.start(does="written over")
    assert mesh.written
    assert len(case.said) == 1, "told once"
    # Written again as it was: it is the same file.
    (_, mesh) = case.start(does="written over")
    assert not mesh.written


@pytest.mark.parametrize("works", [True, False])
def test_what_does_not_fit_is_read_only_where_the_system_gives_that(
    tmp_path: Path, large: None, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    monkeypatch.setattr(given_files, "SHARE_OF_FREE", 0.0)
    monkeypatch.setattr(given_files, "can_be_read_only", lambda _: works)
    case = Case(tmp_path)
    case.start(is_local=True)
    assert case.read_only == ((case.mesh,) if works else ())
    (said,) = case.said
    assert str(case.mesh) in said
    assert ("can write into" in said) is not works
    # Ranks on other nodes are started by daemons there.
    case.start(is_local=False)
    assert case.read_only == ()
    assert "can write into" in case.said[-1]


def test_files_among_typed_words_are_looked_at_where_an_output_is_read_too(tmp_path: Path) -> None:
    case = Case(tmp_path)
    with_rate = Description(name="a", title="A", command=("a",))
    case.command = replace(case.command, description=with_rate, own_folder=False)
    _, mesh = case.start()
    assert mesh.path == str(case.mesh)


def test_an_input_that_is_gone_is_named_and_nothing_started(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.mesh.unlink()
    running = Running(case.command.words, lambda *_: pytest.fail("it was started"))
    record = case.records / "1.jsonl"
    result = run_observed(case.launch, case.command, record, running, case.files)
    assert result.exit_code != 0
    assert str(case.mesh) in result.output
    assert not record.exists()


def test_a_file_among_the_words_counts_unless_the_first_launch_writes_it(tmp_path: Path) -> None:
    for name in ("read", "written"):
        (tmp_path / name).mkdir()
    read, written = Case(tmp_path / "read", None), Case(tmp_path / "written", None)
    assert [one.path for one in read.start()] == [str(read.program), str(read.mesh)]
    assert [one.path for one in written.start(does="results")] == [str(written.program)]
    assert [one.path for one in written.start()] == [str(written.program)]
    # What was read before and changes later was changed by somebody.
    _, mesh = read.start(does="edited")
    assert mesh.written


def test_a_program_that_is_compiled_again_during_a_launch_is_seen(tmp_path: Path) -> None:
    case = Case(tmp_path, None)
    case.start()
    case.program.write_text("#!/bin/bash")
    program, _ = case.start()
    assert not program.written

    def run(_folder: str, _most: int, _read_only: Sequence[Path]) -> ProcessResult:
        case.program.write_text("#!/bin/zsh")
        return ProcessResult(0, 1.0, False, "")

    record = case.records / "9.jsonl"
    run_observed(case.launch, case.command, record, Running(case.command.words, run), case.files)
    header = read_record(record).header
    assert header is not None
    assert header.inputs[0].written

"""The folder of a run: written durably, read with care."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.layout.assign import assign
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.layout import Assignment
from machmeter.model.plan.launch import Launch, LaunchOutcome, Verdict
from machmeter.model.results.run import Plan, Precision, RunState
from machmeter.store import files
from machmeter.store.files import read_bounded, read_json, write_durably
from machmeter.store.run_folder import RunFolder, StateFile, holds_run, replaces_file_of_run
from tests.support.fake_launcher import new_folder, small_spec, synthetic_machine


def an_outcome(number: int) -> LaunchOutcome:
    return LaunchOutcome(number, "small", Verdict.ACCEPTED, (), ("program",), 0, "now", 1.0)


def a_launch(number: int) -> Launch:
    spec = small_spec()
    return Launch(number, spec, 1, assign(spec.layout, synthetic_machine().topology))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "a run ü")
    plan = Plan((small_spec(),), Precision())
    folder.write_plan(plan)
    folder.write_launch(a_launch(3))
    folder.write_outcome(an_outcome(3))
    folder.write_state(StateFile(RunState.FINISHED, 12.5))
    again = RunFolder.open(folder.path)
    assert again.header() == folder.header()
    assert again.plan() == plan
    assert again.launch(3) == a_launch(3)
    assert again.outcome(3) == an_outcome(3)
    assert again.state() == StateFile(RunState.FINISHED, 12.5)


def test_a_launch_keeps_its_device_and_says_nothing_where_there_is_none(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    plain = a_launch(1)
    layout = replace(plain.spec.layout, device="opencl:0")
    listed = NamedDevice("opencl:0", "opencl:libpocl.so:0", Device("opencl", "EPYC", units=2))
    named = replace(a_launch(2), spec=replace(plain.spec, layout=layout), device=listed)
    for launch in (plain, named):
        folder.write_launch(launch)
    again = RunFolder.open(folder.path)
    assert tuple(map(again.launch, again.launch_numbers())) == (plain, named)
    written = [
        (folder.path / "launches" / f"{number:05d}.launch.json").read_text() for number in (1, 2)
    ]
    assert ["device" in text for text in written] == [False, True]
    assert "devices" not in (folder.path / "run.json").read_text()


def test_a_launch_leaves_to_the_plan_what_the_plan_says(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    planned, sizing = a_launch(2), replace(a_launch(1), spec=small_spec("sizing"))
    folder.write_launch(sizing)
    folder.write_plan(Plan((planned.spec,), Precision(), assignments={"small": planned.assignment}))
    elsewhere = replace(planned, number=3, assignment=Assignment((((1,),),)))
    other = replace(planned, number=4, spec=small_spec("small", 4096))
    written = (sizing, planned, elsewhere, other)
    for launch in written[1:]:
        folder.write_launch(launch)
    again = RunFolder.open(folder.path)
    assert tuple(map(again.launch, again.launch_numbers())) == written
    short = (folder.path / "launches" / "00002.launch.json").read_bytes()
    assert msgspec.json.decode(short) == {
        "number": 2,
        "spec": "small",
        "seed": 1,
        "assignment": None,
        "round": 0,
    }


def test_launches_are_lost_with_the_plan_that_says_what_they_were(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    launch = a_launch(1)
    folder.write_plan(Plan((launch.spec,), Precision(), assignments={"small": launch.assignment}))
    folder.write_launch(launch)
    (folder.path / "plan.json").unlink()
    with pytest.raises(MachmeterError, match=r"plan\.json does not say what launch 1 was: small"):
        RunFolder.open(folder.path).launch(1)


def test_the_plan_is_read_once_for_all_launches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_folder(tmp_path / "run")
    launch = a_launch(1)
    folder.write_plan(Plan((launch.spec,), Precision(), assignments={"small": launch.assignment}))
    read: list[Path] = []

    def counted(path: Path, most_bytes: int = files.LARGEST_JSON) -> bytes:
        read.append(path)
        return read_bounded(path, most_bytes)

    monkeypatch.setattr(files, "read_bounded", counted)
    for number in range(1, 4):
        folder.write_launch(replace(launch, number=number))
    assert [folder.launch(number).number for number in range(1, 4)] == [1, 2, 3]
    assert [path.name for path in read].count("plan.json") == 1


def test_a_new_folder_has_no_plan_and_counts_as_interrupted(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    assert folder.plan() is None
    assert folder.state().state is RunState.INTERRUPTED
    assert folder.launch_numbers() == ()


def test_launches_are_found_in_order_and_other_files_are_left_alone(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    for number in (12, 2, 100_000):
        folder.write_launch(a_launch(number))
    for name in ("x.launch.json", "00007.jsonl", "00008.launch.json.partial", "1.launch.json"):
        (folder.path / "launches" / name).write_text("rubbish")
    assert folder.launch_numbers() == (2, 12, 100_000)


def test_launches_without_an_outcome_are_left_out_of_the_outcomes(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    for number in (1, 2):
        folder.write_launch(a_launch(number))
    folder.write_outcome(an_outcome(2))
    assert folder.outcome(1) is None
    assert [outcome.launch for outcome in folder.outcomes()] == [2]


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    new_folder(tmp_path / "run")
    with pytest.raises(UsageError, match="holds a run already"):
        new_folder(tmp_path / "run")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run in"):
        RunFolder.open(tmp_path)


def test_a_folder_that_cannot_be_made_is_told_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineLacksError) as caught:
        new_folder(tmp_path / "file" / "run")
    assert caught.value.remedy


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    for content in ("", "{", '{"id": 3}', "[" * 5000):
        (folder.path / "run.json").write_text(content)
        with pytest.raises(
            MachmeterError, match=r"run\.json is not what this version of machmeter writes"
        ):
            folder.header()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more can be written: some file systems say so only when they flush."""

    def flush(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", flush)


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path: Path, full_disk: None) -> None:
    path = tmp_path / "state.json"
    path.write_text("old")
    with pytest.raises(MachineLacksError, match="disk is full"):
        write_durably(path, b"new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_a_file_of_the_users_beside_it_stays(tmp_path: Path) -> None:
    mine = tmp_path / "x.toml.partial"
    mine.write_text("mine")
    write_durably(tmp_path / "x.toml", b"new")
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "replaces"),
    [
        ("run.json", True),
        ("launches/00001.jsonl", True),
        ("launches/00001.outcome.json", True),
        ("figures.csv", False),
        ("report.html", False),
        ("launches/mine.csv", False),
    ],
)
def test_what_would_replace_a_file_of_a_run(tmp_path: Path, name: str, replaces: bool) -> None:
    (tmp_path / "run" / "launches").mkdir(parents=True)
    assert not replaces_file_of_run(tmp_path / "run" / name)
    (tmp_path / "run" / "run.json").write_text("{}")
    assert replaces_file_of_run(tmp_path / "run" / name) == replaces


def test_reading_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 101)
    assert read_bounded(path, 101) == b"x" * 101
    with pytest.raises(MachmeterError, match="larger than 100 bytes"):
        read_bounded(path, 100)
    assert files.LARGEST_JSON < 2**30
    with pytest.raises(MachmeterError, match="cannot read"):
        read_json(tmp_path / "missing", Plan)


def test_what_can_be_neither_written_nor_removed_is_told(tmp_path: Path) -> None:
    # A folder in the place of the temporary file refuses both, as a read-only file system does.
    (tmp_path / f".state.json.{os.getpid()}.partial" / "inside").mkdir(parents=True)
    with pytest.raises(MachineLacksError, match=r"cannot write .*state\.json"):
        write_durably(tmp_path / "state.json", b"new")


def test_the_folder_is_flushed_after_its_file_was_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[bool, bool]] = []

    def flush(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        flushed.append((is_folder, (tmp_path / "a.json").exists()))
        if is_folder:
            raise OSError(errno.EINVAL, "this file system flushes no folders")

    monkeypatch.setattr(os, "fsync", flush)
    write_durably(tmp_path / "a.json", b"new")
    assert flushed == [(False, False), (True, True)]


def test_a_name_that_no_folder_can_have_holds_no_run(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert not holds_run(path)
    with pytest.raises(UsageError, match="there is no run in"):
        RunFolder.open(path)
    with pytest.raises(MachineLacksError, match="File name too long"):
        new_folder(path)


def names_in(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def test_only_what_the_launch_of_that_number_left_is_cleared(tmp_path: Path) -> None:
    launches = new_folder(tmp_path / "run").path / "launches"
    left = {
        "00012.jsonl.partial",
        "00012.jsonl.rank.0",
        ".00012.outcome.json.77.partial",
        "00012.files",
    }
    others = {f"1{name}" for name in left if name[0] != "."} | {".100012.outcome.json.77.partial"}
    mine = {"00012.jsonl", "00012.launch.json", "x00012.partial"}
    for name in left | others | mine:
        (launches / name).touch()
    RunFolder(launches.parent).clear_launch(12)
    assert names_in(launches) == others | mine


def test_files_that_a_killed_run_was_writing_are_removed(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    launches = folder.path / "launches"
    unwritten = {".state.json.77.partial", ".plan.json.77.partial", ".run.json.7.partial"}
    of_launches = {".00003.launch.json.77.partial", ".100003.outcome.json.8.partial"}
    mine = {".state.json.mine.partial", ".notes.json.7.partial", "state.json.7.partial"}
    of_program = {"00003.jsonl.partial", ".state.json.77.partial"}
    for where, names in ((folder.path, unwritten | mine), (launches, of_launches | of_program)):
        for name in names:
            (where / name).touch()
    folder.clear_unwritten()
    assert names_in(folder.path) == {"run.json", "launches"} | mine
    assert names_in(launches) == of_program

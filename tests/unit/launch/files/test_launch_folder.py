"""What launches of described programs run in, and what is read of what they write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.files import launch_folder
from machmeter.launch.files.given_files import GivenFiles
from machmeter.launch.files.launch_folder import (
    LARGEST_KEPT,
    LARGEST_READ,
    leave_launch_folder,
    make_launch_folder,
    written_texts,
)
from machmeter.launch.observed import Running, run_observed
from machmeter.launch.preparing import prepare_launch
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult
from machmeter.model.plan.description import (
    Description,
    Figure,
    InputFile,
    Preparation,
    Validity,
)
from machmeter.store.records import read_record
from tests.support.described import launch_of_described
from tests.support.paths import ROOT
from tests.support.processes.living import is_living
from tests.support.processes.machmeter_command import wait_until
from tests.support.processes.native_programs import Programs

DESCRIBED = Description(
    name="a",
    title="A",
    command=("/bin/a",),
    figures=(
        Figure(name="rate", file="log", pattern=r"rate (\S+)", unit="1/s", better="higher"),
        Figure(name="said", pattern=r"said (\S+)", unit="1/s", better="higher"),
    ),
    validities=(Validity(name="use", pattern=r"said (\S+)", least=1.0),),
    inputs=(InputFile(path="in/data"),),
    exit_codes=(1, 2),
)
FILES = GivenFiles(lambda _: None)
OUTPUT = "said 5\n" + "x" * 2 * OUTPUT_TAIL


def wrote(
    tmp_path: Path, log: str, *, code: int = 1, keep: bool = False
) -> tuple[ProcessResult, Path]:
    """Run a launch whose program reads its input and writes `log`; the path of its record."""
    given = tmp_path / "given"
    (given / "in").mkdir(parents=True)
    (given / "in/data").write_text("input")

    def run(folder: str, most_kept: int, _read_only: Sequence[Path]) -> ProcessResult:
        assert most_kept == LARGEST_READ
        assert (Path(folder) / "in/data").read_text() == "input"
        (Path(folder) / "in/data").write_text("written over")
        (Path(folder) / "log").write_text(log)
        return ProcessResult(code, 2.5, False, OUTPUT)

    launch = launch_of_described(DESCRIBED, folder=str(given), keeps_files=keep)
    command = launch.spec.command
    assert command is not None
    record = tmp_path / "00001.jsonl"
    result = run_observed(launch, command, record, Running(command.words, run), FILES)
    assert (given / "in/data").read_text() == "input", "a program may write into its own copy"
    return result, record


def test_figures_stand_in_the_record_and_the_folder_is_gone(tmp_path: Path) -> None:
    result, path = wrote(tmp_path, "rate 3\nrate 4\n")
    record = read_record(path)
    assert record.complete
    assert record.output is not None
    assert record.output.values == {"rate": 4.0, "said": 5.0, "use": 5.0}
    assert record.points[0].quantities == {"rate": 4.0, "said": 5.0}
    assert not path.with_suffix(".files").exists()
    assert len(result.output) == OUTPUT_TAIL


@pytest.mark.parametrize(("log", "code"), [("no rate\n", 1), ("rate 4\n", 0), ("rate nan\n", 1)])
def test_what_a_launch_that_failed_wrote_is_kept(tmp_path: Path, log: str, code: int) -> None:
    _, path = wrote(tmp_path, log, code=code)
    assert (path.with_suffix(".files") / "log").read_text() == log
    record = read_record(path)
    assert record.complete is (code == 1)
    assert record.output is None or "rate" in record.output.problems


def test_files_of_a_good_launch_are_kept_where_that_was_requested(tmp_path: Path) -> None:
    _, path = wrote(tmp_path, "rate 4\n", keep=True)
    assert (path.with_suffix(".files") / "log").exists()


def test_the_end_of_a_large_file_is_read_and_a_pipe_is_not(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"yx\n" * LARGEST_READ + b"rate 7\n")
    texts = written_texts(tmp_path, DESCRIBED, "")
    assert texts["log"].startswith("yx\n"), "what is left of a line is not read"
    assert texts["log"].endswith("rate 7\n")
    (tmp_path / "log").unlink()
    os.mkfifo(tmp_path / "log")
    assert "log" not in written_texts(tmp_path, DESCRIBED, "")


def test_the_largest_files_are_not_kept_beyond_the_bound(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "small").write_text("kept")
    with (folder / "large").open("wb") as file:
        file.truncate(LARGEST_KEPT + 1)
    outside = tmp_path / "outside"
    outside.write_text("input")
    (folder / "link").symlink_to(outside)
    leave_launch_folder(folder, keep=True)
    assert sorted(path.name for path in folder.iterdir()) == ["link", "small"]
    leave_launch_folder(folder, keep=False)
    assert outside.read_text() == "input"
    assert not folder.exists()


def test_a_launch_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/data").write_text("input")
    launch = launch_of_described(DESCRIBED, folder=str(tmp_path))
    record = tmp_path / "00001.jsonl"

    def run(folder: str, _most_kept: int, _read_only: Sequence[Path]) -> ProcessResult:
        (Path(folder) / "large").write_text("x")
        Path(f"{record}.rank.0").write_text("{}")
        raise KeyboardInterrupt

    assert launch.spec.command is not None
    with pytest.raises(KeyboardInterrupt):
        run_observed(launch, launch.spec.command, record, Running((), run), FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_half_a_number_at_the_cut_of_output_is_not_read(tmp_path: Path) -> None:
    line = "\u00b5 rate 12345\n"
    whole = line * (LARGEST_READ // len(line.encode()) + 2)
    tail = whole.encode()[-LARGEST_READ:].decode(errors="replace")
    assert written_texts(tmp_path, DESCRIBED, tail)[""].startswith(line)


def test_an_input_file_is_filled_with_the_numbers_of_its_launch(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("{ranks} = {rows} x {columns}, {{x}}\r\n", newline="")
    described = replace(DESCRIBED, inputs=(InputFile(path="in", fill=True),))
    launch = launch_of_described(described, 6, folder=str(tmp_path))
    assert launch.spec.command is not None
    make_launch_folder(tmp_path / "launch", launch, launch.spec.command, {})
    assert (tmp_path / "launch/in").read_bytes() == b"6 = 2 x 3, {x}\r\n"


def test_what_an_earlier_launch_wrote_is_never_read(tmp_path: Path) -> None:
    record = tmp_path / "00001.jsonl"
    left = record.with_suffix(".files")
    left.mkdir()
    # In the folder of the launch, and in that of the description.
    for folder in (left, tmp_path):
        (folder / "log").write_text("rate 3\n")
    described = replace(DESCRIBED, inputs=())
    launch = launch_of_described(described, folder=str(tmp_path))
    assert launch.spec.command is not None
    running = Running((), lambda *_: ProcessResult(1, 2.5, False, OUTPUT))
    run_observed(launch, launch.spec.command, record, running, FILES)
    output = read_record(record).output
    assert output is not None
    assert "rate" in output.problems


def prepared(
    programs: Programs, tmp_path: Path, *commands: tuple[str, ...], limit: float = 1
) -> tuple[ProcessResult | None, Path]:
    steps = tuple(Preparation(command=command, each_launch=True) for command in commands)
    described = replace(DESCRIBED, inputs=(), preparations=steps)
    launch = launch_of_described(described, ranks=6, folder=str(tmp_path))
    folder = tmp_path / "00001.files"
    folder.mkdir()
    assert launch.spec.command is not None
    command, record = launch.spec.command, tmp_path / "00001.jsonl"
    failed = prepare_launch(
        launch, command, dict(os.environ), limit, programs.wrapper, record, folder, ()
    )
    assert {one.name for one in tmp_path.iterdir()} == {folder.name}
    return failed, folder


def test_preparations_of_each_launch_run_in_its_folder_with_its_numbers(
    programs: Programs, tmp_path: Path
) -> None:
    failed, folder = prepared(
        *(programs, tmp_path), ("sh", "-c", "echo {ranks} {rows} > mesh"), ("cp", "mesh", "parts")
    )
    assert failed is None
    assert (folder / "parts").read_text() == "6 2\n"


@pytest.mark.parametrize(
    "command", [("sh", "-c", "echo no mesh; exit 3"), ("no-such-tool",), ("sleep", "9")]
)
def test_a_preparation_that_fails_is_the_result_of_the_launch(
    command: tuple[str, ...], programs: Programs, tmp_path: Path
) -> None:
    failed, folder = prepared(programs, tmp_path, command, ("touch", "later"))
    assert failed is not None
    assert failed.exit_code or failed.timed_out
    assert command[0] in failed.output
    assert not (folder / "later").exists()


def test_preparations_end_with_a_machmeter_that_is_killed(
    programs: Programs, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    step = f"trap '' TERM; sleep 97 & echo $! > {marker}.part; mv {marker}.part {marker}; wait"
    script = f"""
from pathlib import Path
from tests.unit.launch.files.test_launch_folder import Programs, prepared
prepared(Programs({programs.folder!r}), Path({str(tmp_path)!r}), ("sh", "-c", {step!r}), limit=60)
"""
    machmeter = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    wait_until(marker.exists, "the preparation has started")
    machmeter.kill()
    machmeter.wait()
    left = int(marker.read_text())
    wait_until(lambda: not is_living(left), "what it started has ended", 20)


def test_nothing_is_started_after_a_preparation_that_failed(tmp_path: Path) -> None:
    described = replace(DESCRIBED, inputs=())
    launch = launch_of_described(described, folder=str(tmp_path))
    assert launch.spec.command is not None
    result = run_observed(
        launch,
        launch.spec.command,
        tmp_path / "00001.jsonl",
        Running(
            (),
            lambda *_: pytest.fail("it was started"),
            lambda *_: ProcessResult(1, 0.1, False, "no mesh"),
        ),
        FILES,
    )
    assert result.exit_code == 1, "one of those that the program may have"
    assert not (tmp_path / "00001.jsonl").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_a_folder_that_its_program_replaced_by_a_link_is_not_followed(
    tmp_path: Path, keep: bool
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    with (victim / "thesis").open("wb") as file:
        file.truncate(LARGEST_KEPT + 1)
    launch = launch_of_described(replace(DESCRIBED, inputs=()), folder=str(tmp_path))
    assert launch.spec.command is not None
    command = replace(launch.spec.command, keeps_files=keep)

    def run(folder: str, _most: int, _read_only: Sequence[Path]) -> ProcessResult:
        Path(folder).rmdir()
        Path(folder).symlink_to(victim)
        return ProcessResult(3, 2.5, False, OUTPUT)

    run_observed(launch, command, tmp_path / "00001.jsonl", Running((), run), FILES)
    assert (victim / "thesis").stat().st_size == LARGEST_KEPT + 1


def test_what_a_failed_launch_wrote_is_bounded_by_number_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_folder, "MOST_KEPT", 5)
    launch = launch_of_described(replace(DESCRIBED, inputs=()), folder=str(tmp_path))
    assert launch.spec.command is not None

    def run(folder: str, _most: int, _read_only: Sequence[Path]) -> ProcessResult:
        for number in range(20):
            (Path(folder) / str(number)).touch()
        return ProcessResult(3, 2.5, False, OUTPUT)

    running = Running((), run)
    run_observed(launch, launch.spec.command, tmp_path / "00001.jsonl", running, FILES)
    assert len(list((tmp_path / "00001.files").iterdir())) == 5

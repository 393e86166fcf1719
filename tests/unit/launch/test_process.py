"""A launch ends within its time, with everything it started, and its words are kept bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from machmeter.launch import process as process_module
from machmeter.launch.files import written_files
from machmeter.launch.process import OUTPUT_TAIL, run_process

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/bin")}


def run_python(program: str, limit: float = 60.0, **environment: str) -> tuple[int, bool, str]:
    command = [sys.executable, "-c", program]
    done = run_process(command, ENVIRONMENT | environment, limit)
    assert done.wall_seconds >= 0
    return done.exit_code, done.timed_out, done.output


def test_exit_code_and_both_outputs_are_kept() -> None:
    code, timed_out, output = run_python(
        "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(7)"
    )
    assert (code, timed_out) == (7, False)
    assert output == "out\nerr\n"


def test_a_python_without_pidfd_waits_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert run_python("import time; time.sleep(0.1)")[:2] == (0, False)


def test_a_signal_is_a_negative_exit_code() -> None:
    assert run_python("import os; os.kill(os.getpid(), 11)")[:2] == (-11, False)


def test_only_the_tail_of_long_output_is_kept() -> None:
    _, _, output = run_python("print('x' * 1_000_000); print('the end')")
    assert len(output) == OUTPUT_TAIL
    assert output.endswith("the end\n")


def test_output_that_is_no_text_is_kept_readable() -> None:
    _, _, output = run_python(r"import sys; sys.stdout.buffer.write(b'\xff\xfe ok')")
    assert output.endswith(" ok")


def test_the_program_gets_our_environment_and_no_input() -> None:
    program = "import os, sys; print(os.environ['GIVEN'], repr(sys.stdin.read()))"
    assert run_python(program, GIVEN="ü")[2] == "ü ''\n"


def test_a_program_that_cannot_start_is_told_not_raised(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        done = run_process([str(path)], ENVIRONMENT, 5)
        assert (done.exit_code, done.timed_out) == (127, False)
        assert str(path) in done.output


STARTS_A_CHILD = """
import pathlib, signal, subprocess, sys, time
{before}
child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"],
    stdout=subprocess.PIPE)
child.stdout.readline()
path = pathlib.Path({path!r})
path.with_suffix(".new").write_text(str(child.pid))
path.with_suffix(".new").rename(path)
{after}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "time.sleep(600)"),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "time.sleep(600)"),
        ("", "sys.exit(0)"),
    ],
    ids=["hangs", "hangs and ignores being asked", "leaves a child behind"],
)
def test_nothing_of_a_launch_outlives_it(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "child"
    code, timed_out, _ = run_python(
        STARTS_A_CHILD.format(path=str(path), before=before, after=after), limit=4.0
    )
    ends_by_itself = "exit" in after
    assert timed_out is not ends_by_itself
    assert (code == 0) is ends_by_itself
    assert _is_gone(int(path.read_text()))


def test_an_interrupt_while_a_program_starts_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[int] = []

    class Interrupted(subprocess.Popen[bytes]):
        """The signal comes when the process is there and its start has not returned."""

        def __init__(self, *words: object, **options: object) -> None:
            super().__init__(*words, **options)  # type: ignore[call-overload]
            started.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(process_module.subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_python("import time; time.sleep(600)")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert _is_gone(started[0])


def _is_gone(process: int) -> bool:
    """Whether a process ends soon: after the signal the kernel takes its own time."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


def test_a_program_that_prints_without_end_is_ended_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_module, "MOST_OUTPUT", 2**20)
    command = [sys.executable, "-c", "while True: print('x' * 1000)"]
    done = run_process(command, ENVIRONMENT, 60.0)
    assert (done.exit_code, done.timed_out) == (-15, False)
    assert (done.wrote_too_much, done.filled_folder) == (True, False)
    assert done.output.splitlines()[-1].startswith(
        "machmeter-launch: ended, for it printed more than"
    )


# A child of its own does the writing, and is not ended by being asked.
FILLS_THE_DISK = """
import os, pathlib, signal, time
child = os.fork()
if not child:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pathlib.Path({pid!r}).write_text(str(os.getpid()))
    for number in range(600):
        with open(f"part.{{number}}", "wb") as file:
            file.write(os.urandom(2**20))
            os.fsync(file.fileno())
        time.sleep(0.02)
os.waitpid(child, 0)
"""


def test_a_program_that_fills_the_disk_is_ended_and_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    really_free = written_files._free_bytes
    taken = (really_free(tmp_path) or 0) - 8 * 2**20
    monkeypatch.setattr(written_files, "_free_bytes", lambda of: (really_free(of) or 0) - taken)
    folder = tmp_path / "launch"
    folder.mkdir()
    command = [sys.executable, "-c", FILLS_THE_DISK.format(pid=str(tmp_path / "child"))]
    done = run_process(command, ENVIRONMENT, 60.0, folder=str(folder))
    assert done.wrote_too_much
    assert done.filled_folder
    assert (done.exit_code, done.timed_out) == (-15, False)
    assert "it wrote more than" in done.output
    assert "into its folder" in done.output
    assert _is_gone(int((tmp_path / "child").read_text()))


def test_a_slow_file_system_does_not_stop_a_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(_files: written_files.WrittenFiles) -> bool:
        time.sleep(1.5)
        return False

    monkeypatch.setattr(process_module, "_STOOD_STILL_SECONDS", 1.0)
    monkeypatch.setattr(written_files.WrittenFiles, "are_too_many", slowly)
    command = [sys.executable, "-c", "import time; time.sleep(1)"]
    done = run_process(command, ENVIRONMENT, 60.0, folder=str(tmp_path))
    assert (done.exit_code, done.stopped_seconds) == (0, 0.0)
    assert done.wall_seconds >= 1.0


STOPPED = """
import signal, sys, time
from machmeter.launch import process
process._STOOD_STILL_SECONDS = 0.5
program = [sys.executable, "-c", "import time; time.sleep(float({seconds}))"]
print("begun", flush=True)
done = process.run_process(program, {{}}, 4.0)
print(done.exit_code, done.timed_out, done.stopped_seconds, done.wall_seconds)
"""


@pytest.mark.parametrize(("seconds", "ends_by_itself"), [(2.0, True), (6.5, True), (60.0, False)])
def test_time_in_which_everything_stood_still_is_no_time_of_the_launch(
    seconds: float, ends_by_itself: bool
) -> None:
    command = [sys.executable, "-c", STOPPED.format(seconds=seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as own:
        assert own.stdout is not None
        assert own.stdout.readline() == "begun\n"
        time.sleep(1.0)
        own.send_signal(signal.SIGSTOP)
        time.sleep(4.0)
        own.send_signal(signal.SIGCONT)
        code, timed_out, stopped, wall = own.stdout.read().split()
    assert timed_out == str(not ends_by_itself)
    assert (code == "0") is ends_by_itself
    assert 3.5 < float(stopped) < 10.0
    assert float(wall) < 10.0

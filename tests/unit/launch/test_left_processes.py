"""Whatever a launch starts is gone after it, however it hides; nobody else's process is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch import left_processes
from machmeter.launch.left_processes import descendants_of_launch, kill, seen
from machmeter.launch.process import ProcessResult, run_process
from tests.support.processes.living import is_living

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/bin")}
# In a session of its own, without the environment of its parent, and deaf to being asked.
HIDES = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range({deep}):
    if os.fork():
        {parent}
    os.setsid()
open({path!r}, "a").write(f"{{os.getpid()}} ")
os.execve("/bin/sleep", ["sleep", "971"], {{}})
"""


def run(tmp_path: Path, parent: str, deep: int = 1, limit: float = 60.0) -> ProcessResult:
    program = HIDES.format(path=str(tmp_path / "hidden"), parent=parent, deep=deep)
    return run_process([sys.executable, "-c", program], ENVIRONMENT, limit)


def hidden(tmp_path: Path) -> list[int]:
    return [int(word) for word in (tmp_path / "hidden").read_text().split()]


@pytest.fixture
def stranger() -> subprocess.Popen[bytes]:
    """A process of the same name, in a session of its own, that was there before."""
    process = subprocess.Popen(["/bin/sleep", "971"], start_new_session=True)
    yield process  # type: ignore[misc]
    process.kill()
    process.wait()


@pytest.mark.parametrize("deep", [1, 5])
def test_what_a_program_leaves_in_sessions_of_its_own_is_ended(
    tmp_path: Path, deep: int, stranger: subprocess.Popen[bytes]
) -> None:
    parent = f"time.sleep(0.2) or os._exit(3 if {deep} else 0)"
    done = run(tmp_path, parent, deep)
    assert (done.exit_code, done.left) == (3, ())
    assert hidden(tmp_path)
    assert not any(map(is_living, hidden(tmp_path)))
    assert is_living(stranger.pid)


def test_what_outlives_the_time_limit_is_ended(
    tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    done = run(tmp_path, "time.sleep(971)", limit=1.0)
    assert done.timed_out
    assert not any(map(is_living, hidden(tmp_path)))
    assert is_living(stranger.pid)


def test_what_ends_by_itself_after_the_program_has_time_to(tmp_path: Path) -> None:
    script = f"(setsid sh -c 'sleep 0.3; echo whole > {tmp_path}/said' &); sleep 0.2"
    run_process(["/bin/sh", "-c", script], ENVIRONMENT, 60.0)
    assert (tmp_path / "said").read_text() == "whole\n"


def test_a_child_of_another_thread_of_this_process_is_left_alone(tmp_path: Path) -> None:
    """It is in the session of this process, where no launch gets to."""
    begun: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        time.sleep(0.3)
        begun.append(subprocess.Popen(["/bin/sleep", "971"]))

    thread = threading.Thread(target=start)
    thread.start()
    try:
        run(tmp_path, "time.sleep(1) or os._exit(0)")
        thread.join()
        assert begun[0].poll() is None
        assert not any(map(is_living, hidden(tmp_path)))
    finally:
        begun[0].kill()
        begun[0].wait()


@pytest.mark.parametrize("pidfd", [True, False])
def test_a_process_that_has_the_number_of_another_one_is_never_signaled(
    pidfd: bool, stranger: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not pidfd:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    now = seen(stranger.pid)
    assert now is not None
    kill(replace(now, started=now.started - 1))
    with pytest.raises(subprocess.TimeoutExpired):
        stranger.wait(timeout=0.3)
    kill(now)
    assert stranger.wait(timeout=10) == -signal.SIGKILL


def test_what_cannot_be_ended_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[[left_processes.Process], None] = left_processes.kill
    monkeypatch.setattr(left_processes, "kill", lambda _: None)
    monkeypatch.setattr(left_processes, "_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(left_processes, "_KILLING_SECONDS", 0.1)
    done = run(tmp_path, "time.sleep(0.2) or os._exit(0)")
    (number,) = hidden(tmp_path)
    try:
        assert done.left == (f"{number} (sleep)",)
        assert f"could not end {number} (sleep)" in done.output
    finally:
        process = seen(number)
        assert process is not None
        real(process)
        os.waitpid(number, 0)


def test_orphans_of_others_come_to_this_process_only_during_a_launch() -> None:
    def parent_of_orphan() -> int:
        script = "sleep 0.4 & echo $!"
        number = int(subprocess.check_output(["/bin/sh", "-c", script]).split()[0])
        return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])

    before = parent_of_orphan()
    assert before != os.getpid()
    with descendants_of_launch():
        pass
    assert parent_of_orphan() == before

"""Tools that prepare a measurement: what they print, and what is said when they fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from machmeter.build.process import MOST_KEPT, end_running_tools, run_tool
from machmeter.build.programs import _tool
from machmeter.model.errors import MachineLacksError
from tests.support.processes.machmeter_command import wait_until


def run(program: str, **options: object) -> str:
    settings = {"doing": "trying", "remedy": "do this", "timeout": 60.0} | options
    return run_tool([sys.executable, "-c", program], **settings)  # type: ignore[arg-type]


def test_the_output_comes_back_with_folder_and_environment(tmp_path: Path) -> None:
    program = "import os; print(os.getcwd(), os.environ['GIVEN'], os.environ.get('HOME'))"
    printed = run(program, folder=tmp_path, environment={"GIVEN": "ü"})
    assert printed.split() == [str(tmp_path), "ü", "None"]


def test_a_failing_tool_is_told_with_the_end_of_its_output() -> None:
    with pytest.raises(MachineLacksError) as caught:
        run("import sys; [print('line', n) for n in range(1000)]; sys.exit('the reason')")
    error = caught.value
    assert error.message.startswith("trying failed (exit code 1)")
    assert error.remedy == "do this"
    assert error.details.splitlines()[-1] == "the reason"
    assert len(error.details.splitlines()) == 40


def test_a_tool_that_never_ends_is_ended() -> None:
    with pytest.raises(MachineLacksError, match="no end after 1 s"):
        run("import time; time.sleep(600)", timeout=1.0)


def test_a_missing_tool_is_told() -> None:
    with pytest.raises(MachineLacksError, match="cannot start no-such-tool"):
        run_tool(["no-such-tool"], doing="trying", remedy="do this", timeout=5)


def alive(process: int) -> bool:
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


SLOW_COMPILERS = """
rule compile
  command = {first}; sleep 600 & echo $$! > $out.pid; wait; touch $out
build a: compile
build b: compile
rule say
  command = echo begun
build c: say
"""


@pytest.mark.parametrize("first", [":", "trap '' TERM"], ids=["asked", "deaf"])
def test_an_interrupted_build_leaves_no_compiler_running(first: str, tmp_path: Path) -> None:
    """Ninja gives each compiler a process group of its own."""
    (tmp_path / "build.ninja").write_text(SLOW_COMPILERS.format(first=first))
    program = """
import sys
from machmeter.build.process import run_tool
def hear(line): print(line, end="", flush=True)
run_tool([sys.argv[1], "-j3"], doing="building", remedy="", timeout=600, listener=hear)
"""
    command = [sys.executable, "-c", program, _tool("ninja", dict(os.environ))]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe) as interrupted:
        assert interrupted.stdout is not None
        assert interrupted.stdout.readline(), "it listens to ninja"
        pids = [tmp_path / f"{name}.pid" for name in "ab"]
        wait_until(lambda: all(p.exists() and p.read_text() for p in pids), "both compile")
        interrupted.send_signal(signal.SIGINT)
        _, said = interrupted.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert not any(alive(int(path.read_text())) for path in pids)


def test_what_other_threads_wait_for_can_be_ended(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    command = ["sh", "-c", f"sleep 600 & echo $! > {begun}.new; mv {begun}.new {begun}; wait"]
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_tool, command, doing="waiting", remedy="", timeout=600)
        wait_until(begun.exists, "it runs")
        end_running_tools()
        with pytest.raises(MachineLacksError, match="waiting failed"):
            future.result(timeout=60)
    assert not alive(int(begun.read_text()))
    end_running_tools()


def test_what_a_tool_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    program = f"""
import subprocess
left = subprocess.Popen(["sleep", "600"])
open({str(tmp_path / "pid")!r}, "w").write(str(left.pid))
print("done")
"""
    assert run(program, timeout=30.0) == "done\n"
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_the_end_of_very_much_output_is_kept_and_every_word_heard() -> None:
    heard: list[int] = []
    program = f"""
import sys
for _ in range(12):
    sys.stdout.write("ü" * ({MOST_KEPT} // 4))
print("the end")
"""
    kept = run(program, listener=lambda part: heard.append(len(part)))
    assert sum(heard) == 3 * MOST_KEPT + len("the end\n")
    assert MOST_KEPT // 2 < len(kept) <= MOST_KEPT
    assert kept.endswith("üthe end\n")
    assert set(kept.removesuffix("the end\n")) == {"ü"}
    assert max(heard) <= MOST_KEPT // 2


def test_lines_are_whole_however_the_pieces_fall() -> None:
    heard: list[str] = []
    program = """
import sys, time
for piece in ("one", " line\\nan", "other", "\\n\\nlast"):
    sys.stdout.write(piece); sys.stdout.flush(); time.sleep(0.05)
"""
    assert run(program, listener=heard.append) == "one line\nanother\n\nlast"
    assert heard == ["one line\n", "another\n", "\n", "last"]

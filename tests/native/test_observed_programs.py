"""The wrapper as the parent of any program: what it hands on, what it sees, what it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from machmeter.launch.observed import take_observed
from machmeter.launch.process import run_process
from machmeter.model.plan.observation import ObservedRank
from tests.support.processes.machmeter_command import wait_until
from tests.support.processes.native_programs import Programs

CPUS = sorted(os.sched_getaffinity(0))
SPIN = "import time\nend=time.time()+0.7\nwhile time.time()<end: pass\n"
TWO_THREADS = """
#include <omp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int words, char** word) {
    usleep(words > 1 ? 1000 * atoi(word[1]) : 0);
    const double begin = now();
#pragma omp parallel
    while (now() - begin < 0.7) {
    }
    return 0;
}
"""


@pytest.fixture
def wrapper(programs: Programs) -> str:
    return programs.wrapper


def observed(
    wrapper: str, folder: Path, *words: str, cpus: str = "none"
) -> tuple[int, str, ObservedRank]:
    begin = str(folder / "seen")
    command = [wrapper, "--observe", begin, "--rank", cpus, "A=1", "--", *words]
    done = run_process(command, os.environ, 30)
    (rank,) = take_observed(begin, 1)
    assert not list(folder.glob("seen*"))
    return done.exit_code, done.output, rank


def where(wrapper: str, rank: int, local: int) -> str:
    """The CPUs and the settings of a rank of nodes of two ranks, of which the third has others."""
    first, last = sorted(os.sched_getaffinity(0))[:: max(1, len(os.sched_getaffinity(0)) - 1)][:2]
    names = {"LOCAL": str(local), "RANK": str(rank)}
    blocks = ("--rank", f"{first}", "N=usual0", "--rank", f"{last}", "N=usual1")
    others = ("--nodes", "2,5", "--rank", f"{last}", "N=other0", "--rank", f"{first}", "N=other1")
    words = ("--local-rank-from", "LOCAL", "--rank-from", "RANK", *blocks, *others, "--")
    say = f"import os; print(os.environ['N'], os.sched_getaffinity(0) == {{{first}}})"
    command = [wrapper, *words, sys.executable, "-c", say]
    return subprocess.run(
        command, env=os.environ | names, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def test_nodes_have_the_blocks_that_are_theirs(wrapper: str) -> None:
    assert where(wrapper, 0, 0) == "usual0 True"
    assert where(wrapper, 3, 1) == "usual1 False"
    assert where(wrapper, 4, 0) == "other0 False"
    assert where(wrapper, 5, 1) == "other1 True"
    assert where(wrapper, 6, 0) == "usual0 True"
    assert where(wrapper, 10, 0) == "other0 False"


def test_the_wrapper_says_which_cpus_it_was_given(wrapper: str) -> None:
    cpu = max(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(cpu), wrapper, "--say-cpus", "--rank-from", "RANK"]
    environment = os.environ | {"RANK": "12"}
    said = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    assert json.loads(said.stdout) == {"rank": 12, "cpus": [cpu]}


@pytest.mark.parametrize("code", [0, 1, 3, 126])
def test_its_exit_code_is_that_of_the_program(wrapper: str, tmp_path: Path, code: int) -> None:
    ended, said, rank = observed(wrapper, tmp_path, "/bin/sh", "-c", f"echo $A; exit {code}")
    assert (ended, said.strip()) == (code, "1")
    assert rank.ended


def test_it_ends_by_the_signal_that_ended_the_program(wrapper: str, tmp_path: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
        ended, _, rank = observed(wrapper, tmp_path, "/bin/sh", "-c", f"kill -{number} $$")
        assert ended == -number
        assert rank.ended


def test_a_program_that_cannot_be_started_is_told(wrapper: str, tmp_path: Path) -> None:
    ended, said, _ = observed(wrapper, tmp_path, "/no/such/program")
    assert ended == 126
    assert "cannot start /no/such/program" in said


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A program of two threads that work, after the milliseconds it is told to wait."""
    (tmp_path / "two.c").write_text(TWO_THREADS)
    subprocess.run(
        ["g++", "-x", "c++", "-O1", "-fopenmp", "two.c", "-o", "two"],
        cwd=tmp_path,
        check=True,
        timeout=60,
    )
    return str(tmp_path / "two")


@pytest.mark.alone
def test_threads_are_seen_with_their_cpus_time_and_libraries(
    wrapper: str, tmp_path: Path, two: str
) -> None:
    program = ("/usr/bin/env", "OMP_NUM_THREADS=2", two)
    cpus = f"{CPUS[0]},{CPUS[1]}"
    _, _, rank = observed(wrapper, tmp_path, *program, cpus=cpus)
    assert rank.saw_threads
    assert (len(rank.working), rank.tree.at_once) == (2, 2)
    assert {cpu for one in rank.working for cpu, _ in one.seconds_on} <= set(CPUS[:2])
    assert any("libgomp" in path for path in rank.tree.libraries)
    assert rank.cpus == tuple(CPUS[:2])
    assert 0.3 < rank.user_seconds + rank.system_seconds <= 2.2 * rank.wall_seconds


@pytest.mark.alone
def test_threads_that_a_process_starts_between_samples_are_counted(
    wrapper: str, tmp_path: Path, two: str
) -> None:
    """Begun after the sample of 200 ms, as behind the start of an MPI, and seen only once."""
    program = ("/usr/bin/env", "OMP_NUM_THREADS=2", two, "300")
    _, _, rank = observed(wrapper, tmp_path, *program)
    assert rank.tree.at_once == 2


@pytest.mark.alone
def test_processes_that_a_script_starts_are_seen_and_counted(wrapper: str, tmp_path: Path) -> None:
    script = f"python3 -c '{SPIN}' & python3 -c '{SPIN}' & wait"
    _, _, rank = observed(wrapper, tmp_path, "/bin/sh", "-c", script, cpus=str(CPUS[0]))
    assert len({one.process for one in rank.working}) == 2
    assert {cpu for one in rank.working for cpu, _ in one.seconds_on} == {CPUS[0]}
    assert rank.left_processes == 0
    assert rank.tree.at_once == 2
    # The second one is there when the sample of the second second is taken, however slow the first.
    longer = SPIN.replace("0.7", "1.7")
    script = f"python3 -c '{SPIN}'; python3 -c '{longer}'"
    _, _, one = observed(wrapper, tmp_path, "/bin/sh", "-c", script)
    assert len({seen.process for seen in one.working}) == 2
    assert one.tree.at_once == 1


def test_what_a_program_leaves_is_ended_with_it(wrapper: str, tmp_path: Path) -> None:
    begun = time.monotonic()
    script = "setsid sleep 977 & sleep 0.2; exit 4"
    ended, _, rank = observed(wrapper, tmp_path, "/bin/sh", "-c", script)
    assert ended == 4
    assert rank.left_processes == 1
    assert time.monotonic() - begun < 20
    assert not _running("sleep 977")


def test_a_signal_reaches_the_program_and_is_written_at_once(wrapper: str, tmp_path: Path) -> None:
    begin = tmp_path / "seen"
    script = "trap '' TERM; trap 'exit 9' USR1; touch ready; while :; do sleep 0.05; done"
    command = [wrapper, "--observe", str(begin), "--rank", "none", "--", "/bin/sh", "-c", script]
    process = subprocess.Popen(command, cwd=tmp_path)
    try:
        wait_until((tmp_path / "ready").exists, "the program runs")
        process.send_signal(signal.SIGTERM)
        wait_until((tmp_path / "seen.0").exists, "what was seen is written")
        assert process.poll() is None
        (rank,) = take_observed(str(begin), 1)
        assert not rank.ended
        process.send_signal(signal.SIGUSR1)
        assert process.wait(timeout=20) == 9
    finally:
        process.kill()


def test_the_program_ends_with_its_parent(wrapper: str, tmp_path: Path) -> None:
    command = [wrapper, "--observe", str(tmp_path / "seen"), "--rank", "none", "--"]
    process = subprocess.Popen([*command, "/bin/sleep", "978"])
    try:
        wait_until(lambda: _running("sleep 978"), "the program runs")
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not _running("sleep 978"), "it is gone")


def test_a_program_that_ignores_signals_ends_with_the_launcher(
    wrapper: str, tmp_path: Path
) -> None:
    script = "trap '' TERM; while :; do sleep 0.1; : 979; done"
    command = [wrapper, "--observe", str(tmp_path / "seen"), "--rank", "none", "--"]
    launcher = "import subprocess, sys, time\nsubprocess.Popen(sys.argv[1:])\ntime.sleep(600)\n"
    words = [sys.executable, "-c", launcher, *command, "/bin/sh", "-c", script]
    process = subprocess.Popen(words)
    try:
        wait_until(lambda: _running(script), "the program runs")
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not _running(script), "it is gone")


@pytest.mark.parametrize(
    "script",
    [
        "trap '' TERM; setsid sleep 983 & sleep 983; sleep 983",
        "trap '' TERM; setsid sleep 983 & sleep 0.3; kill -9 $PPID; sleep 983; sleep 983",
        "trap '' TERM; setsid sleep 983 & sleep 0.3; kill -STOP $PPID; sleep 983; sleep 983",
    ],
    ids=["ignores being asked", "kills its wrapper", "stops its wrapper"],
)
def test_nothing_of_a_program_outlives_its_launch(
    wrapper: str, tmp_path: Path, script: str
) -> None:
    words = (wrapper, "--observe", str(tmp_path / "seen"), "--rank", "none", "--")
    done = run_process([*words, "/bin/sh", "-c", script], os.environ, 1.0)
    assert done.exit_code != 0
    assert done.left == ()
    assert not _running("sleep 983")


def test_the_wrapper_kills_all_of_a_program_that_ignores_the_end(
    wrapper: str, tmp_path: Path
) -> None:
    """On another host there is nobody else who would."""
    script = "trap '' TERM; setsid sleep 984 & touch ready; while :; do sleep 0.1; done"
    command = [wrapper, "--observe", str(tmp_path / "seen"), "--rank", "none", "--"]
    process = subprocess.Popen([*command, "/bin/sh", "-c", script], cwd=tmp_path)
    try:
        wait_until(lambda: (tmp_path / "ready").exists() and _running("sleep 984"), "it runs")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == -signal.SIGKILL
    finally:
        process.kill()
    (rank,) = take_observed(str(tmp_path / "seen"), 1)
    assert rank.ended
    assert not _running("sleep 984")


def test_a_program_that_signals_its_own_group_goes_on(wrapper: str, tmp_path: Path) -> None:
    script = "trap '' TERM; kill -TERM 0; sleep 2.5; exit 6"
    command = [wrapper, "--observe", str(tmp_path / "seen"), "--rank", "none", "--"]
    process = subprocess.Popen([*command, "/bin/sh", "-c", script], start_new_session=True)
    assert process.wait(timeout=20) == 6
    take_observed(str(tmp_path / "seen"), 1)


def _running(words: str) -> bool:
    wanted = words if "trap" in words else words.replace(" ", "\0")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes().decode(errors="replace").find(wanted) >= 0:
                    return True
            except OSError:
                continue
    return False

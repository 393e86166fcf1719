"""What a machine can lack: a clear message with its remedy, the right exit code, records intact."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.processes.machmeter_command import (
    Done,
    MachmeterCommand,
    assert_refused,
    files_of,
    processes_about,
    tiny,
    verdicts,
)
from tests.support.processes.native_programs import executable

LATENCY = tiny("memory.latency", "size=4KiB,64KiB")
DISK = "size=300k"
LARGER = "size=32m"


@pytest.fixture
def command(cache_for_runs: Path, tmp_path: Path) -> MachmeterCommand:
    return MachmeterCommand(cache_for_runs, tmp_path / "data")


def mounted(folder: Path, options: str) -> bool:
    """Mount a file system in memory, as only root can; whether that was possible."""
    folder.mkdir()
    if not shutil.which("mount"):
        return False
    command = ["mount", "-t", "tmpfs", "-o", options, "machmeter-test", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def unmount(folder: Path) -> None:
    subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small disk"
    if not mounted(folder, DISK):
        pytest.skip("may not mount a file system here")
    yield folder
    unmount(folder)


def whole_records(folder: Path) -> dict[str, bytes]:
    """Records and outcomes of the launches that were accepted."""
    files = files_of(folder)
    numbers = {name[:5] for name in files if name.endswith(".outcome.json")}
    return {name: content for name, content in files.items() if name[:5] in numbers}


def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_room(
    command: MachmeterCommand, small_disk: Path
) -> None:
    folder = small_disk / "run"
    full = command.run(*LATENCY, "--output", folder)
    assert_refused(full, 3, "the disk is full", "free some space", "--resume", str(folder))
    before = whole_records(folder)
    assert len(before) >= 6, "the disk was full before anything was measured"
    again = command.run("run", "--resume", folder)
    assert_refused(again, 3, "the disk is full")
    subprocess.run(["mount", "-o", f"remount,{LARGER}", str(small_disk)], check=True)
    done = command.run("run", "--resume", folder)
    assert done.returncode == 0, done.stderr
    now = files_of(folder)
    assert {name: now[name] for name in before} == before
    for spec, ended in verdicts(folder).items():
        wanted = 5 if spec == "sizing" else 2
        assert ended.count("accepted") == wanted, (spec, ended)


def test_a_limit_on_the_size_of_files_is_told_as_such(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    folder = tmp_path / "limited"
    # Larger than what a launch is asked for, smaller than a record of the sizing launch.
    # Forced: with a last cache of hundreds of MiB, sizing alone is beyond the budget.
    sized = (*tiny("memory.latency"), "--pages", "4KiB", "--force")
    limited = command.run(*sized, "--output", folder, under=("prlimit", "--fsize=40000"))
    assert_refused(limited, 3, "files may not grow", "ulimit -f", "--resume")
    assert not verdicts(folder), "a launch that could not be recorded has no verdict"
    assert command.run("run", "--resume", folder).returncode == 0
    assert verdicts(folder)["sizing"].count("accepted") == 5


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that not even root can write to."""
    folder = tmp_path / "read only"
    if not mounted(folder, "ro"):
        pytest.skip("may not mount a file system here")
    yield folder
    unmount(folder)


def test_a_read_only_cache_is_told(command: MachmeterCommand, read_only: Path) -> None:
    done = replace(command, cache=read_only / "cache").run(*LATENCY)
    assert_refused(done, 3, "cannot write", "Read-only", "MACHMETER_CACHE")
    assert not list(command.data.glob("runs/*"))


def test_a_cache_below_a_file_is_told(command: MachmeterCommand, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = replace(command, cache=tmp_path / "file" / "cache").run(*LATENCY)
    assert_refused(done, 3, "cannot write", str(tmp_path / "file"))


@pytest.mark.parametrize("option", ["--output", "MACHMETER_DATA"])
def test_a_read_only_place_for_the_run_is_told(
    option: str, command: MachmeterCommand, read_only: Path
) -> None:
    if option == "--output":
        done = command.run(*LATENCY, "--output", read_only / "run")
    else:
        done = replace(command, data=read_only / "data").run(*LATENCY)
    assert_refused(done, 3, "cannot write", "Read-only", "MACHMETER_DATA")


def without_compiler(folder: Path) -> str:
    """A PATH on which there are the usual tools but no compiler."""
    folder.mkdir()
    for name in ("sh", "uname", "make", "cat", "env", "sed", "grep"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return str(folder)


def test_no_compiler_is_told_with_how_to_get_one(command: MachmeterCommand, tmp_path: Path) -> None:
    bare = replace(command, extra={"PATH": without_compiler(tmp_path / "bin")})
    done = bare.run(*LATENCY)
    assert_refused(done, 3, "no C++ compiler", "apt install g++", "--compiler")
    named = command.run(*LATENCY, "--compiler", "no-such-c++")
    assert_refused(named, 3, "no C++ compiler 'no-such-c++'", "apt install g++")
    assert not list(command.data.glob("runs/*"))


def test_a_compiler_that_fails_is_told_with_its_last_words(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    script = (
        'case "$1" in --version) echo "broken 1.0";; *) echo "no license left" >&2; exit 1;; esac'
    )
    broken = executable(tmp_path / "broken-c++", script)
    # Others build in the shared cache at any moment.
    alone = replace(command, cache=tmp_path / "cache")
    done = alone.run(*LATENCY, "--compiler", str(broken))
    assert_refused(done, 3, "compiling the native programs failed", "no license left", "--compiler")
    assert not list((alone.cache / "build").glob("*.building"))


def mpi_run(command: MachmeterCommand, prefix: Path) -> Done:
    return command.run(*tiny("network.latency", "size=8"), "--mpi", str(prefix))


def test_a_prefix_that_holds_no_mpi_is_told(command: MachmeterCommand, tmp_path: Path) -> None:
    prefix = tmp_path / "mpi"
    assert_refused(mpi_run(command, prefix), 3, "no such folder", "bin/mpiexec")
    (prefix / "bin").mkdir(parents=True)
    executable(prefix / "bin" / "mpicxx", "exit 0")
    assert_refused(mpi_run(command, prefix), 3, "mpiexec is missing", "--mpi mpich")
    executable(prefix / "bin" / "mpiexec", "echo 'librte.so: cannot open shared object'; exit 127")
    failed = mpi_run(command, prefix)
    assert_refused(failed, 3, "exit code 127", "cannot open shared object", "--mpi")
    assert not list(command.data.glob("runs/*"))


needs_taskset = pytest.mark.skipif(not shutil.which("taskset"), reason="needs taskset")


def first_cpu() -> str:
    return str(min(os.sched_getaffinity(0)))


@needs_taskset
def test_on_one_core_what_can_be_measured_is_and_the_rest_is_told(
    command: MachmeterCommand,
) -> None:
    one_core = ("taskset", "-c", first_cpu())
    done = command.run(*tiny("memory.latency", "size=4KiB"), "network.latency", under=one_core)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert re.search(r"Not measured: network.latency.*--oversubscribe", said), said
    planned = command.run("run", "quick", "--dry-run", under=one_core)
    assert planned.returncode == 0
    assert len(re.findall(r"not measured: network\.", planned.stdout)) == 3


@needs_taskset
def test_on_one_core_ranks_share_it_only_when_asked_by_name(command: MachmeterCommand) -> None:
    one_core = ("taskset", "-c", first_cpu())
    words = tiny("network.latency", "size=8")
    refused = command.run(*words, under=one_core)
    assert_refused(refused, 3, "nothing requested can run", "--oversubscribe")
    done = command.run(*words, "--oversubscribe", "--json", under=one_core)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"oversubscribe": true' in done.stdout
    assert "oversubscribed" in command.run("show", "last").stdout
    assert not processes_about(str(command.data))

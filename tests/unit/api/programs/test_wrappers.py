"""Launchers before a program are refused, and of what wrappers start nothing is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api.programs.exploring import explore_request
from machmeter.api.programs.wrappers import is_wrapper, refuse_launcher
from machmeter.model.errors import UsageError


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("mpirun -np 2 ./a.out", "--ranks 2 "),
        ("/opt/mpich/bin/mpiexec -n 16 ./a.out x", "--ranks 16 --mpi /opt/mpich "),
        ("mpiexec.hydra -n 2 ./a.out", "--ranks 2 "),
        ("srun --ntasks=2 ./a.out", "--ranks 1,2,4 "),
        ("srun -n 2 ./a.out", "--ranks 2 "),
        ("jsrun -n 4 ./a.out", "--ranks 4 "),
        ("env OMP_NUM_THREADS=2 mpirun -np 2 ./a.out", "--ranks 2 "),
        ("numactl --membind 0 srun -n 8 ./a.out", "--ranks 8 "),
        ("time -p mpirun ./a.out", "--ranks 1,2,4 "),
    ],
)
def test_a_launcher_is_refused_with_the_line_to_write(line: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        refuse_launcher(line.split())
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "line",
    ["./a.out mpirun -np 2", "bash run.sh mpirun", "env A=1 ./a.out", "./mpirun_test", "./x"],
)
def test_what_only_names_a_launcher_is_none(line: str) -> None:
    refuse_launcher(line.split())


@pytest.mark.parametrize(
    "word",
    [
        *("env", "/usr/bin/taskset", "numactl", "nice", "time", "perf", "timeout"),
        *("apptainer", "bash", "sh", "python3.11", "/opt/x/bin/python3", "java", "julia"),
    ],
)
def test_wrappers_and_interpreters_are_no_programs(word: str) -> None:
    assert is_wrapper(word)


@pytest.mark.parametrize("word", ["./solver", "lmp", "gmx", "/x/environment", "perfect", "javac2"])
def test_programs_are_no_wrappers(word: str) -> None:
    assert not is_wrapper(word)


def test_all_layouts_are_tried_of_what_a_wrapper_or_an_interpreter_starts(tmp_path: Path) -> None:
    script = tmp_path / "x.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    lines = ("./x.sh", "bash ./x.sh", "env A=1 ./x.sh", "taskset -c 0 ./x.sh", "nice ./x.sh")
    requests = [explore_request(*line.split(), folder=tmp_path) for line in lines]
    assert [one.layout_options.threads for one in requests] == [()] * len(lines)
    (alone,) = [explore_request("/bin/true").layout_options.threads]
    assert alone == (1,), "a program itself says which libraries of threads it has"


def test_a_launcher_before_a_program_is_refused_by_explore(tmp_path: Path) -> None:
    for line in ("mpiexec -n 2 ./x", "mpirun ./x", "srun ./x", "aprun -n 4 ./x", "env srun ./x"):
        with pytest.raises(UsageError) as caught:
            explore_request(*line.split(), folder=tmp_path)
        assert "machmeter explore --ranks" in caught.value.remedy

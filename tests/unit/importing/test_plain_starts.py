"""Programs that were started without a launcher, and variables that were unset."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.machine import import_files
from machmeter.importing.starts import launch_of
from machmeter.published.estimates import published_estimates
from tests.support.importing_data import FOLDER, only, read_lines

STREAM = (FOLDER / "tools/stream.txt").read_text()
EPCC = """Running OpenMP benchmark version 4.0
\t2 thread(s)
PARALLEL overhead     = 1.500000 microseconds +/- 0.120000
"""
OSU = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8     1.00\n"


def launches(tmp_path: Path, text: str) -> set[int]:
    file = tmp_path / "out.txt"
    file.write_text(text)
    machine, _ = import_files([file])
    return {one.launches for one in published_estimates(machine)}


@pytest.mark.parametrize(
    "line",
    [
        "taskset -c 0 ./stream",
        "$ numactl -N 0 ./stream_c.exe",
        "OMP_PROC_BIND=close ./stream",
        "+ env OMP_PROC_BIND=close /opt/bin/stream",
        "[u@cn07 ~]$ cd /tmp && perf stat ./stream | tee out.txt",
        "./stream",
    ],
)
def test_a_start_without_a_launcher_parts_launches(line: str, tmp_path: Path) -> None:
    assert launches(tmp_path, f"mpirun -np 1 ./stream\n{STREAM}{line}\n{STREAM}") == {1}
    assert launches(tmp_path, f"{STREAM}{line}\n{STREAM}") == {1}
    assert launches(tmp_path, f"{line}\n{STREAM}{line}\n{STREAM}") == {2}


def test_epcc_started_otherwise(tmp_path: Path) -> None:
    for line in ("./syncbench", "OMP_WAIT_POLICY=active ./syncbench"):
        text = f"taskset -c 0,1 ./syncbench\n{EPCC}{line}\n{EPCC}"
        assert launches(tmp_path, text) == {1}


@pytest.mark.parametrize(
    "line",
    [
        "STREAM results of the night",
        "stream",
        "gcc -O3 stream.c -o ./stream",
        "./stream: error while loading shared libraries",
        "./stream.c",
        "please start ./stream",
    ],
)
def test_what_starts_nothing_parts_nothing(line: str, tmp_path: Path) -> None:
    assert launch_of(line) == ""
    assert launches(tmp_path, f"{STREAM}{line}\n{STREAM}") == {2}


def test_words_after_a_start_that_are_no_options() -> None:
    assert launch_of("== Running ./stream (run 1 of 3) ==") == "stream"
    assert launch_of("KMP_AFFINITY=compact taskset -c 0-3 /opt/stream > out") == (
        "KMP_AFFINITY=compact taskset -c 0-3 stream"
    )


def test_what_a_script_of_a_rank_starts_is_of_its_launch(tmp_path: Path) -> None:
    echoes = "".join(f"+ numactl -N {domain} ./stream\n" for domain in (0, 1))
    text = f"mpirun -np 2 ./wrapper.sh\n{echoes}{STREAM}{STREAM}"
    assert launches(tmp_path, text) == {1}
    results = read_lines(text).results
    assert {one.layout.get("ranks_per_node") for one in results} == {2}
    assert {one.started_with["launch"] for one in results} == {"mpirun -np 2 wrapper.sh"}


def test_a_start_without_a_launcher_ends_the_ranks_of_the_launch_above() -> None:
    results = read_lines(f"mpirun -np 4 ./stream\n{STREAM * 4}./stream\n{STREAM}").results
    tables = [one.parameters.get("table") for one in results if one.quantity]
    assert set(tables) == {1, 2, 3, 4, None}
    last = only(results, line=results[-1].line, kernel="triad")
    assert "ranks_per_node" not in last.layout
    one, two = read_lines(f"srun -N 2 -n 2 ./osu_latency\n{OSU}./osu_latency\n{OSU}").results
    assert (one.layout, two.layout) == ({"nodes": 2, "ranks_per_node": 1}, {})


@pytest.mark.parametrize(
    "line", ["unset UCX_TLS", "+ unset -v OMP_NUM_THREADS UCX_TLS", "unsetenv UCX_TLS"]
)
def test_a_variable_that_is_unset_is_gone(line: str, tmp_path: Path) -> None:
    text = f"export UCX_TLS=rc\n{OSU}{line}\n{OSU}"
    assert launches(tmp_path, text) == {1}
    assert [one.started_with["variables"] for one in read_lines(text).results] == ["UCX_TLS=rc", ""]
    assert launches(tmp_path, f"{text}export UCX_TLS=rc\n{OSU}") == {2}

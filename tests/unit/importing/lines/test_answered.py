"""Which of several starts printed a table: matched in order, or not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.lines.answered import answered
from machmeter.importing.lines.labels import PlaceLabel, labels_of
from machmeter.importing.machine import import_files
from machmeter.published.estimates import published_estimates
from tests.support.importing_data import FOLDER, read_lines

STREAM = (FOLDER / "tools/stream.txt").read_text()
LATENCY = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8     1.50\n"
BANDWIDTH = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n8     25.10\n"
BETWEEN, INSIDE = "srun -N 2 -n 2 osu_latency", "srun -N 1 -n 2 osu_latency"
TWO_NODES = {"nodes": 2, "ranks_per_node": 1}
ONE_NODE = {"nodes": 1, "ranks_per_node": 2}


def layouts(text: str) -> list[dict[str, object]]:
    return [dict(one.layout) for one in read_lines(text).results]


def launches(tmp_path: Path, text: str) -> set[int]:
    file = tmp_path / "out.txt"
    file.write_text(text)
    return {one.launches for one in published_estimates(import_files([file])[0])}


@pytest.mark.parametrize("between", ["\n", "; ", " && ", "\n\n"])
def test_as_many_tables_as_starts_are_in_order(between: str) -> None:
    starts = f"{BETWEEN}{between}{INSIDE}\n"
    assert layouts(starts + LATENCY + LATENCY) == [TWO_NODES, ONE_NODE]
    assert layouts(f"{starts}srun -n 2 hostname\n{LATENCY}{LATENCY}") == [TWO_NODES, ONE_NODE]


@pytest.mark.parametrize(
    ("starts", "tables"),
    [
        (f"{BETWEEN}\n{INSIDE}\n", 1),
        (f"{BETWEEN}\n{INSIDE}\n", 3),
        (f"+ {BETWEEN}\n+ {INSIDE}\nsrun: error: Unable to create step\n", 1),
        (f"{BETWEEN} & {INSIDE} & wait\n", 2),
        (f"{BETWEEN} &\n{INSIDE} &\n", 2),
        ("srun -N 2 -n 2 ./a.sh\nsrun -N 1 -n 2 ./b.sh\n", 2),
    ],
)
def test_otherwise_which_printed_a_table_is_not_known(
    starts: str, tables: int, tmp_path: Path
) -> None:
    assert layouts(starts + LATENCY * tables) == [{}] * tables
    assert any("which of" in one.note for one in read_lines(starts + LATENCY).results)
    assert launches(tmp_path, starts + LATENCY * tables) == {1}


def test_starts_that_agree_are_one() -> None:
    assert layouts(f"{BETWEEN}\n{BETWEEN}\n{LATENCY * 3}") == [TWO_NODES] * 3
    other = "srun -N 2 -n 2 --mpi=pmix osu_latency"
    assert layouts(f"{BETWEEN}\n{other}\n{LATENCY}") == [TWO_NODES]


def test_a_start_of_another_test_is_none_of_the_table() -> None:
    starts = f"{BETWEEN}\nsrun -N 1 -n 2 osu_bw -W 16\n"
    for text in (starts + LATENCY + BANDWIDTH, starts + BANDWIDTH + LATENCY):
        found = {one.metric: one for one in read_lines(text).results}
        assert found["latency"].layout == TWO_NODES
        assert found["bandwidth_one_way"].layout == ONE_NODE
        assert found["bandwidth_one_way"].parameters["window"] == 16


def test_a_start_that_a_shell_shows_is_nearer_than_a_printed_script() -> None:
    script = f"#!/bin/bash\n{BETWEEN}\n{INSIDE}\n"
    traced = f"+ {BETWEEN}\n{LATENCY}+ {INSIDE}\n{LATENCY}"
    assert layouts(script + traced) == [TWO_NODES, ONE_NODE]


def test_a_comment_is_no_start() -> None:
    assert layouts(f"#SBATCH -N 2\n# {INSIDE}\n{BETWEEN}\n{LATENCY}") == [TWO_NODES]


def test_a_start_broken_over_lines_is_one() -> None:
    assert layouts(f"UCX_NET_RANK=1 \\\n  {BETWEEN}\n{LATENCY * 2}") == [TWO_NODES] * 2


def test_many_starts_and_tables_are_bounded() -> None:
    starts = "".join(f"srun -N {1 + n % 2} -n 2 osu_latency -x {n}\n" for n in range(70))
    for tables in (1, 70, 250):
        assert layouts(starts + LATENCY * tables) == [{}] * tables


def test_a_script_that_prepares_is_none_of_a_benchmark() -> None:
    assert layouts(f"srun -N 4 ./prepare.sh\n{BETWEEN}\n{LATENCY}") == [TWO_NODES]


@pytest.mark.parametrize("other", ["mpirun -np 2 --mca btl tcp osu_latency", f"{BETWEEN} -x 0"])
def test_two_starts_on_a_line_are_no_launches(other: str, tmp_path: Path) -> None:
    for between in ("; ", " && "):
        text = f"{BETWEEN}{between}{other}\n{LATENCY}{LATENCY}"
        assert launches(tmp_path, text) == {1}


def test_ranks_of_stream_below_several_starts_are_no_launches(tmp_path: Path) -> None:
    starts = "mpirun -np 2 ./stream\nmpirun -np 4 ./stream\n"
    for tables in (2, 6):
        results = read_lines(starts + STREAM * tables).results
        assert {one.benchmark for one in results} == {""}
        assert launches(tmp_path, starts + STREAM * tables) == {1}
    single = f"numactl -m 0 ./stream\nnumactl -m 1 ./stream\n{STREAM * 2}"
    assert launches(tmp_path, single) == {1}


def test_one_start_stays_as_it_is() -> None:
    found = labels_of((BETWEEN, *LATENCY.split("\n")))
    assert [one.line for one in answered(found)] == [1, 2]
    assert isinstance(answered(found)[0], PlaceLabel)

"""The window of messages that OSU does not print, by the launch line above a table."""

from __future__ import annotations

import pytest

from tests.support.importing_data import only, read_lines

BANDWIDTH = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n8     25.10\n"
PUT = """# OSU MPI_Put Bandwidth Test v7.4
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Size      Bandwidth (MB/s)
8     25.10
"""


@pytest.mark.parametrize(
    ("options", "window"),
    [
        ("", 64),
        ("-W 32", 32),
        ("-i 100 -W 16 -x 5", 16),
        ("-W1", 1),
        ("--window-size 8", 8),
        ("--window-size=8 > out.txt", 8),
        ("-W 8 -W 4", 4),
        ("| grep -W 5", 64),
    ],
)
def test_the_window_is_that_of_the_launch_line(options: str, window: int) -> None:
    one = only(read_lines(f"srun -n 2 ./osu_bw {options}\n{BANDWIDTH}").results)
    assert (one.benchmark, one.parameters["window"]) == ("network.bandwidth", window)
    one = only(read_lines(f"srun -n 2 \\\n ./osu_put_bw {options}\n{PUT}").results)
    assert (one.benchmark, one.parameters["outstanding"]) == ("network.onesided", window)


def test_a_window_that_is_no_number_is_not_known() -> None:
    for program, table in (("osu_bw", BANDWIDTH), ("osu_put_bw", PUT)):
        reading = read_lines(f"srun -n 2 ./{program} -W $W\n{table}")
        assert only(reading.results).benchmark == ""
        assert "$W" in reading.kept[0].why


@pytest.mark.parametrize(
    "line", ["srun -n 2 ./osu_bibw -W 32", "srun -n 2 -W 32 ./osu_bw", "srun -n 2 ./osu_bw -m 8:W"]
)
def test_options_of_something_else_are_no_window(line: str) -> None:
    assert only(read_lines(f"{line}\n{BANDWIDTH}").results).parameters["window"] == 64


def test_the_window_of_pairs_is_the_printed_one() -> None:
    table = (
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
        "# [ pairs: 1 ] [ window size: 16 ]\n# Size  MB/s  Messages/s\n8  25.10  3137500.00\n"
    )
    results = read_lines(f"srun -n 2 ./osu_mbw_mr -W 16\n{table}").results
    assert {one.parameters["window"] for one in results} == {16}


@pytest.mark.parametrize(
    ("start", "window"),
    [
        ("+ srun -N 2 -n 2 ./run_bw.sh\n+ ./osu_bw -W 16\n", 16),
        ("+ srun -N 2 -n 2 bash run.sh\n+ ./osu_bw -W 16\n+ ./osu_bw -W 16\n", 16),
        ("+ srun -N 2 -n 2 ./r.sh\n+ nice ./osu_bw -W 8\n+ time ./osu_bw -W 8\n", 8),
        ("srun -N 2 -n 2 singularity exec osu.sif /opt/osu/osu_bw -W 16\n", 16),
        ("srun -N 2 -n 2 apptainer exec /scratch/osu-7.4.sif osu_bw -W 16\n", 16),
        ("srun -N 2 -n 2 apptainer exec docker://x/osu:7.4 osu_bw -W 16\n", 16),
        ("srun -N 2 -n 2 podman run -v /data/osu:/osu osu:7 ./osu_bw -W 16\n", 16),
        ("cd /opt && srun -N 2 -n 2 ./osu_bw -W 16\n", 16),
    ],
)  # fmt: skip
def test_the_window_of_a_start_behind_another(start: str, window: int) -> None:
    one = only(read_lines(start + BANDWIDTH).results)
    assert one.parameters.get("window") == window
    assert one.layout == {"nodes": 2, "ranks_per_node": 1}


def test_what_a_script_starts_next_has_its_own_window() -> None:
    text = f"+ srun -n 2 bash r.sh\n+ ./osu_bw -W 16\n{BANDWIDTH}+ ./osu_bw -W 128\n{BANDWIDTH}"
    assert [one.parameters["window"] for one in read_lines(text).results] == [16, 128]


@pytest.mark.parametrize(
    "line",
    [
        "mpirun -np 2 ./osu_bw $OPTS",
        "mpirun -np 2 ./osu_bw -W 16 ${OPTS}",
        'srun -n 2 ./osu_bw "$@"',
        "for w in 16; do mpirun -np 2 ./osu_bw -W $w; done",
        "srun -n 2 ./run_bw.sh -W 16",
        "srun -n 2 ./run.sh\n+ ./osu_bw -W 16\n+ ./osu_bw -W 32",
        "srun -n 2 ./osu_bw -W 16\nsrun -n 2 ./osu_bw",
    ],
)
def test_a_window_that_is_left_open_is_not_known(line: str) -> None:
    reading = read_lines(f"{line}\n{BANDWIDTH}")
    assert only(reading.results).benchmark == ""
    assert "is not known" in reading.kept[0].why


@pytest.mark.parametrize(
    ("options", "window"), [("-m $SIZE", 64), ("$OPTS -W 16", 16), ("--iterations $N -W 8", 8)]
)
def test_variables_that_leave_the_window(options: str, window: int) -> None:
    one = only(read_lines(f"srun -n 2 ./osu_bw {options}\n{BANDWIDTH}").results)
    assert one.parameters["window"] == window

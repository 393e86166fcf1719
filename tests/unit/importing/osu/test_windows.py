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

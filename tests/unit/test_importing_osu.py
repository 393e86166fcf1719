from __future__ import annotations

import pytest
from importing_data import only, read_file, read_lines

from machmeter.importing.figures import Place
from machmeter.model.errors import MachmeterError

MULTI = """# OSU MPI Multi Latency Test v{version}
# Size          Latency (us)
8                       1.25
"""
ALLREDUCE = """
# OSU MPI Allreduce Latency Test v{version}
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1024                   10.00              9.00             12.00        1000
"""


def test_latency_is_machmeters_ping_pong() -> None:
    reading = read_file("osu_latency.txt")
    first = only(reading.figures, size=8)
    assert (first.benchmark, first.metric, first.unit) == ("network.latency", "latency", "us")
    assert first.parameters["pattern"] == "ping-pong"
    assert first.parameters["buffers"] == "hot"
    assert first.values == (0.99,)
    assert first.layout == {}
    assert "not printed" in first.note
    assert reading.tools == ("OSU micro-benchmarks 7.4",)


def test_a_window_of_64_one_way_and_both_ways() -> None:
    one = only(read_file("osu_bw.txt").figures, size=1048576)
    both = only(read_file("osu_bibw.txt").figures, size=1048576)
    assert (one.metric, one.parameters["direction"]) == ("bandwidth_one_way", "one-way")
    assert (both.metric, both.parameters["direction"]) == ("bandwidth_both_ways", "both-ways")
    assert one.parameters["window"] == both.parameters["window"] == 64


def test_one_pair_of_many_pairs_is_a_bandwidth_and_a_rate() -> None:
    figures = read_file("osu_mbw_mr.txt").figures
    assert {one.metric for one in figures} == {"bandwidth_one_way", "message_rate"}


@pytest.mark.parametrize(("version", "definition"), [("5.8", "classic"), ("5.9", "barrier")])
def test_pairs_keep_step_from_5_9_on(version: str, definition: str) -> None:
    reading = read_lines(MULTI.format(version=version), place=Place(2, 16))
    figure = only(reading.figures, size=8)
    assert (figure.benchmark, figure.metric) == ("network.pairs", "mean_latency")
    assert figure.parameters["definition"] == definition
    assert figure.layout == {"nodes": 2, "ranks_per_node": 8}


@pytest.mark.parametrize(("version", "datatype"), [("7.0.1", "float"), ("7.1", "char")])
def test_reductions_sum_char_from_7_1_on(version: str, datatype: str) -> None:
    figure = only(read_lines(ALLREDUCE.format(version=version), place=Place(1, 4)).figures)
    assert figure.parameters["datatype"] == datatype
    assert figure.values == (12.0,)


def test_the_slowest_rank_is_the_time_of_a_collective() -> None:
    figure = only(read_file("osu_allreduce_full_2ranks.txt").figures, size=8)
    assert (figure.benchmark, figure.metric) == ("network.collective", "time")
    assert figure.values == (0.44061,)
    assert figure.layout["ranks_per_node"] == 2


def test_a_mean_of_unknown_ranks_keeps_its_own_name_and_says_why() -> None:
    reading = read_file("osu_allreduce.txt")
    assert {one.workload for one in reading.figures} == {"osu-allreduce-latency-v7"}
    assert "--used-ranks" in reading.remarks[0]


def test_put_with_a_flush_is_one_sided_until_completion() -> None:
    figure = only(read_file("osu_put_latency.txt").figures, size=8)
    assert (figure.benchmark, figure.metric) == ("network.onesided", "time")
    assert figure.parameters["window"] == "allocate"
    assert figure.parameters["synchronization"] == "lock-all"


def test_start_up_takes_the_slowest_rank() -> None:
    figure = only(read_file("osu_init.txt").figures)
    assert (figure.benchmark, figure.values, figure.unit) == ("network.startup", (121.0,), "ms")


def test_overlap_that_is_cut_off_is_not_machmeters() -> None:
    reading = read_file("osu_ialltoall.txt")
    assert all(not one.benchmark for one in reading.figures)
    assert "cut off at 0" in reading.remarks[0]


def test_a_torn_row_is_told_by_file_line_and_columns() -> None:
    torn = "# OSU MPI Latency Test v5.6\n# Size          Latency (us)\n8      1.0\n16\n"
    with pytest.raises(MachmeterError, match=r"out.txt, line 4: expected 2 columns: Size, Latency"):
        read_lines(torn)


def test_a_minimum_above_the_mean_is_flagged() -> None:
    bad = ALLREDUCE.format(version="7.4").replace("9.00", "11.0")
    assert "not in that order" in only(read_lines(bad, place=Place(1, 2)).figures).flag


def test_a_run_that_died_is_told() -> None:
    died = MULTI.format(version="7.4") + "=  BAD TERMINATION OF ONE OF YOUR PROCESSES\n"
    assert any("may not have come to its end" in one for one in read_lines(died).remarks)

from __future__ import annotations

import pytest

from machmeter.importing.readings import Place
from tests.support.importing_data import only, read_file, read_lines

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
    reading = read_file("osu/osu_latency.txt")
    first = only(reading.results, size=8)
    assert (first.benchmark, first.metric, first.unit) == ("network.latency", "latency", "us")
    assert first.parameters["pattern"] == "ping-pong"
    assert first.parameters["buffers"] == "hot"
    assert first.values == (0.99,)
    assert first.layout == {}
    assert "not printed" in first.note
    assert reading.tools == ("OSU micro-benchmarks 7.4",)


def test_a_window_of_64_one_way_and_both_ways() -> None:
    one = only(read_file("osu/osu_bw.txt").results, size=1048576)
    both = only(read_file("osu/osu_bibw.txt").results, size=1048576)
    assert (one.metric, one.parameters["direction"]) == ("bandwidth_one_way", "one-way")
    assert (both.metric, both.parameters["direction"]) == ("bandwidth_both_ways", "both-ways")
    assert one.parameters["window"] == both.parameters["window"] == 64


def test_one_pair_of_many_pairs_is_a_bandwidth_and_a_rate() -> None:
    figures = read_file("osu/osu_mbw_mr.txt").results
    assert {one.metric for one in figures} == {"bandwidth_one_way", "message_rate"}


@pytest.mark.parametrize(("version", "definition"), [("5.8", "classic"), ("5.9", "barrier")])
def test_pairs_keep_step_from_5_9_on(version: str, definition: str) -> None:
    reading = read_lines(MULTI.format(version=version), place=Place(2, 16))
    figure = only(reading.results, size=8)
    assert (figure.benchmark, figure.metric) == ("network.pairs", "mean_latency")
    assert figure.parameters["definition"] == definition
    assert figure.layout == {"nodes": 2, "ranks_per_node": 8}


@pytest.mark.parametrize(("version", "datatype"), [("7.0.1", "float"), ("7.1", "char")])
def test_reductions_sum_char_from_7_1_on(version: str, datatype: str) -> None:
    figure = only(read_lines(ALLREDUCE.format(version=version), place=Place(1, 4)).results)
    assert figure.parameters["datatype"] == datatype
    assert figure.values == (12.0,)


def test_the_slowest_rank_is_the_time_of_a_collective() -> None:
    figure = only(read_file("osu/osu_allreduce_full_2ranks.txt").results, size=8)
    assert (figure.benchmark, figure.metric) == ("network.collective", "time")
    assert figure.values == (0.44061,)
    assert figure.layout["ranks_per_node"] == 2


def test_a_mean_of_unknown_ranks_keeps_its_own_name_and_says_why() -> None:
    reading = read_file("osu/osu_allreduce.txt")
    assert {one.workload for one in reading.results} == {"osu-allreduce-latency-v7"}
    assert "--used-ranks" in reading.kept[0].why


def test_put_with_a_flush_is_one_sided_until_completion() -> None:
    figure = only(read_file("osu/osu_put_latency.txt").results, size=8)
    assert (figure.benchmark, figure.metric) == ("network.onesided", "time")
    assert figure.parameters["window"] == "allocate"
    assert figure.parameters["synchronization"] == "lock-all"


def test_start_up_takes_the_slowest_rank() -> None:
    figure = only(read_file("osu/osu_init.txt").results)
    assert (figure.benchmark, figure.values, figure.unit) == ("network.startup", (121.0,), "ms")


def test_overlap_that_is_cut_off_is_not_machmeters() -> None:
    reading = read_file("osu/osu_ialltoall.txt")
    assert all(not one.benchmark for one in reading.results)
    assert "cut off at 0" in reading.kept[0].why


def test_a_torn_row_is_told_by_file_line_and_columns() -> None:
    torn = "# OSU MPI Latency Test v5.6\n# Size          Latency (us)\n8      1.0\n16\n"
    (remark,) = read_lines(torn).remarks
    assert remark == (
        "out.txt, line 4: expected 2 columns: Size, Latency(us), found '16'; left out"
    )


def test_a_minimum_above_the_mean_is_flagged() -> None:
    bad = ALLREDUCE.format(version="7.4").replace("9.00", "11.0")
    assert "not in that order" in only(read_lines(bad, place=Place(1, 2)).results).flag


def test_a_run_that_died_is_told() -> None:
    died = MULTI.format(version="7.4") + "=  BAD TERMINATION OF ONE OF YOUR PROCESSES\n"
    assert any("may not have come to its end" in one for one in read_lines(died).remarks)


def test_one_sided_memory_of_a_device_is_never_machmeters_own() -> None:
    text = """# OSU MPI_Put Latency Test v7.4
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)
# Size          Latency (us)
8 2.0
"""
    figure = only(read_lines(text).results)
    assert not figure.benchmark
    assert figure.parameters["buffers"] == "DEVICE to HOST"


@pytest.mark.parametrize("above", [True, False])
def test_threads_of_either_side_are_in_the_point(above: bool) -> None:
    users = "# Number of Sender threads: {0} \n# Number of Receiver threads: {1}\n"
    head = "# OSU MPI Multi-threaded Latency Test v7.4\n"
    rows = "# Size          Latency (us)\n8 2.0\n"
    text = "".join(
        (said + head if above else head + said) + rows
        for said in (users.format(1, 4), users.format(1, 8))
    )
    told = [
        (one.parameters["sender_threads"], one.parameters["receiver_threads"])
        for one in read_lines(text).results
    ]
    assert told == [(1, 4), (1, 8)]


def test_start_up_on_nodes_that_cannot_hold_as_many_each_is_left_out() -> None:
    line = "nprocs: 3, min: 50 ms, max: 60 ms, avg: 55 ms\n"
    reading = read_lines("# OSU MPI Init Test v7.4\n" + line, place=Place(2, 0))
    assert not reading.results
    assert "3 ranks on 2 nodes" in reading.remarks[0]


def test_ranks_that_no_layout_can_say_are_in_the_point() -> None:
    three, five = (
        read_lines(ALLREDUCE.format(version="7.4"), place=Place(2, ranks)).results[0]
        for ranks in (3, 5)
    )
    assert (three.parameters["ranks"], five.parameters["ranks"]) == (3, 5)


def test_a_row_without_numbers_does_not_lose_the_table() -> None:
    reading = read_lines(MULTI.format(version="7.4") + "16  nan\n32  2.0\n")
    assert [one.parameters["size"] for one in reading.results] == [8, 32]
    assert any("line 4: it holds what is no number" in one for one in reading.remarks)


ACCUMULATE = """# OSU MPI_Accumulate latency Test v7.4
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Datatype: MPI_CHAR.
# Size          Latency (us)        Validation
8                    0.44670            {0}
"""


@pytest.mark.parametrize(("said", "flagged"), [("passed", False), ("failed", True)])
def test_atomics_tell_their_validation_in_other_words(said: str, flagged: bool) -> None:
    reading = read_lines(ACCUMULATE.format(said))
    assert bool(only(reading.results).flag) == flagged
    assert bool(reading.remarks) == flagged


def test_a_derived_datatype_is_not_contiguous() -> None:
    text = "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n"
    text += "# Size       Avg Latency(us)     Transmit Size\n64   3.00385   32\n"
    reading = read_lines(text)
    figure = only(reading.results, size=64)
    assert (figure.benchmark, figure.parameters["transmitted"]) == ("", 32)
    assert "derived datatype" in reading.kept[0].why


def test_datatypes_of_one_start_are_no_launches_of_one_figure() -> None:
    table = "# Datatype: {0}.\n# Size       Avg Latency(us)\n8   {1}\n"
    text = "# OSU MPI Latency Test v7.4\n"
    text += "".join(table.format(*row) for row in (("MPI_CHAR", 2.0), ("MPI_INT", 3.0)))
    reading = read_lines(text)
    assert only(reading.results, benchmark="network.latency").values == (2.0,)
    assert only(reading.results, datatype="MPI_INT").workload == "osu-latency-v7"


def test_a_table_of_varied_windows_is_told() -> None:
    text = "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
    text += "# [ pairs: 1 ] [ window size: varied ]\n\n# Uni-directional Bandwidth (MB/sec)\n"
    text += "#             1           2\n1024    1.02   315.37\n"
    reading = read_lines(text)
    assert not reading.results
    assert reading.remarks == ("out.txt, line 1: a table of varied windows; left out",)


def test_both_ways_as_version_3_names_its_column() -> None:
    text = (
        "# OSU MPI Bi-Directional Bandwidth Test v3.3\n# Size     Bi-Bandwidth (MB/s)\n8   24.80\n"
    )
    figure = only(read_lines(text).results)
    assert (figure.metric, figure.values) == ("bandwidth_both_ways", (24.8,))


@pytest.mark.parametrize(
    ("head", "workload"),
    [
        ("OSU One Sided MPI_Put latency Test v3.1.1", "osu-one-sided-mpi-put-latency-v3"),
        ("OSU MPI Latency Test (Version 2.1)", "osu-latency-v2"),
    ],
)
def test_what_old_versions_measure_keeps_its_own_name(head: str, workload: str) -> None:
    figure = only(read_lines(f"# {head}\n# Size\t\tLatency (us) \n8\t\t2.50\n").results)
    assert (figure.workload, figure.values) == (workload, (2.5,))


@pytest.mark.parametrize(("nodes", "ranks_per_node"), [(1, 2), (2, 1)])
def test_a_test_of_two_ranks_has_the_layout_of_two(nodes: int, ranks_per_node: int) -> None:
    reading = read_lines(ACCUMULATE.format("passed"), place=Place(nodes, 0))
    assert only(reading.results).layout == {"nodes": nodes, "ranks_per_node": ranks_per_node}


def test_nodes_of_unknown_ranks_are_in_the_point() -> None:
    one, two = (
        only(
            read_lines(ALLREDUCE.format(version="7.4"), place=Place(n, 0)).results,
            quantity="latency",
        )
        for n in (1, 2)
    )
    assert (one.layout, two.layout) == ({"nodes": 1}, {"nodes": 2})


def test_versions_are_other_programs() -> None:
    figures = read_lines(MULTI.format(version="5.8") + MULTI.format(version="5.9")).results
    assert len({one.program for one in figures}) == 2


def test_what_ended_a_table_is_told_by_its_words() -> None:
    died = MULTI.format(version="7.4") + f"{'=' * 40}\n=   BAD TERMINATION\n{'=' * 40}\n"
    assert any("'BAD TERMINATION'" in one for one in read_lines(died).remarks)


@pytest.mark.parametrize("library", ["NCCL", "RCCL", "xCCL", "UPC", "UPC++", "OpenSHMEM"])
def test_programs_over_other_libraries_are_their_own(library: str) -> None:
    text = f"# OSU {library} Latency Test v7.4\n# Size       Avg Latency(us)\n8   2.00\n"
    figure = only(read_lines(text).results)
    name = library.lower().rstrip("+")
    assert (figure.benchmark, figure.workload) == ("", f"osu-{name}-latency-v7")
    assert figure.values == (2.0,)

from __future__ import annotations

import pytest
from importing_data import only, read_file, read_lines

from machmeter.model.errors import MachmeterError

HEAD = """#    Intel (R) MPI Benchmarks {version}, MPI-1 part
# ./IMB-MPI1 {name} {options}
# MPI_Datatype for reductions    :   MPI_FLOAT
# Benchmarking {name}
# #processes = {ranks}
"""
PINGPONG = HEAD + "       #bytes #repetitions      t[usec]   Mbytes/sec\n{row}\n"
ALLREDUCE = HEAD + "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n{row}\n"
OLD_HEAD = "#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part"


def pingpong(row: str, options: str = "", version: str = "2021.11") -> str:
    return PINGPONG.format(version=version, name="PingPong", ranks=2, options=options, row=row)


def test_ping_pong_is_half_the_round_trip() -> None:
    figures = read_file("imb_mpi1.txt").figures
    figure = only(figures, pattern="ping-pong", size=8)
    assert (figure.benchmark, figure.unit) == ("network.latency", "us")
    assert figure.parameters["way"] == "blocking"
    assert only(figures, pattern="ping-ping", size=8).parameters["way"] == "nonblocking"


def test_uniband_has_a_window_of_256() -> None:
    figures = read_file("imb_mpi1.txt").figures
    rate = only(figures, metric="message_rate", direction="one-way", size=8)
    assert rate.parameters["window"] == 256


def test_collectives_take_the_slowest_rank_and_its_datatype() -> None:
    figure = only(read_file("imb_mpi1.txt").figures, operation="allreduce", size=8)
    assert figure.text == "slowest rank's mean"
    assert figure.parameters["datatype"] == "float"
    assert figure.layout["ranks_per_node"] == 2


def test_only_a_flush_of_each_put_is_one_sided() -> None:
    figures = read_file("imb_rma.txt").figures
    single = only(figures, benchmark="network.onesided", size=8)
    assert single.parameters["window"] == "create"
    assert any(one.workload == "imb-unidir-put-aggregate" for one in figures)


def test_off_cache_makes_buffers_cold() -> None:
    figure = only(read_lines(pingpong("  8  1000  2.00  4.00", "-off_cache -1")).figures)
    assert figure.parameters["buffers"] == "cold"


def test_without_barriers_between_it_is_no_collective_of_ours() -> None:
    text = ALLREDUCE.format(
        version="2021.11", name="Allreduce", ranks=4, options="-sync off", row=" 8 1000 1.0 2.0 1.5"
    )
    reading = read_lines(text)
    assert {one.workload for one in reading.figures} == {"imb-allreduce"}


@pytest.mark.parametrize(("printed", "binary"), [("524.288", False), ("500.00", True)])
def test_megabytes_are_told_by_their_own_row(printed: str, binary: bool) -> None:
    text = HEAD.format(version="2021.11", name="Uniband", ranks=2, options="")
    text += "  #bytes #repetitions   Mbytes/sec      Msg/sec\n"
    text += f"  1048576   40   {printed}   500\n"
    reading = read_lines(text)
    figure = only(reading.figures, metric="bandwidth_one_way")
    assert figure.unit == "MB/s"
    assert figure.values[0] == pytest.approx(524.288)
    assert ("printed in MiB/s" in figure.note) == binary
    assert any("by its own rows" in one for one in reading.remarks) == binary


def test_before_2018_megabytes_are_binary() -> None:
    text = OLD_HEAD + "\n# Benchmarking Sendrecv\n# #processes = 2\n"
    text += " #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"
    text += " 1048576 40 100.0 100.0 100.0 20000.00\n"
    assert only(read_lines(text).figures, quantity="bandwidth").values[0] == 20000 * 1.048576


def test_a_row_of_other_columns_is_told() -> None:
    with pytest.raises(MachmeterError, match="line 7: expected 4 columns"):
        read_lines(pingpong("  8  1000  2.00"))


def test_a_size_given_up_is_told() -> None:
    reading = read_lines(pingpong("  8  1000  time-out.; Time limit is over"))
    assert "gave this size up" in reading.remarks[0]

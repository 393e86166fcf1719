from __future__ import annotations

import pytest

from machmeter.importing.machine import import_files
from machmeter.importing.readings import Place
from machmeter.importing.unmatched import grouped_by_reason
from machmeter.published.estimates import published_estimates
from tests.support.importing_data import FOLDER, only, read_file, read_lines

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
    figures = read_file("imb/imb_mpi1.txt").results
    figure = only(figures, pattern="ping-pong", size=8)
    assert (figure.benchmark, figure.unit) == ("network.latency", "us")
    assert figure.parameters["way"] == "blocking"
    assert only(figures, pattern="ping-ping", size=8).parameters["way"] == "nonblocking"


def test_uniband_has_a_window_of_256() -> None:
    figures = read_file("imb/imb_mpi1.txt").results
    rate = only(figures, metric="message_rate", direction="one-way", size=8)
    assert rate.parameters["window"] == 256


def test_collectives_take_the_slowest_rank_and_its_datatype() -> None:
    figure = only(read_file("imb/imb_mpi1.txt").results, operation="allreduce", size=8)
    assert figure.text == "slowest rank's mean"
    assert figure.parameters["datatype"] == "float"
    assert figure.layout["ranks_per_node"] == 2


def test_only_a_flush_of_each_put_is_one_sided() -> None:
    figures = read_file("imb/imb_rma.txt").results
    single = only(figures, benchmark="network.onesided", size=8)
    assert single.parameters["window"] == "create"
    assert any(one.workload == "imb-unidir-put-aggregate" for one in figures)


def test_off_cache_makes_buffers_cold() -> None:
    figure = only(read_lines(pingpong("  8  1000  2.00  4.00", "-off_cache -1")).results)
    assert figure.parameters["buffers"] == "cold"


def test_without_barriers_between_it_is_no_collective_of_ours() -> None:
    text = ALLREDUCE.format(
        version="2021.11", name="Allreduce", ranks=4, options="-sync off", row=" 8 1000 1.0 2.0 1.5"
    )
    reading = read_lines(text)
    assert {one.workload for one in reading.results} == {"imb-allreduce"}


@pytest.mark.parametrize(("printed", "binary"), [("524.288", False), ("500.00", True)])
def test_megabytes_are_told_by_their_own_row(printed: str, binary: bool) -> None:
    text = HEAD.format(version="2021.11", name="Uniband", ranks=2, options="")
    text += "  #bytes #repetitions   Mbytes/sec      Msg/sec\n"
    text += f"  1048576   40   {printed}   500\n"
    reading = read_lines(text)
    figure = only(reading.results, metric="bandwidth_one_way")
    assert figure.unit == "MB/s"
    assert figure.values[0] == pytest.approx(524.288)
    assert ("printed in MiB/s" in figure.note) == binary
    assert any("by its own rows" in one for one in reading.remarks) == binary


def test_before_2018_megabytes_are_binary() -> None:
    text = OLD_HEAD + "\n# Benchmarking Sendrecv\n# #processes = 2\n"
    text += " #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"
    text += " 1048576 40 100.0 100.0 100.0 20000.00\n"
    assert only(read_lines(text).results, quantity="bandwidth").values[0] == 20000 * 1.048576


def test_a_row_of_other_columns_is_told() -> None:
    (remark,) = read_lines(pingpong("  8  1000  2.00")).remarks
    assert "line 7: expected 4 columns" in remark


def test_a_table_without_its_main_column_is_told() -> None:
    text = pingpong("  8  1000  10.00").replace(" t[usec]", "")
    (remark,) = read_lines(text).remarks
    assert "expected a column t[usec] beside 3 columns" in remark


def test_a_workload_is_read_without_its_time() -> None:
    groups = "# ( 2 groups of 2 processes each running simultaneous )\n"
    text = pingpong("  8  1000  10.00").replace(" t[usec]", "")
    figure = only(read_lines(text.replace("       #bytes", f"{groups}       #bytes")).results)
    assert (figure.quantity, figure.values) == ("bandwidth", (10.0,))


def test_a_size_given_up_is_told() -> None:
    reading = read_lines(pingpong("  8  1000  time-out.; Time limit is over"))
    assert "gave this size up" in reading.remarks[0]


WAITING = "# ( 2 additional processes waiting in MPI_Barrier)\n"


def allreduce(ranks: int, options: str = "", before: str = "") -> str:
    row = " 8 1000 1.0 2.0 1.5"
    text = ALLREDUCE.format(
        version="2021.11", name="Allreduce", ranks=ranks, options=options, row=row
    )
    return text.replace("       #bytes", f"{before}       #bytes")


def test_some_of_all_processes_are_on_nodes_that_nobody_knows() -> None:
    text = pingpong("  8  1000  0.80  10.00").replace("       #bytes", f"{WAITING}       #bytes")
    figure = only(read_lines(text, place=Place(2, 4)).results)
    assert figure.layout == {}
    assert "2 of 4 processes took part" in figure.note
    within = only(read_lines(text, place=Place(1, 4)).results)
    assert within.layout == {"nodes": 1, "ranks_per_node": 2}


def test_a_collective_of_some_processes_keeps_its_own_name() -> None:
    some, every = (
        read_lines(text, place=Place(2, 4)) for text in (allreduce(2, before=WAITING), allreduce(4))
    )
    figure = only(some.results)
    assert (figure.workload, figure.parameters["ranks"]) == ("imb-allreduce", 2)
    assert "nodes" not in figure.layout
    assert only(every.results).layout == {"nodes": 2, "ranks_per_node": 2}


def test_groups_at_once_take_all_their_processes() -> None:
    groups = "# ( 2 groups of 2 processes each running simultaneous )\n"
    figure = only(read_lines(allreduce(2, before=groups), place=Place(2, 4)).results)
    assert figure.layout == {"nodes": 2, "ranks_per_node": 2}
    assert figure.parameters["groups"] == 2


def test_options_that_change_a_measurement_are_in_its_point() -> None:
    plain, off = (
        only(read_lines(allreduce(4, options), place=Place(1, 4)).results).parameters
        for options in ("-sync off -off_cache 1", "-sync off")
    )
    assert (plain["options"], off["options"]) == ("-off_cache 1 -sync off", "-sync off")


def test_a_row_without_numbers_is_left_out() -> None:
    reading = read_lines(pingpong("  8  1000  nan  4.00\n  16  1000  2.00  8.00"))
    assert [one.parameters["size"] for one in reading.results] == [16]
    assert "it holds what is no number" in reading.remarks[0]


UNIBAND = """  #bytes #repetitions   Mbytes/sec      Msg/sec
       8          100         2.00       250000
"""


@pytest.mark.parametrize(("options", "window"), [("", 256), ("-window_size 64", 64)])
def test_the_window_is_that_of_the_command_line(options: str, window: int) -> None:
    head = HEAD.format(version="2021.11", name="Uniband", ranks=2, options=options)
    figure = only(read_lines(head + UNIBAND).results, metric="bandwidth_one_way")
    assert figure.parameters["window"] == window


def test_a_window_that_is_no_number_keeps_imbs_name() -> None:
    head = HEAD.format(version="2021.11", name="Uniband", ranks=2, options="-window_size x")
    assert {one.workload for one in read_lines(head + UNIBAND).results} == {"imb-uniband"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-warm_up off", "without warm-up"),
        ("-contig_type base_vec", "derived datatype"),
    ],
)
def test_what_is_measured_otherwise_keeps_imbs_name(options: str, said: str) -> None:
    reading = read_lines(pingpong("  8  1000  2.00  4.00", options))
    assert {one.workload for one in reading.results} == {"imb-pingpong"}
    assert said in reading.kept[0].why


def test_messages_of_another_datatype_are_not_machmeters() -> None:
    text = pingpong("  8  1000  2.00  4.00")
    text = text.replace("# MPI_Datatype for", "# MPI_Datatype  :   MPI_DOUBLE\n# MPI_Datatype for")
    reading = read_lines(text)
    assert {one.workload for one in reading.results} == {"imb-pingpong"}
    assert "MPI_DOUBLE" in reading.kept[0].why


def test_each_of_several_groups_is_its_own_figure() -> None:
    text = """#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# Benchmarking Multi-PingPong
# ( 2 groups of 2 processes each running simultaneous )
        Group       #bytes #repetitions      t[usec]   Mbytes/sec

            0            8            5         2.40         3.33
            1            8            5         2.09         3.83
"""
    times = [one for one in read_lines(text).results if one.quantity == "time"]
    assert [(one.parameters["group"], one.values) for one in times] == [(0, (2.4,)), (1, (2.09,))]


def test_tests_kept_for_one_reason_are_told_once() -> None:
    table = "# Benchmarking {0}\n# #processes = 2\n #bytes #repetitions t_max[usec]\n 8 9 1.0\n"
    kept = read_lines(f"{OLD_HEAD}\n" + table.format("Scatterv") + table.format("Gatherv")).kept
    assert {(one.tool, one.test) for one in kept} == {("IMB", "Scatterv"), ("IMB", "Gatherv")}
    assert len(grouped_by_reason(kept)) == 1


def test_buffers_of_a_gpu_are_not_those_of_the_host() -> None:
    reading = read_file("field/10-imb-gpu/imb-gpu.txt")
    times = [one for one in reading.results if one.quantity == "time"]
    assert [one.values[0] for one in times] == [1.6, 1.6, 1.69, 7.56, 96.93]
    assert {one.workload for one in reading.results} == {"imb-mpi1-gpu-pingpong"}
    assert {one.parameters["options"] for one in times} == {"-mem_alloc_type device"}
    assert "GPU" in reading.kept[0].why


@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("IMB-MPI1-GPU", ""),
        ("/opt/imb/IMB-MPI1-GPU", "-mem_alloc_type cpu"),
        ("IMB-MPI1", "-mem_alloc_type device"),
        ("IMB-P2P", ""),
        ("IMB-MT", ""),
    ],
)
def test_each_program_of_the_suite_is_its_own(program: str, options: str) -> None:
    text = pingpong("  8  1000  2.00  4.00", options)
    host, own = (read_lines(one).results for one in (pingpong("  8  1000  2.00  4.00"), text))
    own = read_lines(text.replace("./IMB-MPI1", program)).results
    assert {one.benchmark for one in host} == {"network.latency"}
    assert {one.benchmark for one in own} == {""}
    name = program.rsplit("/", 1)[-1]
    assert {one.parameters["test"] for one in own} == {f"{name} PingPong"}


def test_a_part_that_is_printed_alone_is_its_own() -> None:
    text = pingpong("  8  1000  2.00  4.00").replace("MPI-1 part", "IMB-P2P part")
    text = "\n".join(line for line in text.split("\n") if "./IMB" not in line)
    results = read_lines(text).results
    assert {one.workload for one in results} == {"imb-p2p-pingpong"}


def test_threads_of_imb_mt_are_in_the_point() -> None:
    results = read_file("field/12-imb-mt-threads/imb-mt-both.txt").results
    times = [one for one in results if one.parameters["size"] == 8 and one.unit == "us"]
    assert [(one.layout["threads_per_rank"], one.values) for one in times] == [
        (1, (2.6,)),
        (4, (10.4,)),
    ]
    machine, remarks = import_files([FOLDER / "field/12-imb-mt-threads/imb-mt-both.txt"])
    assert {one.launches for one in published_estimates(machine)} == {1}
    assert not any("differ" in one for one in remarks)


def test_threads_of_ranks_that_are_unevenly_placed_are_in_the_point() -> None:
    text = pingpong("  8  1000  2.00  4.00").replace("processes = 2", "processes = 3 (threads: 4)")
    (one, _) = read_lines(text, place=Place(2, 3)).results
    assert (one.parameters["threads"], one.layout) == (4, {"nodes": 2})

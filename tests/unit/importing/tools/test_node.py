from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.machine import import_files
from machmeter.importing.readings import Place, Reading
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.published.estimates import published_estimates
from machmeter.published.printed import printed_figures
from tests.support.importing_data import FOLDER, only, read_file, read_lines


def test_stream_compares_the_mean_time_and_keeps_the_best_rate() -> None:
    figures = read_file("tools/stream.txt").results
    mean = only(figures, benchmark="memory.stream", kernel="triad")
    best = only(figures, workload="stream-triad")
    assert mean.parameters["size"] == 128_000_000
    assert mean.layout == {"threads_per_rank": 2}
    assert mean.values[0] == pytest.approx(3 * 128e6 / 0.081573 / 1e6)
    assert best.values == (6000.1,)
    assert "stores" not in mean.parameters
    assert not mean.flag


def test_a_rate_that_is_not_bytes_over_time_is_flagged() -> None:
    text = (FOLDER / "tools/stream.txt").read_text().replace("6000.1", "9000.1")
    assert "not its bytes over its time" in only(read_lines(text).results, kernel="triad").flag


def test_binary_megabytes_of_stream_are_found() -> None:
    text = (FOLDER / "tools/stream.txt").read_text().replace("6000.1", f"{6000.1 / 1.048576:.1f}")
    best = only(read_lines(text).results, workload="stream-triad")
    assert best.values[0] == pytest.approx(6000.1, rel=1e-4)
    assert "printed in MiB/s" in best.note


def test_a_failed_validation_is_flagged() -> None:
    text = (FOLDER / "tools/stream.txt").read_text()
    text = text.replace("Solution Validates", "Failed Validation on array a[]")
    assert all("validation failed" in one.flag for one in read_lines(text).results)


@pytest.mark.parametrize(
    ("printed", "is_doubtful"),
    [
        ("L1d cache: 64 KiB (2 instances)\nL2 cache: 90 MiB (2 instances)\nL3 cache: 32 MiB", True),
        (
            "Caches (sum of all):\n  L2:   30 MiB (60 instances)\n  L3:   0.2 GiB (8 instances)",
            True,
        ),
        ("L3 cache:                           31250K", False),
        ("L3 cache: 9 MiB\nL3 cache: 64 MiB", True),
        ("L3 cache:                           65536 KB", True),
        ("L2 cache:             30 MiB (1 instance)", False),
        ("", False),
    ],
)
def test_arrays_of_stream_below_four_times_the_last_cache_are_doubtful(
    printed: str, is_doubtful: bool
) -> None:
    text = (FOLDER / "tools/stream.txt").read_text()
    for whole in (f"{printed}\n{text}", f"{text}\n{printed}\n"):
        reading = read_lines(whole)
        assert bool(reading.remarks) == is_doubtful
        assert len(reading.results) == 8


def test_likwids_stream_loop_is_a_triad_of_three_arrays() -> None:
    figure = only(read_file("tools/likwid_bench.txt").results)
    assert figure.parameters["kernel"] == "triad"
    assert figure.parameters["size"] == 63999744 // 3
    assert figure.parameters["stores"] == "temporal"
    assert figure.layout["threads_per_rank"] == 2


@pytest.mark.parametrize(
    ("loop", "kernel", "stores"),
    [
        ("stream_mem_avx512", "triad", "nontemporal"),
        ("load", "read", None),
        ("load_mem", None, None),
        ("triad", None, None),
    ],
)
def test_likwids_loops_by_name(loop: str, kernel: str | None, stores: str | None) -> None:
    text = (
        (FOLDER / "tools/likwid_bench.txt").read_text().replace("Test: stream_avx", f"Test: {loop}")
    )
    figure = only(read_lines(text).results)
    assert figure.parameters.get("kernel") == kernel
    assert figure.parameters.get("stores") == stores
    assert bool(figure.workload) == (kernel is None)


def test_overheads_of_epcc() -> None:
    figures = read_file("tools/epcc_syncbench.txt").results
    parallel = only(figures, construct="parallel")
    assert (parallel.benchmark, parallel.metric) == ("threads.sync", "overhead")
    assert parallel.values == (205.137357,)
    assert parallel.layout == {"threads_per_rank": 2}
    assert "below resolution" in parallel.flag
    assert not only(figures, construct="critical").flag
    assert only(figures, workload="epcc-barrier-var").benchmark == ""


def test_an_overhead_below_zero_is_told_and_left_out() -> None:
    text = (FOLDER / "tools/epcc_syncbench.txt").read_text()
    text = text.replace("PARALLEL overhead     = 205.137357", "PARALLEL overhead     = -0.137357")
    reading = read_lines(text)
    assert all(one.parameters.get("construct") != "parallel" for one in reading.results)
    assert any("-0.137357 us for PARALLEL is no cost" in one for one in reading.remarks)


def test_the_summary_of_hpcc() -> None:
    figures = read_file("tools/hpccoutf.txt").results
    triad = only(figures, text="SingleSTREAM_Triad")
    assert (triad.unit, triad.workload, triad.quantity) == (
        "GB/s",
        "hpcc",
        "STREAM triad, one process",
    )
    assert only(figures, text="HPL_Tflops").unit == "TFLOP/s"
    latency = only(figures, benchmark="network.latency")
    assert (latency.parameters["size"], latency.unit) == (8, "us")


def test_hpcc_that_failed_or_did_not_end() -> None:
    text = (FOLDER / "tools/hpccoutf.txt").read_text()
    failed = read_lines(text.replace("Success=1", "Success=0"))
    assert all("failed" in one.flag for one in failed.results)
    with pytest.raises(MachmeterError, match="did not come to its end"):
        read_lines(text.replace("End of Summary section.", ""))


@pytest.mark.parametrize(
    ("name", "was", "absurd"),
    [
        ("tools/hpccoutf.txt", "STREAM_VectorSize=166666", "STREAM_VectorSize=1e300"),
        ("tools/hpccoutf.txt", "HPL_N=1000", "HPL_N=1e25"),
        ("tools/likwid_bench.txt", "63999744", "1e30"),
        ("tools/stream.txt", "0.081573", "1e-300"),
    ],
)
def test_sizes_and_times_of_no_machine_are_told_by_their_line(
    name: str, was: str, absurd: str
) -> None:
    text = (FOLDER / name).read_text()
    assert was in text
    with pytest.raises(MachmeterError, match=r"out.txt, line \d+: expected"):
        read_lines(text.replace(was, absurd))


def test_a_summary_of_hpcc_that_was_cut_costs_itself_alone() -> None:
    whole = (FOLDER / "tools/hpccoutf.txt").read_text()
    cut = whole[: whole.index("End of Summary section")]
    reading = read_lines(whole + cut)
    assert len(reading.results) == len(read_lines(whole).results)
    assert any("a summary without its end" in one for one in reading.remarks)


def test_hpcc_of_another_size_is_another_figure() -> None:
    text = (FOLDER / "tools/hpccoutf.txt").read_text()
    larger = text.replace("\nFFT_N=65536", "\nFFT_N=131072")
    sizes = [only(read_lines(t).results, text="StarFFT_Gflops").parameters for t in (text, larger)]
    assert sizes == [{"n": 65536}, {"n": 131072}]


def test_loops_of_other_instructions_are_no_launches_of_one_figure(tmp_path: Path) -> None:
    text = (FOLDER / "tools/likwid_bench.txt").read_text()
    file = tmp_path / "loops.txt"
    file.write_text(text + text.replace("Test: stream_avx", "Test: stream_sse"))
    machine, remarks = import_files([file])
    assert [one.launches for one in published_estimates(machine)] == [1]
    assert any("likwid-bench stream_sse is another program" in one for one in remarks)


@pytest.mark.parametrize(
    ("name", "was", "other"),
    [
        ("hpccoutf.txt", "HPL_NB=80", "HPL_NB=32"),
        ("likwid_bench.txt", "Thread 1 running on hwthread 1", "Thread 1 running on hwthread 9"),
        ("google_benchmark.json", '"host_name": "vm"', '"host_name": "cn07"'),
        ("google_benchmark.json", '"num_cpus": ', '"num_cpus": 1'),
    ],
)
def test_starts_with_other_surroundings_are_no_launches_of_one_figure(
    tmp_path: Path, name: str, was: str, other: str
) -> None:
    text = (FOLDER / "tools" / name).read_text()
    assert was in text
    files = [tmp_path / f"one-{name}", tmp_path / f"two-{name}"]
    for file, content in zip(files, (text, text.replace(was, other)), strict=True):
        file.write_text(content)
    machine, remarks = import_files(files)
    told = [one for one in remarks if "was started otherwise" in one]
    assert told
    assert any(one.launches == 1 for one in published_estimates(machine))
    files[1].write_text(text)
    machine, remarks = import_files(files)
    assert not [one for one in remarks if "was started otherwise" in one]


def test_an_overhead_that_is_no_number_is_left_out() -> None:
    text = (FOLDER / "tools/epcc_syncbench.txt").read_text()
    reading = read_lines(text.replace("overhead     = 205.137357", "overhead     = nan"))
    assert any("it holds what is no number" in one for one in reading.remarks)
    assert only(reading.results, construct="critical")


def test_every_summary_of_hpcc_is_a_launch() -> None:
    text = (FOLDER / "tools/hpccoutf.txt").read_text()
    faster = text.replace("\nHPL_Tflops=", "\nHPL_Tflops=1")
    reading = read_lines(text + faster)
    assert len([one for one in reading.results if one.text == "HPL_Tflops"]) == 2
    torn = text.replace("End of Summary section.", "") + text
    assert any("a summary without its end" in one for one in read_lines(torn).remarks)


def test_hpcc_and_osu_have_the_same_latency() -> None:
    hpcc = only(read_file("tools/hpccoutf.txt").results, benchmark="network.latency")
    osu = only(read_file("osu/osu_latency.txt").results, size=8)
    assert hpcc.parameters == osu.parameters


STREAM_TABLE = """STREAM version $Revision: 5.10 $
This system uses 8 bytes per array element.
Array size = 16000000 (elements), Offset = 0 (elements)
Number of Threads requested = 2
Number of Threads counted = 2
Triad:           6400.0     0.{}     0.060000     0.119434
"""
RANKS = "".join(STREAM_TABLE.format(mean) for mean in ("080000", "064000", "100000", "070000"))
MEANS = [3 * 128 / float(f"0.{mean}") for mean in ("080000", "064000", "100000", "070000")]


@pytest.mark.parametrize("line", ["mpirun -np 4 ./stream_c", "srun ./stream_c", "== 4 ranks =="])
def test_tables_of_several_ranks_are_no_launches_of_one(line: str, tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text(f"{line}\n{RANKS}")
    reading = read_lines(file.read_text())
    means = [one for one in reading.results if one.quantity == "rate of the mean sweep"]
    assert {one.workload for one in reading.results} == {"stream-rank-triad"}
    assert [one.values[0] for one in means] == pytest.approx(MEANS)
    assert [one.parameters["table"] for one in means] == [1, 2, 3, 4]
    assert {one.layout["ranks_per_node"] for one in means} == {4}
    assert {one.layout["threads_per_rank"] for one in means} == {2}
    machine, remarks = import_files([file])
    assert {one.launches for one in published_estimates(machine)} == {1}
    assert any("one rank of several that ran concurrently" in one for one in remarks)


def test_each_start_of_several_ranks_is_a_launch(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text(f"mpirun -np 4 ./stream_c\n{RANKS}" * 3)
    machine, _ = import_files([file])
    estimates = published_estimates(machine)
    assert len(estimates) == 8
    assert {one.launches for one in estimates} == {3}


@pytest.mark.parametrize("lines", ["", "mpirun -np 1 ./stream_c\n"])
def test_starts_one_after_another_are_launches_and_their_spread_is_told(
    lines: str, tmp_path: Path
) -> None:
    file = tmp_path / "out.txt"
    file.write_text(lines + RANKS)
    machine, remarks = import_files([file])
    assert {one.launches for one in published_estimates(machine)} == {4}
    (said,) = [one for one in remarks if "differ by" in one]
    assert "differ by up to 1.56 times" in said


def test_stream_with_other_surroundings_is_no_launch(tmp_path: Path) -> None:
    one = STREAM_TABLE.format("080000")
    for first, second in (
        ("export OMP_PROC_BIND=close", "export OMP_PROC_BIND=spread"),
        ("mpirun -np 1 ./stream_c", "mpirun -np 1 numactl -m 1 ./stream_c"),
    ):
        file = tmp_path / "out.txt"
        file.write_text(f"{first}\n{one}{second}\n{one}")
        machine, remarks = import_files([file])
        assert {one.launches for one in published_estimates(machine)} == {1}
        assert any("no launch of it" in said for said in remarks)


def test_many_rows_of_stream_that_are_none_are_told_in_few_words() -> None:
    reading = read_lines(STREAM_TABLE.format("080000") + "Copy: what\n" * 5000)
    assert len(reading.remarks) < 10
    assert any("4996 more lines" in one for one in reading.remarks)


FORTRAN = """----------------------------------------------
 Double precision appears to have 16 digits of accuracy
 Assuming 8 bytes per DOUBLE PRECISION word
----------------------------------------------
 ----------------------------------------------
 STREAM Version $Revision: 5.6 $
 ----------------------------------------------
 Array size =    2000000
 Offset     =          0
 Number of Threads =            2
Function     Rate (MB/s)  Avg time   Min time  Max time
Copy:          3767.8    0.014926    0.008493    0.024004
"""


def test_stream_in_fortran() -> None:
    figures = read_lines(FORTRAN).results
    mean = only(figures, benchmark="memory.stream")
    assert mean.parameters == {"kernel": "copy", "size": 16_000_000}
    assert mean.layout == {"threads_per_rank": 2}
    assert mean.values[0] == pytest.approx(32.0 / 0.014926)
    assert mean.decimals == 0
    assert mean.program == "STREAM 5.6"
    assert only(figures, workload="stream-copy").values == (3767.8,)


def test_arrays_of_single_precision_keep_streams_name() -> None:
    text = (FOLDER / "tools/stream.txt").read_text().replace("uses 8 bytes", "uses 4 bytes")
    reading = read_lines(text)
    assert {one.parameters["element_bytes"] for one in reading.results} == {4}
    assert all(one.workload.startswith("stream-") for one in reading.results)
    assert "elements of 4 bytes" in reading.kept[0].why


def test_a_sweep_too_short_for_the_clock_is_left_out() -> None:
    short = FORTRAN + "Triad:          Infinity    0.000000    0.000000    0.000000\n"
    reading = read_lines(short)
    assert len(reading.results) == 2
    assert "too small" in reading.remarks[0]


EPCC_2 = """ Running OpenMP benchmark on 4 thread(s)

PARALLEL time =                           2.500000 microseconds +/- 0.100000
PARALLEL overhead =                       1.500000 microseconds +/- 0.120000
"""


def test_version_2_of_epcc_tells_its_threads_in_its_head() -> None:
    reading = read_lines(EPCC_2)
    figure = only(reading.results)
    assert (figure.benchmark, figure.values) == ("threads.sync", (1.5,))
    assert figure.layout == {"threads_per_rank": 4}
    assert reading.tools == ("EPCC OpenMP micro-benchmarks 2.0",)


def schedbench(version: str, iterations: int) -> str:
    return f"""Running OpenMP benchmark version {version}
\t2 thread(s)
\t0.100000 delay time (microseconds)
\t{iterations} iterations per thread
STATIC 1 overhead     = 12.500000 microseconds +/- 1.000000
"""


def test_loops_of_other_versions_and_lengths_are_other_points() -> None:
    texts = (schedbench("3.0", 128), schedbench("4.0", 128), schedbench("4.0", 1024))
    told = [only(read_lines(text).results).parameters for text in texts]
    assert told == [
        {"version": version, "delay_us": "0.100000", "iterations": iterations}
        for version, iterations in (("3.0", "128"), ("4.0", "128"), ("4.0", "1024"))
    ]


def test_the_same_name_twice_in_one_start_is_no_second_launch() -> None:
    again = "STATIC 1 overhead     = 99.000000 microseconds +/- 1.000000\n"
    reading = read_lines(schedbench("4.0", 128) + again)
    assert only(reading.results).values == (12.5,)
    assert any("no second launch" in one for one in reading.remarks)


def test_work_groups_at_once_keep_likwids_name() -> None:
    text = (FOLDER / "tools/likwid_bench.txt").read_text()
    two = text.replace("Using 1 work groups", "Using 2 work groups")
    figure = only(read_lines(two).results)
    assert (figure.workload, figure.parameters["groups"]) == ("likwid-stream-avx", 2)
    assert only(read_lines(text).results).note == "threads bound to hardware threads 0, 1"


def hpcc(processes: str, nodes: int = 0) -> Reading:
    """The summary of a start with that line of its processes."""
    text = (FOLDER / "tools/hpccoutf.txt").read_text()
    assert "CommWorldProcs=2\n" in text
    return read_lines(text.replace("CommWorldProcs=2\n", processes), place=Place(nodes))


@pytest.mark.parametrize(
    ("processes", "nodes", "parameters", "note"),
    [
        ("CommWorldProcs=5\n", 2, {"ranks": 5, "threads": 1}, "not as many ranks"),
        ("CommWorldProcs=7\n", 2, {"ranks": 7, "threads": 1}, "not as many ranks"),
        ("", 0, {"threads": 1}, "how many ranks ran is not printed"),
        ("", 3, {"threads": 1}, "how many ranks ran is not printed"),
    ],
)
def test_ranks_of_hpcc_that_no_layout_has_are_not_one_rank(
    processes: str, nodes: int, parameters: dict[str, Value], note: str
) -> None:
    figure = only(hpcc(processes, nodes).results, text="HPL_Tflops")
    assert figure.layout == ({"nodes": nodes} if nodes else {})
    assert figure.parameters == {"n": 1000, **parameters}
    assert note in figure.note


def test_even_ranks_of_hpcc_have_a_layout() -> None:
    figure = only(hpcc("CommWorldProcs=8\n", 2).results, text="HPL_Tflops")
    assert figure.layout == {"nodes": 2, "ranks_per_node": 4, "threads_per_rank": 1}
    assert figure.parameters == {"n": 1000}


def test_ranks_that_a_person_tells_stand_for_those_not_printed() -> None:
    text = (FOLDER / "tools/hpccoutf.txt").read_text().replace("CommWorldProcs=2\n", "")
    figure = only(read_lines(text, place=Place(2, 8)).results, text="HPL_Tflops")
    assert figure.layout == {"nodes": 2, "ranks_per_node": 4, "threads_per_rank": 1}


def test_uneven_ranks_of_hpcc_are_no_launches_of_one_figure(tmp_path: Path) -> None:
    text = (FOLDER / "tools/hpccoutf.txt").read_text()
    files = []
    for ranks in (5, 7):
        files.append(tmp_path / f"{ranks}.txt")
        files[-1].write_text(text.replace("CommWorldProcs=2\n", f"CommWorldProcs={ranks}\n"))
    machine, _ = import_files(files, place=Place(2))
    assert {one.launches for one in published_estimates(machine)} == {1}


@pytest.mark.parametrize("nothing", ["-0.0", "0" * 25, "-0.000000", "-1.0"])
def test_a_time_of_nothing_in_any_form_is_left_out(nothing: str) -> None:
    short = FORTRAN + f"Triad:          1.0    {nothing}    {nothing}    {nothing}\n"
    reading = read_lines(short)
    assert len(reading.results) == 2
    assert "too small" in reading.remarks[0]


def test_overheads_of_several_starts_print_their_own_value(tmp_path: Path) -> None:
    files = []
    for number, overhead in enumerate(("1.000000", "4.000000")):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(EPCC_2.replace("1.500000", overhead))
    machine, _ = import_files(files)
    (table,) = machine.tables
    (one,) = published_estimates(machine)
    assert table.figures[0].launches == (1.0, 4.0)
    assert table.figures[0].value == pytest.approx(2.5)
    assert one.value == pytest.approx(2.5e-6)
    assert printed_figures(machine)[table.figures[0].id].printed.number.startswith("2.5")


STREAM_OVER_MPI = """-------------------------------------------------------------
STREAM version $Revision: 1.8 $
-------------------------------------------------------------
This system uses 8 bytes per array element.
-------------------------------------------------------------
Total Aggregate Array size = 160000000 (elements)
Total Aggregate Memory per array = 1220.7 MiB (= 1.2 GiB).
Data is distributed across 4 MPI ranks
   Array size per MPI rank = 40000000 (elements)
   Total memory per MPI rank = 915.5 MiB (= 0.9 GiB).
-------------------------------------------------------------
Number of Threads requested for each MPI rank = 2
Number of Threads counted for rank 0 = 2
-------------------------------------------------------------
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           51200.0     0.060000     0.050000     0.070000
"""


def test_stream_over_mpi_is_its_own_program() -> None:
    results = read_lines(STREAM_OVER_MPI, place=Place(2, 0)).results
    assert {one.workload for one in results} == {"stream-mpi-copy"}
    best = only(results, quantity="rate of the best sweep")
    assert (best.values, best.parameters["size"]) == ((51200.0,), 1_280_000_000)
    assert best.layout == {"nodes": 2, "ranks_per_node": 2, "threads_per_rank": 2}
    assert not best.flag


def test_stream_over_mpi_on_nodes_that_are_not_known() -> None:
    launched = read_lines(f"srun -N 4 -n 4 ./stream_mpi\n{STREAM_OVER_MPI}")
    assert launched.results[0].layout == {"nodes": 4, "ranks_per_node": 1, "threads_per_rank": 2}
    assert any("4 nodes" in one for one in launched.remarks)
    assert "taken as one" in read_lines(STREAM_OVER_MPI).results[0].note


def test_rows_of_several_processes_that_are_mixed_are_left_out() -> None:
    lines = (FOLDER / "tools/stream.txt").read_text().split("\n")
    mixed = read_lines("\n".join(f"{rank}: {line}" for line in lines for rank in (0, 1)))
    assert not mixed.results
    assert any("mixed with those of other processes" in one for one in mixed.remarks)

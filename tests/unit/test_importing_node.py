from __future__ import annotations

from pathlib import Path

import pytest
from importing_data import DATA, only, read_file, read_lines

from machmeter.importing.known import import_files
from machmeter.model.errors import MachmeterError
from machmeter.published.estimates import published_estimates


def test_stream_compares_the_mean_time_and_keeps_the_best_rate() -> None:
    figures = read_file("stream.txt").figures
    mean = only(figures, benchmark="memory.stream", kernel="triad")
    best = only(figures, workload="stream-triad")
    assert mean.parameters["size"] == 128_000_000
    assert mean.layout == {"threads_per_rank": 2}
    assert mean.values[0] == pytest.approx(3 * 128e6 / 0.081573 / 1e6)
    assert best.values == (6000.1,)
    assert "stores" not in mean.parameters
    assert not mean.flag


def test_a_rate_that_is_not_bytes_over_time_is_flagged() -> None:
    text = (DATA / "stream.txt").read_text().replace("6000.1", "9000.1")
    assert "not its bytes over its time" in only(read_lines(text).figures, kernel="triad").flag


def test_binary_megabytes_of_stream_are_found() -> None:
    text = (DATA / "stream.txt").read_text().replace("6000.1", f"{6000.1 / 1.048576:.1f}")
    best = only(read_lines(text).figures, workload="stream-triad")
    assert best.values[0] == pytest.approx(6000.1, rel=1e-4)
    assert "printed in MiB/s" in best.note


def test_a_failed_validation_is_flagged() -> None:
    text = (DATA / "stream.txt").read_text()
    text = text.replace("Solution Validates", "Failed Validation on array a[]")
    assert all("validation failed" in one.flag for one in read_lines(text).figures)


def test_likwids_stream_loop_is_a_triad_of_three_arrays() -> None:
    figure = only(read_file("likwid_bench.txt").figures)
    assert figure.parameters["kernel"] == "triad"
    assert figure.parameters["size"] == 63999744 // 3
    assert figure.parameters["stores"] == "temporal"
    assert figure.layout["threads_per_rank"] == 2


@pytest.mark.parametrize(
    ("loop", "kernel", "stores"),
    [("stream_mem_avx512", "triad", "nontemporal"), ("load", "read", None), ("triad", None, None)],
)
def test_likwids_loops_by_name(loop: str, kernel: str | None, stores: str | None) -> None:
    text = (DATA / "likwid_bench.txt").read_text().replace("Test: stream_avx", f"Test: {loop}")
    figure = only(read_lines(text).figures)
    assert figure.parameters.get("kernel") == kernel
    assert figure.parameters.get("stores") == stores
    assert bool(figure.workload) == (kernel is None)


def test_overheads_of_epcc() -> None:
    figures = read_file("epcc_syncbench.txt").figures
    parallel = only(figures, construct="parallel")
    assert (parallel.benchmark, parallel.metric) == ("threads.sync", "overhead")
    assert parallel.values == (205.137357,)
    assert parallel.layout == {"threads_per_rank": 2}
    assert "not resolved" in parallel.flag
    assert not only(figures, construct="critical").flag
    assert only(figures, workload="epcc-barrier-var").benchmark == ""


def test_an_overhead_below_zero_is_told_and_left_out() -> None:
    text = (DATA / "epcc_syncbench.txt").read_text()
    text = text.replace("PARALLEL overhead     = 205.137357", "PARALLEL overhead     = -0.137357")
    reading = read_lines(text)
    assert all(one.parameters.get("construct") != "parallel" for one in reading.figures)
    assert any("-0.137357 us for PARALLEL is no cost" in one for one in reading.remarks)


def test_the_summary_of_hpcc() -> None:
    figures = read_file("hpccoutf.txt").figures
    triad = only(figures, benchmark="memory.stream", kernel="triad")
    assert triad.unit == "GB/s"
    assert only(figures, text="HPL_Tflops").unit == "TFLOP/s"
    latency = only(figures, benchmark="network.latency")
    assert (latency.parameters["size"], latency.unit) == (8, "us")


def test_hpcc_that_failed_or_did_not_end() -> None:
    text = (DATA / "hpccoutf.txt").read_text()
    failed = read_lines(text.replace("Success=1", "Success=0"))
    assert all("failed" in one.flag for one in failed.figures)
    with pytest.raises(MachmeterError, match="did not come to its end"):
        read_lines(text.replace("End of Summary section.", ""))


@pytest.mark.parametrize(
    ("name", "was", "absurd"),
    [
        ("hpccoutf.txt", "STREAM_VectorSize=166666", "STREAM_VectorSize=1e300"),
        ("hpccoutf.txt", "HPL_N=1000", "HPL_N=1e25"),
        ("likwid_bench.txt", "63999744", "1e30"),
        ("stream.txt", "0.081573", "1e-300"),
    ],
)
def test_sizes_and_times_of_no_machine_are_told_by_their_line(
    name: str, was: str, absurd: str
) -> None:
    text = (DATA / name).read_text()
    assert was in text
    with pytest.raises(MachmeterError, match=r"out.txt, line \d+: expected"):
        read_lines(text.replace(was, absurd))


def test_hpcc_of_another_size_is_another_figure() -> None:
    text = (DATA / "hpccoutf.txt").read_text()
    larger = text.replace("\nFFT_N=65536", "\nFFT_N=131072")
    sizes = [only(read_lines(t).figures, text="StarFFT_Gflops").parameters for t in (text, larger)]
    assert sizes == [{"n": 65536}, {"n": 131072}]


def test_loops_of_other_instructions_are_no_launches_of_one_figure(tmp_path: Path) -> None:
    text = (DATA / "likwid_bench.txt").read_text()
    file = tmp_path / "loops.txt"
    file.write_text(text + text.replace("Test: stream_avx", "Test: stream_sse"))
    machine, remarks = import_files([file])
    assert [one.launches for one in published_estimates(machine)] == [1]
    assert any("likwid-bench stream_sse is another program" in one for one in remarks)


def test_an_overhead_that_is_no_number_is_left_out() -> None:
    text = (DATA / "epcc_syncbench.txt").read_text()
    reading = read_lines(text.replace("overhead     = 205.137357", "overhead     = nan"))
    assert any("it holds what is no number" in one for one in reading.remarks)
    assert only(reading.figures, construct="critical")

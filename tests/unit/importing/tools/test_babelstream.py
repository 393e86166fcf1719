from __future__ import annotations

import pytest

from tests.support.importing_data import FOLDER, only, read_file, read_lines

TEXT = (FOLDER / "tools/babelstream.txt").read_text()
CSV = (FOLDER / "tools/babelstream.csv").read_text()


def test_the_mean_launch_is_compared_and_the_best_one_kept() -> None:
    reading = read_file("tools/babelstream.txt")
    assert reading.tools == ("BabelStream 5.0 by CUDA on NVIDIA GH200 120GB",)
    mean = only(reading.results, benchmark="device.stream", metric="triad_bandwidth")
    best = only(reading.results, workload="babelstream-triad")
    assert mean.parameters == best.parameters == {"size": 2**33}
    assert mean.values[0] == pytest.approx(3 * 2**33 / 0.00734 / 1e6)
    # A time of 734 steps is known to 0.07 %.
    assert mean.decimals == -4
    assert (best.values, best.unit) == ((3534600.0,), "MB/s")
    assert len(reading.results) == 10
    assert not reading.remarks
    assert not reading.kept
    assert not any(one.flag for one in reading.results)


def test_csv_has_the_exact_size() -> None:
    results = read_file("tools/babelstream.csv").results
    copy = only(results, benchmark="device.stream", metric="copy_bandwidth")
    assert copy.parameters == {"size": 33554432 * 8}
    assert copy.values[0] == pytest.approx(2 * 33554432 * 8 / 0.0521203 / 1e6)
    assert copy.program == "BabelStream by OpenCL on pthread-AMD EPYC"


@pytest.mark.parametrize(
    ("was", "becomes", "size"),
    [
        ("8589.9 MB", "268.4 MB", 2**28),
        ("8589.9 MB", "256.0 MiB", 2**28),
        ("8589.9 MB", "800.0 MB", 800_000_000),
        ("8589.9 MB", "8192.0 MiB", 2**33),
    ],
)
def test_sizes_of_one_digit_after_the_point(was: str, becomes: str, size: int) -> None:
    results = read_lines(TEXT.replace(was, becomes)).results
    assert {one.parameters["size"] for one in results} == {size}


def test_the_head_of_later_versions_says_the_same() -> None:
    later = TEXT.replace("Function    MBytes/sec  Min", "Function    MB/s        Min")
    assert later != TEXT
    assert read_lines(later).results == read_lines(TEXT).results
    of_csv = CSV.replace("max_mbytes_per_sec", "max_MB_per_sec")
    assert of_csv != CSV
    assert read_lines(of_csv).results == read_lines(CSV).results


def test_memory_that_moves_is_no_memory_of_a_device() -> None:
    managed = read_lines(TEXT.replace("Memory: DEFAULT", "Memory: MANAGED"))
    assert not [one for one in managed.results if one.benchmark]
    assert len(managed.results) == 10


def test_binary_megabytes() -> None:
    text = TEXT.replace("MBytes/sec  Min", "MiBytes/sec Min")
    text = text.replace("3534600.000", f"{3534600 / 1.048576:.3f}")
    best = only(read_lines(text).results, workload="babelstream-triad")
    assert best.values[0] == pytest.approx(3534600, rel=1e-6)
    assert not best.flag
    assert "not its bytes" in only(read_lines(text).results, workload="babelstream-copy").flag


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ("Using CUDA device NVIDIA GH200 120GB\n", "", "names no device"),
        ("Precision: double", "Precision: float", "elements of 4 bytes"),
    ],
)
def test_what_keeps_its_own_name(was: str, becomes: str, why: str) -> None:
    reading = read_lines(TEXT.replace(was, becomes))
    assert {one.benchmark for one in reading.results} == {""}
    assert all(why in one.why for one in reading.kept)
    assert len(reading.kept) == 5


def test_nstream_is_no_kernel_of_machmeters() -> None:
    reading = read_lines(CSV.replace("Triad", "Nstream"))
    assert [one.test for one in reading.kept] == ["Nstream"]
    best = only(reading.results, workload="babelstream-nstream", quantity="rate of the best launch")
    # Of four arrays it would be another rate.
    assert "not its bytes over its time" in best.flag


@pytest.mark.parametrize("flagged", ["9534600.000", "353460.000"])
def test_a_rate_that_is_not_bytes_over_time_is_flagged(flagged: str) -> None:
    results = read_lines(TEXT.replace("3534600.000", flagged)).results
    assert "not its bytes" in only(results, metric="triad_bandwidth").flag
    assert not only(results, metric="copy_bandwidth").flag


def test_a_failed_validation_and_times_out_of_order_are_flagged() -> None:
    failed = "Validation failed on a[]. Average error 1.5\n"
    results = read_lines(TEXT.replace("Function ", failed + "Function ")).results
    assert all("validation failed" in one.flag for one in results)
    results = read_lines(CSV.replace("0.0524817", "0.524817")).results
    assert "not in that order" in only(results, metric="mul_bandwidth").flag


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ("3210100.000 ", "nan ", "no number"),
        ("0.00535     0.00541     0.00537", "0.00000     0.00000     0.00000", "too small"),
        ("0.00541     0.00537", "0.00541", "expected a best rate"),
    ],
)
def test_a_row_that_is_none_costs_itself(was: str, becomes: str, why: str) -> None:
    reading = read_lines(TEXT.replace(was, becomes))
    assert len(reading.results) == 8
    (remark,) = reading.remarks
    assert why in remark


def test_a_row_that_was_cut_is_left_out() -> None:
    reading = read_lines(TEXT.rstrip()[:-2])
    assert len(reading.results) == 8
    assert "may have been cut" in reading.remarks[0]


def test_triad_alone_and_no_table_are_refused_in_words() -> None:
    head = TEXT[: TEXT.index("Function")]
    alone = read_lines(f"{head}Runtime (seconds): 0.81234\nBandwidth (GB/s):  3172.123\n")
    assert not alone.results
    assert "all launches" in alone.remarks[0]
    assert "did not end" in read_lines(head).remarks[0]


def test_tables_of_two_runs() -> None:
    reading = read_lines(TEXT + TEXT.replace("GH200 120GB", "H100 NVL"))
    assert len(reading.tools) == 2
    assert len(reading.results) == 20

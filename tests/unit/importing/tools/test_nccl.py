from __future__ import annotations

import pytest

from machmeter.importing.readings import ForeignResult, Reading
from tests.support.importing_data import FOLDER, only, read_file, read_lines

TEXT = (FOLDER / "tools/nccl_tests.txt").read_text()


def of(reading: Reading, size: int, quantity: str, buffers: str = "out of place") -> ForeignResult:
    return only(reading.results, size=size, quantity=quantity, buffers=buffers)


def test_every_row_has_time_and_rates_out_of_place_and_in_place() -> None:
    reading = read_file("tools/nccl_tests.txt")
    assert len(reading.results) == 3 * 2 * 3
    time = of(reading, 8388608, "time")
    assert (time.workload, time.benchmark, time.unit) == ("nccl-all-reduce", "", "us")
    assert time.values == (80.32,)
    assert time.parameters == {
        **{"size": 8388608, "type": "float", "redop": "sum"},
        **{"devices": 4, "nodes": 2, "buffers": "out of place"},
    }
    assert of(reading, 33554432, "rate of the bus", "in place").values == (291.10,)
    assert time.program == "nccl-tests on NVIDIA B200"
    assert not any(one.flag for one in reading.results)
    assert [one.test for one in reading.kept] == ["all_reduce"]
    assert not reading.remarks


def test_rates_that_are_not_bytes_over_time_and_wrong_values_are_flagged() -> None:
    false = read_lines(TEXT.replace("151.83", "181.83"))
    assert "not its bytes over its time" in of(false, 16777216, "time").flag
    assert not of(false, 16777216, "time", "in place").flag
    wrong = read_lines(TEXT.replace("291.61      0", "291.61      7"))
    assert "own check failed" in of(wrong, 33554432, "rate of the bus").flag
    assert not of(wrong, 33554432, "rate of the bus", "in place").flag


@pytest.mark.parametrize(
    ("line", "test"),
    [
        ("# Collective test starting: all_gather_perf_mpi", "nccl-all-gather"),
        ("srun -n 4 /opt/rccl-tests/alltoall_perf -b 1M", "nccl-alltoall"),
    ],
)
def test_the_operation_is_of_the_nearest_line_that_names_it(line: str, test: str) -> None:
    reading = read_lines(f"{line}\n{TEXT[TEXT.index('# nThread') :]}")
    assert {one.workload for one in reading.results} == {test}


def test_a_table_of_an_unknown_operation_is_left_out_in_words() -> None:
    reading = read_lines(TEXT[TEXT.index("# nThread") :])
    assert not reading.results
    assert "which operation it is of is not printed" in reading.remarks[0]


def test_without_ranks_the_devices_are_unknown() -> None:
    lines = [line for line in TEXT.splitlines(keepends=True) if "Rank" not in line]
    reading = read_lines("".join(lines))
    time = of(reading, 8388608, "time")
    assert "devices" not in time.parameters
    assert "how many devices" in time.note


def test_a_row_that_does_not_fit_and_one_that_was_cut_cost_themselves() -> None:
    short = read_lines(TEXT.replace("  104.21", ""))
    assert len(short.results) == 12
    assert "expected 13 columns" in short.remarks[0]
    cut = read_lines(TEXT[: TEXT.index("291.10") + 4])
    assert len(cut.results) == 12
    assert cut.remarks

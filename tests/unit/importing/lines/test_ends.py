"""Where tables end: numbers that were cut, and failures below them."""

from __future__ import annotations

import pytest

from machmeter.importing.lines.ends import abort_below
from machmeter.importing.readings import Place
from machmeter.importing.text import ForeignText
from tests.support.importing_data import FOLDER, read_lines

LATENCY = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n"
BARRIER = "# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)\n"
FULL = """# OSU MPI Allreduce Latency Test v7.4
# Size   Avg Latency(us)   Min Latency(us)   Max Latency(us)
"""
IMB = """#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part
# Benchmarking {}
# #processes = 2
{}
"""
IMB_BARRIER = IMB.format("Barrier", " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]")
UNIBAND = IMB.format("Uniband", "       #bytes #repetitions   Mbytes/sec      Msg/sec")


@pytest.mark.parametrize(
    ("table", "cut", "whole"),
    [
        (LATENCY, ("8  12", "8  12.", "8  12.3", "8  12.345"), "8  12.34"),
        (BARRIER, ("12", "12.", "12.3"), "12.34"),
        (FULL, ("8  1.23  1.10  1.5", "8  1.23456  1.10000  1.50"), "8  1.23  1.10  1.50"),
        (IMB_BARRIER, (" 10  0.30  0.50  0", " 10  0.30  0.50  0.4"), " 10  0.30  0.50  0.40"),
        (UNIBAND, (" 8  1000  0.55  6867", " 8  1000  0.55  6", " 0  1000  0.00  6867"),
         " 8  1000  0.55  68673"),
        (f"{UNIBAND} 8  1000  0.55  68673\n", (" 1024  1000  64.18  6267",),
         " 1024  1000  64.18  62673"),
    ],
)  # fmt: skip
def test_a_number_that_was_cut_is_left_out(table: str, cut: tuple[str, ...], whole: str) -> None:
    before = len(read_lines(table, place=Place(1, 2)).results)
    for row in cut:
        reading = read_lines(table + row, place=Place(1, 2))
        assert len(reading.results) == before, row
        assert any("left out" in one for one in reading.remarks)
    for end in ("", "\n"):
        reading = read_lines(table + whole + end, place=Place(1, 2))
        assert len(reading.results) > before
        assert not any("left out" in one for one in reading.remarks)


RULE = "-" * 74
OPEN_MPI = f"""{RULE}
MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD
with errorcode 1.
{RULE}
"""
SIGNAL = "mpirun noticed that process rank 1 with PID 7 on node a exited on signal 11 (Segv)."
STATUS = "Primary job  terminated normally, but 1 process returned a non-zero exit code."
ABORTED = "application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0"
HYDRA = f"{'=' * 80}\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n"


@pytest.mark.parametrize(
    "failure",
    [
        OPEN_MPI,
        f"{RULE}\n{SIGNAL}\n{RULE}\n",
        f"{RULE}\n{STATUS}\n{RULE}\n",
        f"\n{ABORTED}\n",
        f"a line of the job\n{HYDRA}",
        "[a:7] *** Process received signal ***\n[a:7] Signal: Bus error (7)\n",
        "the epilog\nslurmstepd: error: *** STEP 7.0 ON a CANCELLED AT 2025-01-01 ***\n",
    ],
)
def test_an_abort_below_a_table_is_told(failure: str) -> None:
    tables = (
        f"{LATENCY}8  1.00\n",
        LATENCY,
        f"{UNIBAND} 8  1000  0.55  68673\n",
        f"{UNIBAND} 8  1000  0.55  68673\n\n\n# All processes entering MPI_Finalize\n\n",
    )
    for table in tables:
        for after in ("", f"srun -n 2 ./osu_latency\n{LATENCY}8  1.00\n"):
            remarks = read_lines(f"{table}{failure}{after}").remarks
            assert len([one for one in remarks if "may not have come to its end" in one]) == 1


@pytest.mark.parametrize(
    "below",
    [
        f"{RULE}\nWARNING: no device was found\n{RULE}\n",
        f"mpirun -np 2 ./osu_latency\n{ABORTED}\n",
        "epilog\nno error was found, 0 of 12 failed\n",
    ],
)
def test_what_is_no_abort_of_the_table_is_not_told(below: str) -> None:
    remarks = read_lines(f"{LATENCY}8  1.00\n{below}").remarks
    assert not any("may not have come to its end" in one for one in remarks)


def test_an_abort_is_looked_for_up_to_the_next_start() -> None:
    for between, found in (("---", 3), ("numactl -N 0 ./stream", 0), ("# OSU MPI Latency Test", 0)):
        assert abort_below(ForeignText("out.txt", ("8  1.00", between, ABORTED)), 1) == found
    far = ForeignText("out.txt", ("8  1.00", *[""] * 100, ABORTED))
    assert abort_below(far, 1) == 0


STREAM = (FOLDER / "tools/stream.txt").read_text()
EPCC = (FOLDER / "tools/epcc_syncbench.txt").read_text()
CANCELED = "slurmstepd: error: *** STEP 12.0 ON cn01 CANCELLED AT 2025-03-03 DUE TO TIME LIMIT ***"


def unfinished(text: str) -> int:
    return len([one for one in read_lines(text).remarks if "may not have come to its end" in one])


@pytest.mark.parametrize("end", ["Add:", "Triad:"])
def test_a_table_of_stream_without_its_end_is_reported(end: str) -> None:
    part = STREAM[: STREAM.index(end)]
    for text in (f"{part}{CANCELED}\n", f"{part}{CANCELED}\n{STREAM}", part, f"{part}{end}   "):
        assert unfinished(text) == 1, text[-80:]
    assert unfinished(f"{STREAM}{CANCELED}\n") == 1
    assert unfinished(STREAM + STREAM) == 0


def test_a_run_of_epcc_without_its_end_is_reported() -> None:
    begin = EPCC.index("Computing BARRIER time")
    for part in (EPCC[: begin + 40], EPCC[: EPCC.index("BARRIER overhead")], EPCC[:begin]):
        assert unfinished(part) == 1
        assert unfinished(f"{part}\n{EPCC}") == 1
        assert unfinished(f"{part}\nSegmentation fault (core dumped)\n") == 1
    assert unfinished(f"{EPCC}Segmentation fault (core dumped)\n") == 1
    assert unfinished(EPCC + EPCC) == 0

"""Lines that are no rows, numbers that are none, files that were cut, and what is not stated."""

from __future__ import annotations

import pytest

from machmeter.importing.readings import ForeignResult, Place
from tests.support.importing_data import FOLDER, only, read_file, read_lines

OSU = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n"
IMB = """#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part
# Calling sequence was:

# IMB-MPI1 PingPong

# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
"""
NOISE = (
    "[cn07:41022] 1 more process has sent help message help-mpi.txt / ib port not selected",
    "srun: Job step's --cpus-per-task value exceeds that of job (8 > 1).",
    "[1731003345.182210] [cn07:41022:0]  mpool.c:46  UCX  WARN  object was not returned",
    "slurmstepd: error: Detected 1 oom_kill event",
    "2025-03-04 12:00:01 epilog of the node",
    "64 processes are still alive",
    "libfabric:123:1700000000::core:core:fi_getinfo_():1352<warn> no provider",
    "=== progress: 50 % ===",
)


def sizes(results: tuple[ForeignResult, ...]) -> list[object]:
    return [one.parameters["size"] for one in results]


@pytest.mark.parametrize("name", ["warning-in-table", "ucx-warn-in-table", "srun-in-table"])
def test_a_warning_within_a_table_costs_no_row(name: str) -> None:
    reading = read_file(f"field/05-warning-within-a-table/{name}.txt")
    assert len(reading.results) == 23
    assert only(reading.results, size=4194304).values == (201.25,)
    count = 2 if name == "warning-in-table" else 1
    (remark,) = [one for one in reading.remarks if "left out" in one]
    assert f"is no row; {count} line{'s' * (count > 1)} of the table left out" in remark


@pytest.mark.parametrize("line", NOISE)
def test_a_foreign_line_costs_itself(line: str) -> None:
    osu = read_lines(f"{OSU}8  1.00\n{line}\n16  2.00\n")
    imb = read_lines(f"{IMB} 8 1000 1.00 8.00\n{line}\n 16 1000 2.00 8.00\n")
    for reading in (osu, imb):
        assert sizes(reading.results) == [8, 16]
        assert any("left out" in remark for remark in reading.remarks)


@pytest.mark.parametrize("line", NOISE[:3])
def test_lines_below_the_last_row_are_no_loss(line: str) -> None:
    assert read_lines(f"{OSU}8  1.00\n{line}\n").remarks == ()


@pytest.mark.parametrize(
    "row", ["16", "16  2.00  3.00", "16 2.00[cn07:41022] help", "0x10  2.00", "16 2,00", "1.5 2.00"]
)
def test_a_row_that_does_not_fit_costs_itself(row: str) -> None:
    osu = read_lines(f"{OSU}8  1.00\n{row}\n32  2.00\n")
    assert sizes(osu.results) == [8, 32]
    assert any("line 4" in remark and "left out" in remark for remark in osu.remarks)


def test_the_rows_of_another_tool_are_not_those_of_the_table_above() -> None:
    other = "# OSU Unknown Latency Test v7.4\n# Size       Avg Latency(us)\n16  9.00\n"
    assert sizes(read_lines(f"{OSU}8  1.00\n{other}").results) == [8]
    assert sizes(read_lines(f"{OSU}8  1.00\nmpirun -n 2 ./other\n16  9.00\n").results) == [8]
    assert sizes(read_lines(f"{OSU}8  1.00\nanother table:\n4  9.00\n").results) == [8]
    assert sizes(read_lines(f"{IMB} 8 1000 1.00 8.00\n{OSU}1  9.00\n").results) == [1, 8]


@pytest.mark.parametrize(
    "word", ["nan", "-nan", "inf", "-", "N/A", "****", "1.#INF", "--", "out-of-mem.", "null"]
)
def test_a_word_in_place_of_a_number_costs_its_row(word: str) -> None:
    osu = read_lines(f"{OSU}8  1.00\n16  {word}\n32  2.00\n")
    imb = read_lines(f"{IMB} 8 1000 1.00 8.00\n 16 1000 {word} 8.00\n 32 1000 2.00 16.00\n")
    for reading in (osu, imb):
        assert sizes(reading.results) == [8, 32]
        assert len([one for one in reading.remarks if "left out" in one]) == 1


@pytest.mark.parametrize("word", ["nan", "****", "-", "N/A"])
def test_a_word_in_place_of_a_number_costs_its_value_in_other_tools(word: str) -> None:
    for name, value in (
        ("stream.txt", "6000.1"),
        ("hpccoutf.txt", "HPL_Tflops="),
        ("epcc_syncbench.txt", "205.137357"),
    ):
        text = (FOLDER / "tools" / name).read_text()
        at = text.index(value) + (len(value) if value.endswith("=") else 0)
        end = at + len(text[at:].split()[0])
        whole, one = read_lines(text), read_lines(text[:at] + word + text[end:])
        assert 0 < len(whole.results) - len(one.results) <= 2
        assert len(one.remarks) == len(whole.remarks) + 1
        assert "left out" in next(said for said in one.remarks if said not in whole.remarks)


def test_a_run_of_likwid_without_a_rate_costs_itself() -> None:
    text = (FOLDER / "tools/likwid_bench.txt").read_text()
    reading = read_lines(text.replace("5490.52", "nan") + text)
    assert len(reading.results) == 1
    assert any("printed no rate" in remark for remark in reading.remarks)


def test_imb_gives_sizes_up() -> None:
    reading = read_file("field/09-imb-out-of-mem/imb-oom.txt", Place(1, 96))
    assert sizes(reading.results) == [0, 4, 1024, 65536]
    assert len([one for one in reading.remarks if "gave this size up (out-of-mem.)" in one]) == 2


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ("16  20", [8]),
        ("16  20.2", [8]),
        ("16  20.", [8]),
        ("16  ", [8]),
        ("1", [8]),
        ("16  20.25", [8, 16]),
        ("16  20.25\n", [8, 16]),
        ("16  20\n", [8, 16]),
    ],
)
def test_a_row_without_its_end_is_lost(end: str, kept: list[int]) -> None:
    reading = read_lines(f"{OSU}8  1.00\n{end}")
    assert sizes(reading.results) == kept
    assert any("left out" in one for one in reading.remarks) == (len(kept) == 1)


def test_a_file_that_was_cut() -> None:
    reading = read_file("field/08-cut-last-number/cut-mid.txt")
    assert len(reading.results) == 22
    assert max(sizes(reading.results)) == 2097152  # type: ignore[type-var]
    assert any("the file may have been cut" in one for one in reading.remarks)


def test_other_files_that_were_cut() -> None:
    stream = (FOLDER / "tools/stream.txt").read_text()
    at = stream.index("Triad:")
    row = stream[at:].split("\n")[0]
    for end in (row[:-3], row[:-12], row[:-30]):
        reading = read_lines(stream[:at] + end)
        assert not any(one.parameters.get("kernel") == "triad" for one in reading.results)
        assert any("left out" in one for one in reading.remarks)
    assert only(read_lines(stream[:at] + row).results, kernel="triad")
    imb = read_lines(f"{IMB} 8 1000 1.00 8.00\n 16 1000 1.00 1")
    assert sizes(imb.results) == [8]
    likwid = (FOLDER / "tools/likwid_bench.txt").read_text()
    cut = read_lines(likwid[: likwid.index("5490.52") + 3])
    assert not cut.results
    epcc = (FOLDER / "tools/epcc_syncbench.txt").read_text()
    at = epcc.index("microseconds +/-", epcc.index("205.137357")) + len("microseconds +/- 1")
    cut = read_lines(epcc[:at])
    assert all(one.parameters.get("construct") != "parallel" for one in cut.results)


def test_stream_59_states_its_threads_as_requested() -> None:
    reading = read_file("field/14-stream-5.9-threads/stream-59.txt")
    assert {one.layout["threads_per_rank"] for one in reading.results} == {8}
    assert not any("not obtained" in one for one in reading.remarks)


def test_threads_that_stream_does_not_print_are_not_stated() -> None:
    text = (FOLDER / "field/14-stream-5.9-threads/stream-59.txt").read_text()
    reading = read_lines(text.replace("Number of Threads requested = 8\n", ""))
    assert len(reading.results) == 8
    assert all(one.layout == {} for one in reading.results)
    assert all("how many threads" in one.note for one in reading.results)


def test_osu_without_a_version() -> None:
    reading = read_file("field/30-osu-without-version/osu-nover.txt")
    assert sizes(reading.results) == [0, 1, 8]
    assert {one.benchmark for one in reading.results} == {"network.latency"}
    assert reading.tools == ("OSU micro-benchmarks, version not stated",)


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("OSU MPI Multi Latency Test", "5.9"),
        ("OSU MPI Allreduce Latency Test", "7.1"),
    ],
)
def test_a_definition_that_changed_needs_a_version(title: str, why: str) -> None:
    columns = "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
    reading = read_lines(f"# {title}\n{columns}8  2.00  1.00  3.00  9\n", place=Place(1, 4))
    assert all(not one.benchmark for one in reading.results)
    assert reading.results
    assert all("-v" not in one.workload for one in reading.results)
    assert why in reading.kept[0].why


def test_options_of_imb_broken_over_lines() -> None:
    broken = IMB.replace("PingPong\n\n", "PingPong -iter 1000\n#            -off_cache -1\n\n", 1)
    (one,) = read_lines(f"{broken} 8 1000 1.00 8.00\n").results
    assert one.parameters["buffers"] == "cold"


@pytest.mark.parametrize(
    "row",
    [
        "PARALLEL ov",
        "PARALLEL overhead",
        "PARALLEL overhead     = 205.1",
        "PARALLEL overhead = 2 micro",
    ],
)
def test_an_overhead_of_epcc_that_was_cut_is_told(row: str) -> None:
    epcc = (FOLDER / "tools/epcc_syncbench.txt").read_text()
    reading = read_lines(epcc[: epcc.index("PARALLEL overhead")] + row)
    assert not reading.results
    assert any("may have been cut" in one for one in reading.remarks)

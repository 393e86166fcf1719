from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.importing.machine import id_of, import_files, imported_machine
from machmeter.importing.readings import Place
from machmeter.importing.recognize import READERS
from machmeter.importing.text import LARGEST_FILE, decimals_of, text_of
from machmeter.importing.write import machine_toml
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.origin import Origin
from machmeter.model.units import is_unbounded
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Counts
from machmeter.published.load import read_machine
from tests.support.importing_data import FOLDER as DATA
from tests.support.importing_data import read_lines

FILES = sorted(path for path in DATA.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_output_is_of_one_tool_and_becomes_a_machine(path: Path) -> None:
    text = text_of(path.name, path.read_text())
    assert sum(reader.recognizes(text) for reader in READERS) == 1
    known, _ = imported_machine(path)
    assert known.origin is Origin.IMPORTED
    assert known.id == path.name
    assert known.estimates


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_written_is_what_was_imported(path: Path, tmp_path: Path) -> None:
    machine, _ = import_files([path], machine_id="mine", counts=Counts(nodes=1, cores=2))
    file = tmp_path / "mine.toml"
    file.write_text(machine_toml(machine))
    assert published_estimates(read_machine(file)) == published_estimates(machine)
    assert read_machine(file).counts == Counts(nodes=1, cores=2)


def test_several_starts_give_an_interval(tmp_path: Path) -> None:
    files = []
    for number, value in enumerate((1.00, 1.02, 0.98)):
        file = tmp_path / f"night{number}.txt"
        file.write_text(f"# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8  {value}\n")
        files.append(file)
    one = published_estimates(import_files(files)[0])
    assert len(one) == 1
    assert one[0].launches == 3
    assert one[0].low < one[0].value < one[0].high
    assert not is_unbounded(one[0].high)
    single = published_estimates(import_files(files[:1])[0])
    assert is_unbounded(single[0].high)


def test_times_of_hyperfine_give_an_interval() -> None:
    known, _ = imported_machine(DATA / "tools/hyperfine.json")
    assert known.estimates[0].launches == 6
    assert not is_unbounded(known.estimates[0].high)


def test_a_flag_goes_with_the_figure_through_the_file(tmp_path: Path) -> None:
    file = tmp_path / "osu_latency_2nodes.txt"
    file.write_text("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8  0.31\n")
    machine, remarks = import_files([file])
    target = tmp_path / "m.toml"
    target.write_text(machine_toml(machine))
    one = published_estimates(read_machine(target))[0]
    assert "proves one node" in one.flag
    assert one.point.layout.nodes == 1
    assert any("0.31 us" in remark for remark in remarks)


def test_a_log_of_several_tools(tmp_path: Path) -> None:
    file = tmp_path / "job.log"
    file.write_text(
        "".join((DATA / n).read_text() for n in ("tools/stream.txt", "osu/osu_latency.txt"))
    )
    known, _ = imported_machine(file)
    assert {one.point.benchmark for one in known.estimates} >= {"memory.stream", "network.latency"}


def test_times_printed_as_nothing_are_left_out() -> None:
    reading = read_lines("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n0  0.00\n8 1.0\n")
    assert len(reading.results) == 2


def test_only_zeros_are_no_machine(tmp_path: Path) -> None:
    file = tmp_path / "zeros.txt"
    file.write_text("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n0  0.00\n")
    with pytest.raises(MachmeterError, match="no result in it that can be used"):
        imported_machine(file)


def test_what_no_tool_wrote_is_told_with_the_tools(tmp_path: Path) -> None:
    file = tmp_path / "poem.txt"
    file.write_text("roses are red")
    with pytest.raises(MachmeterError) as raised:
        imported_machine(file)
    assert "STREAM" in raised.value.remedy


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    large, binary = tmp_path / "large", tmp_path / "binary"
    with large.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    binary.write_bytes(b"# OSU MPI Latency Test v7.4\n\0")
    for path, words in ((large, "larger than"), (binary, "no text"), (tmp_path / "no", "cannot")):
        with pytest.raises(MachmeterError, match=words):
            imported_machine(path)
    with pytest.raises(UsageError):
        import_files([])


def test_an_id_from_any_name() -> None:
    assert id_of(Path("My Cluster (2).txt")) == "my-cluster-2"
    assert id_of(Path("§.txt")) == "imported"


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_in_words(noise: str) -> None:
    heads = "# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n"
    for content in (noise, heads + noise, noise + heads, "{" + noise):
        try:
            read_lines(content, place=Place(2, 2))
        except MachmeterError as error:
            assert error.message


@given(st.sampled_from(FILES), st.integers(0, 12_000), st.text(max_size=20))
def test_a_damaged_file_is_read_or_refused_in_words(path: Path, at: int, noise: str) -> None:
    content = path.read_text()
    try:
        read_lines(content[:at] + noise + content[at:])
    except MachmeterError as error:
        assert error.message


@pytest.mark.parametrize(
    ("word", "decimals"), [("1.50", 2), ("12", 0), ("1.5e-3", 4), ("1e3", -3), ("1e300", -12)]
)
def test_digits_after_the_point(word: str, decimals: int) -> None:
    assert decimals_of(word) == decimals


def test_copies_of_one_output_are_as_many_launches(tmp_path: Path) -> None:
    copies = [tmp_path / f"{number}.txt" for number in range(2)]
    for copy in copies:
        shutil.copy(DATA / "tools/stream.txt", copy)
    assert {one.launches for one in published_estimates(import_files(copies)[0])} == {2}


def test_starts_told_in_other_megabytes_are_launches_of_one_figure(tmp_path: Path) -> None:
    text = (DATA / "tools/stream.txt").read_text()
    plain, binary = tmp_path / "a.txt", tmp_path / "b.txt"
    plain.write_text(text)
    binary.write_text(text.replace("6000.1", f"{6000.1 / 1.048576:.1f}"))
    machine, _ = import_files([plain, binary])
    (best,) = [
        one
        for one in published_estimates(machine)
        if one.point.benchmark == "workload.stream-triad"
    ]
    assert best.launch_values == pytest.approx((6000.1e6, 6000.1e6), rel=1e-4)


@pytest.mark.parametrize(
    ("name", "place", "lines", "is_told"),
    [
        ("osu/osu_latency.txt", Place(), "", True),
        ("osu/osu_latency.txt", Place(nodes=2), "", False),
        ("tools/stream.txt", Place(), "", False),
        ("tools/stream.txt", Place(), "Number of Threads", True),
        ("tools/hyperfine.json", Place(), "", False),
    ],
)
def test_what_results_do_not_state_of_where_they_ran_is_told(
    tmp_path: Path, name: str, place: Place, lines: str, is_told: bool
) -> None:
    file = tmp_path / "output.txt"
    kept = (
        line for line in (DATA / name).read_text().splitlines() if not (lines and lines in line)
    )
    file.write_text("\n".join((*kept, "")))
    _, remarks = import_files([file], place=place)
    assert any("not stated" in remark for remark in remarks) == is_told


def test_two_tools_that_measure_one_point_are_no_launches_of_it(tmp_path: Path) -> None:
    osu, imb = tmp_path / "osu.txt", tmp_path / "imb.txt"
    osu.write_text("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8  1.00\n")
    imb.write_text(
        "#    Intel (R) MPI Benchmarks 2021.11, MPI-1 part\n# Benchmarking PingPong\n"
        "# #processes = 2\n #bytes #repetitions t[usec] Mbytes/sec\n 8 1000 2.00 4.00\n"
    )
    machine, remarks = import_files([imb, osu])
    (figure,) = published_estimates(machine)
    assert figure.launches == 1
    assert figure.value == pytest.approx(2e-6)
    assert any("OSU micro-benchmarks 7.4 is another program" in one for one in remarks)

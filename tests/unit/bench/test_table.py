from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bench.context import Outcome
from bench.options import parse_options
from bench.peers import find_program
from bench.table import WIDTH, print_outcome, row_cells
from bench.verdicts import Row, TargetVerdict


def _outcome() -> Outcome:
    row = Row(
        "non-temporal, 2 MiB pages, 2 threads\n: likwid-bench stream_mem_avx512_fma",
        "22.5 GB/s",
        "14.4 GB/s",
        1.5625,
        1.51,
        1.62,
        10,
        "mean",
        ">= 1.3",
        TargetVerdict.PASS,
    )
    share = Row(
        "share [different]",
        "2 of 50",
        "",
        0.04,
        0.04,
        0.04,
        50,
        "share",
        "",
        TargetVerdict.SHOWN,
    )
    return Outcome("Triad", [row, share], ["a remark"], ["STREAM: no path"], ["hpcc: it broke"])


def _printed(outcome: Outcome) -> str:
    text = StringIO()
    print_outcome(Console(file=text, width=WIDTH, highlight=False), outcome)
    return text.getvalue()


def test_the_table_fits_its_width_and_says_everything() -> None:
    text = _printed(_outcome())
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    for word in ("1.562", "[1.510, 1.620]", ">= 1.3", "pass", "4.0 %", "share [different]"):
        assert word in text
    assert "skipped: STREAM: no path" in text
    assert "FAILED: hpcc: it broke" in text


def test_a_comparison_without_rows_still_says_why() -> None:
    outcome = Outcome("Latency", [], [], ["multichase: no path given"], [])
    assert "multichase: no path given" in _printed(outcome)


def test_options_name_only_files_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_options(["--stream", "/no/such/stream"])
    assert "/no/such/stream" in capsys.readouterr().err


def test_paths_of_options_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pw.x"
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    options = parse_options(["--pw", "./pw.x", "--impact", "pw.x", "--osu", ".", "--lammps", "lmp"])
    assert [options.peer(name) for name in ("pw", "impact")] == [str(program)] * 2
    assert options.peer("osu") == str(tmp_path)
    assert options.peer("lammps") == "lmp"
    assert find_program("./pw.x") == str(program)


def test_options_have_defaults_that_need_nothing() -> None:
    options = parse_options([])
    assert options.rounds == 10
    assert options.peer("stream") == ""
    assert options.array_bytes % 512 == 0
    assert set(options.peers) == {
        "likwid-bench",
        "hpcc",
        "lammps",
        "nrniv",
        "pw",
        "laplacian-foam",
    }


@pytest.mark.parametrize("words", [["--rounds", "1"], ["--budget", "x"], ["--array-bytes", "8"]])
def test_options_without_meaning_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        parse_options(words)


def test_a_difference_of_shares_and_a_finding_without_a_target_are_shown() -> None:
    row = Row("x", "50 %", "1 %", 0.49, -0.02, 1.0, 3, "difference", "", TargetVerdict.SHOWN)
    assert row_cells(row)[3:5] == ("49.0 %", "[-2.0, 100.0]")
    found = Row("x", "1", "2", 0.5, 0.4, 0.6, 3, "", "slower, stable", TargetVerdict.SHOWN)
    cells = row_cells(found)
    assert (cells[0], cells[-1]) == ("x", "slower, stable")


def test_options_take_folders_and_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parse_options(["--osu", str(tmp_path), "--tables", "blocking"])
    assert options.peer("osu") == str(tmp_path)
    assert [family.value for family in options.tables] == ["blocking"]
    with pytest.raises(SystemExit):
        parse_options(["--imb", str(tmp_path / "none")])
    assert "no such folder" in capsys.readouterr().err

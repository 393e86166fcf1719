"""The figures of machines that were not measured here, for other programs and as JSON."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from machmeter.model.results.printed_text import origin_text
from machmeter.published.load import machine_names, published_machine
from machmeter.published.printed import printed_figures
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document

pytestmark = pytest.mark.usefixtures("home")

OWN = """
format = 1
id = "mine"
name = "Mine"
summary = ""
source = "Somebody, 2026"
year = 2026
[[tables]]
page = "table 1"
unit = "us"
decimals = 2
workload = "neuron"
quantity = "wall time"
better = "lower"
qualifier = "at most"
parameters = { unit = "a", cells = 10500 }
layout = { nodes = 2 }
figures = [ { id = "one", value = 1.10, flag = "false by its own numbers" } ]
[[tables]]
page = "table 2"
unit = "widgets"
decimals = 0
note = "of all boards"
layout = { nodes = "many" }
figures = [ { id = "two", value = 3, precision = "read off a plot" } ]
"""


def own_file(folder: Path) -> Path:
    path = folder / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


def rows_of(capfd: pytest.CaptureFixture[str], name: str) -> list[dict[str, str]]:
    code, out, _ = call(capfd, "export", name)
    assert code == ExitCode.DONE
    return list(csv.DictReader(io.StringIO(out)))


@pytest.mark.parametrize("name", machine_names())
def test_every_figure_of_a_published_machine_is_a_row_with_what_is_printed(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    rows = {row["figure"]: row for row in rows_of(capfd, name)}
    figures = printed_figures(published_machine(name))
    assert rows.keys() == figures.keys()
    for figure, number in figures.items():
        row, printed = rows[figure], number.printed
        assert (row["printed"], row["printed_unit"]) == (printed.number, printed.unit)
        assert row["qualifier"] == printed.qualifier
        assert row["source"].endswith(row["page"])
        launches = len(number.figure.launches)
        known = f"mean of {launches} launches" if launches else origin_text(printed)
        assert row["known"] == known
        assert (row["low"] == row["high"] == "") == (not launches)


def test_a_file_of_ones_own_keeps_digits_qualifier_and_flag(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one, two = rows_of(capfd, str(own_file(tmp_path)))
    assert (one["printed"], one["printed_unit"], one["decimals"]) == ("1.10", "us", "2")
    assert float(one["value"]) == pytest.approx(1.1e-6)
    assert (one["qualifier"], one["flag"]) == ("at most", "false by its own numbers")
    assert (one["parameter_unit"], one["unit"]) == ("a", "s")
    assert (one["nodes"], one["threads_per_rank"]) == ("2", "")
    assert (two["comparable"], two["value"], two["nodes"]) == ("false", "", "")
    assert (two["known"], two["note"]) == ("read off a plot", "of all boards")


def test_parquet_and_json_hold_the_same(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    source = str(own_file(tmp_path))
    target = tmp_path / "mine.parquet"
    words = ("export", source, "--format", "parquet", "-o", str(target))
    assert document(capfd, "export", *words)["size_bytes"] == target.stat().st_size
    _, out, _ = call(capfd, "export", source, "--format", "json")
    assert parquet.read_table(target).to_pylist() == json.loads(out)


@pytest.mark.parametrize("layout", ["true", "18446744073709551615"])
def test_what_is_no_count_is_in_no_column_of_counts(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, layout: str
) -> None:
    pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "mine.toml"
    path.write_text(OWN.replace('"many"', layout), encoding="utf-8")
    assert rows_of(capfd, str(path))[1]["nodes"] == ""
    target = str(tmp_path / "mine.parquet")
    code, _, _ = call(capfd, "export", str(path), "--format", "parquet", "-o", target)
    assert code == ExitCode.DONE


def test_a_parameter_does_not_take_the_place_of_the_origin(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN.replace('unit = "a"', 'origin = "a"'), encoding="utf-8")
    one, _ = rows_of(capfd, str(path))
    assert (one["origin"], one["parameter_origin"]) == ("published", "a")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("edison", "--format", "bencher"), "was not measured here"),
        (("edison", "--format", "ro-crate", "-o", "crate.zip"), "was not measured here"),
        (("edison", "--what", "samples"), "has no samples"),
    ],
)
def test_what_only_a_run_has_is_refused(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str
) -> None:
    code, _, err = call(capfd, "export", *words)
    assert code == ExitCode.WRONG_USAGE
    assert problem in err
    assert "remedy" in err


def test_a_machines_own_file_is_not_written_over(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = own_file(tmp_path)
    assert call(capfd, "export", str(path), "-o", str(path))[0] == ExitCode.WRONG_USAGE
    assert path.read_text() == OWN


@pytest.mark.parametrize("command", ["show", "findings"])
def test_what_takes_a_run_names_the_way_to_a_published_machine(
    capfd: pytest.CaptureFixture[str], command: str
) -> None:
    code, _, err = call(capfd, command, "edison")
    assert code == ExitCode.WRONG_USAGE
    assert "machmeter show machine edison" in err


def test_unknown_is_null_and_a_loose_figure_keeps_all_that_is_said_of_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = document(capfd, "show-machine", "show", "machine", str(own_file(tmp_path)))
    assert set(found["counts"].values()) == {None}
    (one,), (two,) = found["figures"], found["loose"]
    assert (one["low"], one["high"], one["precision"], one["known"]) == (
        None,
        None,
        None,
        "as printed",
    )
    assert one["layout"] == {"nodes": 2}
    assert (two["value"], two["printed"], two["note"]) == (None, "3", "of all boards")


def test_a_measured_figure_keeps_its_interval(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder
) -> None:
    found = document(capfd, "show-machine", "show", "machine", "last")
    figures = [one for one in found["figures"] if one["launches"] > 1]
    assert figures
    assert all(one["low"] <= one["value"] <= one["high"] for one in figures if one["resolved"])
    assert {one["known"] for one in figures} == {"measured"}


def test_the_terminal_shows_every_figure_as_printed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, out, _ = call(capfd, "show", "machine", str(own_file(tmp_path)))
    assert "at most 1.10 µs !" in out
    assert "cells=10500" in out
    assert "3 widgets" in out
    assert "read off a plot" in out
    assert "note: of all boards" in out


def test_a_pipe_is_no_file_of_a_machine(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    code, out, _ = call(capfd, "machine", "check", str(pipe))
    assert code == ExitCode.WRONG_USAGE
    assert "no regular file" in out
    output = str(tmp_path / "m.toml")
    code, _, err = call(capfd, "machine", "import", str(pipe), "-o", output)
    assert code != ExitCode.DONE
    assert "no regular file" in err

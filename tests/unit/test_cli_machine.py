"""`machmeter machine`, `show machine` and `list machines` as a person or a program meets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_calls import call, document
from importing_data import DATA

from machmeter.cli.machines import link_of
from machmeter.model.errors import ExitCode, UsageError
from machmeter.published.load import machine_names
from machmeter.store.run_folder import RunFolder

pytestmark = pytest.mark.usefixtures("home")


def imported(capfd: pytest.CaptureFixture[str], target: Path, *words: str) -> tuple[int, str, str]:
    return call(capfd, "machine", "import", *words, "-o", str(target))


def test_import_check_show_compare(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    files = [str(DATA / name) for name in ("stream.txt", "hpccoutf.txt")]
    code, out, _ = imported(capfd, target, *files, "--id", "mine", "--cores", "2", "--nodes", "1")
    assert code == ExitCode.DONE
    assert "(mine)" in out
    checked = document(capfd, "machine-check", "machine", "check", str(target))["files"][0]
    assert checked["valid"]
    assert checked["comparable"] == checked["figures"] > 20
    code, out, _ = call(capfd, "show", "machine", str(target))
    assert code == ExitCode.DONE
    assert "as printed" in out
    assert max(map(len, out.splitlines())) <= 100
    compared = document(capfd, "compare", "compare", str(target), str(DATA / "stream.txt"))
    assert compared["comparisons"][0]["figures"]


def test_a_false_label_is_told_and_flagged(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    output = tmp_path / "osu_latency_2nodes.txt"
    output.write_text("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8  0.31\n")
    code, out, err = imported(capfd, tmp_path / "m.toml", str(output))
    assert code == ExitCode.DONE
    assert "1 of them flagged" in out
    assert "ran inside one node" in err
    _, out, _ = call(capfd, "show", "machine", str(tmp_path / "m.toml"))
    assert "proves one node" in out


def test_a_program_gets_the_remarks(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("machine", "import", str(DATA / "reframe.json"), "-o", str(tmp_path / "r.toml"))
    assert any("things" in one for one in document(capfd, "machine-import", *words)["remarks"])
    again = document(capfd, "error", *words)
    assert again["exit_code"] == ExitCode.WRONG_USAGE


def test_a_file_that_is_none_is_told_and_counts(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('format = 1\nid = "A b"\n')
    code, out, _ = call(capfd, "machine", "check", str(bad))
    assert code == ExitCode.SOMETHING_FAILED
    assert "bad.toml" in out
    assert "remedy" in out


@pytest.mark.parametrize("name", machine_names())
def test_every_published_machine_can_be_shown(capfd: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = call(capfd, "show", "machine", name, "--all")
    assert code == ExitCode.DONE
    assert "published machine" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_published_machine_for_a_program(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "show-machine", "show", "machine", "uv1000")
    assert found["machine"]["origin"] == "published"
    assert found["links"]


def test_a_run_is_a_machine_too(capfd: pytest.CaptureFixture[str], one_run: RunFolder) -> None:
    assert document(capfd, "show-machine", "show", "machine", "last")["links"] == {}
    code, out, _ = call(capfd, "show", "machine", "last")
    assert code == ExitCode.DONE
    assert "measured machine" in out


def test_published_machines_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list", "machines")
    assert [one["id"] for one in found["published"]] == list(machine_names())
    code, out, _ = call(capfd, "list", "machines")
    assert code == ExitCode.DONE
    assert "show machine ID" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_word_after_a_run_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "show", "last", "edison")[0] == ExitCode.WRONG_USAGE


@pytest.mark.parametrize(
    ("text", "value", "unit", "direction"),
    [("100 Gbit/s", 100.0, "Gbit/s", "one way"), ("12.5GB/s both ways", 12.5, "GB/s", "both ways")],
)
def test_rates_of_links(text: str, value: float, unit: str, direction: str) -> None:
    link = link_of(text)
    assert (link.value, link.unit, link.direction.value) == (value, unit, direction)


@pytest.mark.parametrize("text", ["100 Gbps", "fast", "-1 GB/s", "15 GB"])
def test_what_is_no_rate_of_a_link(text: str) -> None:
    with pytest.raises(UsageError, match="no rate of a link"):
        link_of(text)

"""`machmeter compare RUN normal`, as a person or a program meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call, document
from tests.support.golden.nouns import unpack

OWN = """
format = 1
id = "own"
name = "Own node"
summary = ""
source = "Measured by us, 2026"
year = 2026
[hardware]
generation = "Zen 3"
[[tables]]
page = "log"
benchmark = "network.latency"
metric = "latency"
unit = "us"
decimals = 2
layout = { nodes = 1, ranks_per_node = 2, threads_per_rank = 1 }
[tables.parameters]
size = 8
pattern = "ping-pong"
way = "blocking"
data = "contiguous"
buffers = "hot"
[[tables.figures]]
id = "latency"
value = 0.25
"""


@pytest.fixture(autouse=True)
def stored(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The golden runs, in a folder where nothing else is."""
    unpack(home)
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    monkeypatch.chdir(empty)
    return home / "runs"


def test_a_run_is_compared_with_machines_of_today(
    capfd: pytest.CaptureFixture[str], stored: Path
) -> None:
    code, out, _ = call(capfd, "compare", str(stored / "plain"), "normal")
    assert code == ExitCode.DONE
    assert all(len(line) <= 100 for line in out.splitlines())
    assert "of cases" in out
    found = document(capfd, "compare-normal", "compare", str(stored / "plain"), "normal")
    assert {"results", "others", "like"} <= set(found)


def test_ones_own_machines_count_too(
    capfd: pytest.CaptureFixture[str], stored: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "own.toml").write_text(OWN)
    words = ("compare", str(stored / "plain"), "normal", "--beside", str(folder), "--all")
    code, out, _ = call(capfd, *words)
    assert code == ExitCode.DONE
    assert "own " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plain", "other", "normal"), "one machine"),
        (("normal", "plain"), "one machine"),
        (("normal", "normal"), "one machine"),
        (("simulated", "normal"), "simulated"),
        (("plain", "normal", "--beside", "nowhere"), "no machine files"),
        (("plain", "normal", "--like", "network"), "--like all"),
        (("plain", "normal", "--like", "gpu"), "gpu"),
        (("plain", "other", "--like", "cpu"), "normal"),
        (("plain", "normal", "--score", "throughput"), "no scores"),
        (("plain", "normal", "--benchmark", "nothing"), "no such key result"),
    ],
)
def test_what_cannot_be_placed_is_refused(
    capfd: pytest.CaptureFixture[str], stored: Path, words: tuple[str, ...], said: str
) -> None:
    runs = {"plain", "other", "simulated"}
    named = [str(stored / one) if one in runs else one for one in words]
    code, _, err = call(capfd, "compare", *named)
    assert code == ExitCode.WRONG_USAGE
    assert said in err


def test_a_machine_without_key_results_is_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    loose = OWN[: OWN.index("benchmark =")] + OWN[OWN.index("unit =") : OWN.index("layout =")]
    file.write_text(loose + 'figures = [{ id = "latency", value = 0.25 }]')
    assert call(capfd, "machine", "check", str(file))[0] == ExitCode.DONE
    code, _, err = call(capfd, "compare", str(file), "normal")
    assert code == ExitCode.WRONG_USAGE
    assert "no key result" in err


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_file_called_normal_is_no_set_of_machines(
    capfd: pytest.CaptureFixture[str], stored: Path, is_folder: bool
) -> None:
    if is_folder:
        Path("normal").mkdir()
    else:
        Path("normal").write_text("x")
    code, _, err = call(capfd, "compare", str(stored / "plain"), "normal")
    assert code == ExitCode.WRONG_USAGE
    assert "./normal" in err


def test_a_file_that_cannot_be_read_is_a_warning(
    capfd: pytest.CaptureFixture[str], stored: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "own.toml").write_text(OWN)
    (folder / "twice.toml").write_text(OWN)
    (folder / "broken.toml").write_text("format = 1")
    words = ("compare", str(stored / "plain"), "normal", "--beside", str(folder), "--all")
    code, out, err = call(capfd, *words)
    assert code == ExitCode.DONE
    assert "broken.toml" in err
    assert "own is there already" in err
    assert "own " in out


def test_a_machine_is_not_compared_with_itself(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "compare-normal", "compare", "archer2", "normal")
    assert "archer2" not in found["others"]
    values = [one["position"]["estimate"]["value"] for one in found["results"]]
    assert len(values) == len(set(values)) > 20


def test_a_benchmark_is_kept_to(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("compare", "archer2", "normal", "--benchmark", "network.latency")
    found = document(capfd, "compare-normal", *words)
    names = {one["position"]["estimate"]["point"]["benchmark"] for one in found["results"]}
    assert names == {"network.latency"}

"""The run that a person means by a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.api.loading import find_run
from machmeter.api.requests import request
from machmeter.cli.context import command_context
from machmeter.model.errors import UsageError
from machmeter.store.remembered_runs import remember_folders
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document
from tests.support.fake_launcher import new_folder
from tests.unit.store.test_index import a_run


def test_a_damaged_run_elsewhere_hides_no_other(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, home: Path, tmp_path: Path
) -> None:
    elsewhere = new_folder(tmp_path / "elsewhere")
    remember_folders(home, [elsewhere.path])
    (elsewhere.path / "run.json").write_text("{")
    for name in ("a-run", "a-", "last"):
        assert find_run(name, command_context()).path == one_run.path.resolve()
    assert (
        "elsewhere/run.json is not what this version of machmeter writes" in capfd.readouterr().err
    )


def test_a_name_that_no_file_can_have_means_no_run(home: Path) -> None:
    for name in ("x" * 300, "x" * 5000, "x\0y"):
        with pytest.raises(UsageError, match="there is no run"):
            find_run(name, command_context())


def test_words_that_are_no_text_are_wrong_usage_and_can_be_told(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    word = os.fsdecode(b"caf\xe9")
    for words in (("run", "--name", word, "--dry-run"), ("run", word), ("show", word)):
        code, _, err = call(capfd, *words)
        assert code == 2
        assert "internal error" not in err
        assert r"caf\udce9" in document(capfd, "error", *words)["error"]


def test_a_study_or_a_machine_in_the_place_of_the_other_is_explained(home: Path) -> None:
    for name, remedies in {
        "quick": ("`machmeter run quick` runs the study",),
        "gordon": ("`machmeter show machine gordon`",),
        "louhi": ("`machmeter show machine louhi`", "`machmeter run louhi` runs the study"),
    }.items():
        with pytest.raises(UsageError, match="there is no run") as found:
            find_run(name, command_context())
        assert all(remedy in found.value.remedy for remedy in remedies)
    with pytest.raises(UsageError, match="gordon is a published machine") as found:
        request("gordon")
    assert "`machmeter compare gordon last`" in found.value.remedy


OPENED = """
import sys
from machmeter.cli.main import main
opened = []
data = sys.argv.pop(1)
def note(event, found):
    if event == "open" and str(found[0]).startswith(data):
        opened.append(str(found[0]))
sys.addaudithook(note)
try:
    main(sys.argv[1:])
finally:
    print(len(opened), file=sys.stderr)
"""


def opened_by(data: Path, *words: str) -> int:
    """How many files below `data` a command opens."""
    places = {"MACHMETER_DATA": str(data), "MACHMETER_CACHE": str(data.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", OPENED, str(data), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **places},
    )
    assert "run-a" in done.stdout, done.stderr
    return int(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("words", [("runs",), ("show", "run-a")], ids=" ".join)
def test_finished_runs_beside_one_cost_no_opened_file(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    data = tmp_path / "data"
    a_run(data, "run-a")
    opened_by(data, "runs")
    opened_by(data, *words)
    alone = opened_by(data, *words)
    for name in ("run-b", "run-c", "run-d"):
        a_run(data, name)
    taken_in = opened_by(data, "runs")
    assert opened_by(data, *words) == alone < taken_in

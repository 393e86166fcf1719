"""`machmeter history`, as far as it goes without Apache Otava: with too few runs for changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.analysis.history.levels import rules_for
from machmeter.cli.commands.history import HistoryFailOn, exit_code_for
from machmeter.model.errors import ExitCode
from machmeter.model.results.history import History
from tests.support.cli_calls import call, document
from tests.support.made_up.nightly_runs import nightly

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def six_nights(home: Path) -> Path:
    nightly(home, 6, {8: lambda _: 1e-6, 64: lambda _: 2e-6})
    return home


@pytest.mark.usefixtures("six_nights")
def test_values_are_there_before_changes_can_be(capfd: Capture) -> None:
    found = document(capfd, "history", "history", "network.latency")
    assert [len(figure["values"]) for figure in found["results"]] == [6, 6]
    assert [figure["runs_needed"] for figure in found["results"]] == [2, 2]
    code, out, _ = call(capfd, "history", "--point", "size=8,")
    assert code == 0
    assert "1 result has fewer than 8 runs" in out


def test_json_has_no_other_format(capfd: Capture) -> None:
    code, out, error = call(capfd, "history", "--json", "--format", "latex")
    assert code == ExitCode.WRONG_USAGE
    assert "--format" in error or "--format" in out


def test_an_empty_store_is_no_error(capfd: Capture) -> None:
    code, out, _ = call(capfd, "history")
    assert code == 0
    assert "`machmeter run` makes the first" in out
    found = document(capfd, "history", "history")
    assert found["results"] == []


@pytest.mark.usefixtures("six_nights")
@pytest.mark.parametrize(
    "words",
    [
        ("network.late",),
        ("--machine", "elsewhere"),
        ("--since", "yesterday"),
        ("--threshold", "90%"),
        ("--threshold", "much"),
        ("--confirm", "1"),
        ("--fail-on", "anything"),
        ("--output", "/nowhere/history.html"),
    ],
)
def test_what_has_no_meaning_is_wrong_usage(capfd: Capture, words: tuple[str, ...]) -> None:
    code, out, err = call(capfd, "history", *words)
    assert code == ExitCode.WRONG_USAGE
    assert out == ""
    assert err.startswith("machmeter: ") or "remedy" in err


@pytest.mark.usefixtures("six_nights")
def test_the_page_is_written_beside_what_is_printed(capfd: Capture, tmp_path: Path) -> None:
    page = tmp_path / "history.html"
    code, _, _ = call(capfd, "history", "--output", str(page))
    assert code == 0
    text = page.read_text(encoding="utf-8")
    assert "node17 (Xeon Platinum 8488C): 6 runs" in text
    assert text.count('data-chart="history-') == 2
    assert "needs 2 more" in text
    assert len(text) < 2_000_000


@pytest.mark.parametrize(
    ("fail_on", "regressions", "suspicions", "code"),
    [
        ("regression", 0, 1, ExitCode.DONE),
        ("regression", 1, 0, ExitCode.SOMETHING_FAILED),
        ("suspicion", 0, 1, ExitCode.SOMETHING_FAILED),
        ("suspicion", 1, 0, ExitCode.SOMETHING_FAILED),
        ("never", 1, 1, ExitCode.DONE),
    ],
)
def test_the_exit_code_is_what_was_asked_to_fail_on(
    fail_on: str, regressions: int, suspicions: int, code: ExitCode
) -> None:
    found = History((), (), rules_for(1), regressions, suspicions)
    assert exit_code_for(found, HistoryFailOn(fail_on)) is code

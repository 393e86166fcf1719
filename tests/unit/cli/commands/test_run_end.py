"""What follows a measurement never hides the figures."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from machmeter.api.loading import Run, indexed
from machmeter.cli.commands.run import finish
from machmeter.cli.context import command_context, measuring_context
from machmeter.cli.schemas import schema_of
from machmeter.model.errors import ExitCode, MachmeterError
from machmeter.run.history.indexing import index_of
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import FakeLauncher, crash, new_folder, run_to_end


def ended(folder: RunFolder) -> Run:
    return indexed(folder, command_context())


def test_the_page_is_written_the_run_is_indexed_and_the_summary_printed(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, home: Path, tmp_path: Path
) -> None:
    too = tmp_path / "page ü.html"
    assert finish(ended(one_run), too, as_json=False) is ExitCode.DONE
    out, err = capfd.readouterr()
    assert err == ""
    assert "Memory latency" in out
    assert str(too) in out
    elsewhere = too.read_text()
    inside = (one_run.path / "report.html").read_text()
    address = one_run.path.resolve().as_uri() + "/"
    assert f'href="{address}launches/' in elsewhere
    # They differ in where they lead to, and in the words that say so.
    assert 'href="launches/' in inside
    assert address not in inside
    assert [run.id for run in index_of(home).runs()] == ["a-run"]


@pytest.mark.parametrize("as_json", [False, True])
def test_the_page_is_written_also_when_nobody_reads_the_summary(
    one_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    def left(*_: object, **__: object) -> None:
        raise BrokenPipeError

    page = tmp_path / "page.html"
    monkeypatch.setattr("machmeter.report.terminal.run.print_run", left)
    monkeypatch.setattr("machmeter.cli.output.print_json", left)
    with pytest.raises(BrokenPipeError):
        finish(ended(one_run), page, as_json=as_json)
    assert page.is_file()
    assert (one_run.path / "report.html").is_file()


def test_a_page_that_cannot_be_made_has_its_own_exit_code(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MachmeterError("a published file cannot be read")

    run = ended(one_run)
    monkeypatch.setattr("machmeter.api.reports.report", fail)
    assert finish(run, None, as_json=False) is ExitCode.SOMETHING_FAILED
    assert "a published file cannot be read" in capfd.readouterr().err


def test_warnings_while_progress_is_shown_use_its_console(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    console = Console(record=True, file=StringIO(), width=100)
    monkeypatch.setattr("machmeter.cli.consoles.error_console", lambda: console)
    with measuring_context(quiet=False) as context:
        context.warn(MachmeterError("no index"))
        context.notify("compiled")
    said = console.export_text()
    assert "warning: no index" in said
    assert "compiled" in said


def test_json_is_one_document_also_when_something_fails(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, home: Path
) -> None:
    (home / "index.sqlite").mkdir()
    assert finish(ended(one_run), None, as_json=True) is ExitCode.DONE
    out, err = capfd.readouterr()
    jsonschema.validate(json.loads(out), schema_of("run"))
    assert "machmeter store rebuild" in err


def test_a_damaged_index_does_not_stop_a_run_from_being_reported(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, home: Path
) -> None:
    (home / "index.sqlite").write_bytes(b"rubbish" * 1000)
    assert finish(ended(one_run), None, as_json=False) is ExitCode.DONE
    out, err = capfd.readouterr()
    assert "Memory latency" in out
    assert "machmeter store rebuild" in err
    assert (home / "index.sqlite").read_bytes() == b"rubbish" * 1000


def test_a_page_that_cannot_be_written_is_told_after_the_figures(
    capfd: pytest.CaptureFixture[str], one_run: RunFolder, tmp_path: Path
) -> None:
    code = finish(ended(one_run), tmp_path / "missing" / "page.html", as_json=False)
    out, err = capfd.readouterr()
    assert code is ExitCode.MACHINE_LACKS
    assert "Memory latency" in out
    assert "page.html" in err
    assert "remedy" in err


def test_a_run_of_which_every_launch_failed_ends_with_1_and_says_so(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    folder = run_to_end(new_folder(home / "runs" / "a-run"), FakeLauncher(crash))
    assert finish(ended(folder), None, as_json=False) is ExitCode.SOMETHING_FAILED
    out, err = capfd.readouterr()
    assert "no result" in err
    assert "signal 11" in out

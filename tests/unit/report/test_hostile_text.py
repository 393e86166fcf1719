"""Whatever the files of a run say, nothing that is shown of it steers a terminal or a browser."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.model.results.run import RunResult
from machmeter.report.documents.document import Document
from machmeter.report.documents.findings import findings_document
from machmeter.report.documents.latex import latex
from machmeter.report.documents.markdown import markdown
from machmeter.report.documents.results import results_document
from machmeter.report.documents.text import text_lines
from machmeter.report.exports.tables import export_rows, write_csv, write_json
from machmeter.report.pages import html
from machmeter.report.pages.run import render_brief, render_page
from machmeter.report.terminal.findings import print_findings
from machmeter.report.terminal.run import print_run
from machmeter.report.views.records import RecordsPlace
from machmeter.text.plain import CONTROLS
from tests.support.synthetic.run import make_run

STEERING = "\x1b[31m\x07\u202e<script>alert(1)</script>"
# What names something that machmeter defines: a run with another name there is not of this version.
_NAMES = ("benchmark", "metric", "name", "symbol", "parameters", "spec", "started", "id", "kind")
Path = tuple[str, ...]


def texts_of(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths of all texts, `*` for any position in a list."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from texts_of(below, (*path, name))
    elif isinstance(value, list | tuple):
        for below in value:
            yield from texts_of(below, (*path, "*"))
    elif isinstance(value, str):
        yield path


def with_steering(value: object, paths: set[Path], path: Path = ()) -> object:
    if isinstance(value, dict):
        return {name: with_steering(v, paths, (*path, name)) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [with_steering(v, paths, (*path, "*")) for v in value]
    return f"{value}{STEERING}" if isinstance(value, str) and path in paths else value


def takes(data: object, path: Path) -> bool:
    """Whether a text of a run may be any: not one of a few words."""
    if path[-1] in _NAMES or "parameters" in path:
        return False
    try:
        msgspec.convert(with_steering(data, {path}), RunResult)
    except msgspec.ValidationError:
        return False
    return True


@pytest.fixture(scope="module")
def hostile() -> RunResult:
    run = make_run()
    case = CaseEvidence(
        *("yes", AnswerStatus.DECIDED, Confidence.SURE, "8 B", "do it", "do it", "why"),
        settings=("OMP_WAIT_POLICY=active",),
    )
    asked = Finding("why?", "so", AnswerStatus.DECIDED, Confidence.SURE, cases=(case, case))
    data = msgspec.to_builtins(replace(run, findings=(*run.findings, asked)))
    free = {path for path in set(texts_of(data)) if takes(data, path)}
    assert len(free) > 40
    return msgspec.convert(with_steering(data, free), RunResult)


def steering_in(text: str) -> set[str]:
    """Characters that a terminal or a reader of text obeys."""
    return {c for c in text if unicodedata.category(c) in CONTROLS and c not in "\n\t"}


def printed(result: RunResult) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_run(result, console)
    print_findings(result, console, every=True)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_terminal(hostile: RunResult) -> None:
    text = printed(hostile)
    assert not steering_in(text)
    assert "alert(1)" in text


@pytest.mark.parametrize("brief", [False, True])
def test_a_page(hostile: RunResult, monkeypatch: pytest.MonkeyPatch, brief: bool) -> None:
    monkeypatch.setattr(html, "_chart_libraries", lambda: "")
    page = render_brief(hostile) if brief else render_page(hostile, RecordsPlace(STEERING, ""))
    assert not steering_in(page)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize("of", ["results", "findings"])
def test_a_document(hostile: RunResult, of: str) -> None:
    document: Document = (
        results_document("hostile", hostile.estimates)
        if of == "results"
        else findings_document(hostile, every=True)
    )
    for text in (
        "\n".join(line.text for line in text_lines(document, 80)),
        markdown(document),
        latex(document),
    ):
        assert not steering_in(text)
        assert "alert(1)" in text


@pytest.mark.parametrize("write", [write_csv, write_json])
def test_an_export(hostile: RunResult, write: object) -> None:
    stream = io.BytesIO()
    write(export_rows(hostile), stream)  # type: ignore[operator]
    assert not steering_in(stream.getvalue().decode().replace("\r\n", "\n"))

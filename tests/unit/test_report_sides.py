"""The old and the new side, first in the terminal and on the page."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from two_sides import launcher, measured, two_sided

from machmeter.model.run import RunResult
from machmeter.report.page import render_page
from machmeter.report.records_links import records_place
from machmeter.report.sides_terminal import print_run
from machmeter.report.sides_words import slower_text
from machmeter.run.result import collect
from machmeter.store.run_folder import RunFolder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return measured(two_sided(tmp_path_factory.mktemp("sides") / "run"), launcher(0.8))


@pytest.fixture(scope="module")
def result(folder: RunFolder) -> RunResult:
    return collect(folder)


def shown(result: RunResult) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_run(result, console)
    text = console.file
    assert isinstance(text, io.StringIO)
    return text.getvalue()


def test_the_comparison_comes_before_the_summary(result: RunResult) -> None:
    text = shown(result)
    assert text.index("beside old (-O1)") < text.index("The new side by itself")
    assert "paired, Holm over" in text
    assert "behind" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_became_slower_is_counted(result: RunResult) -> None:
    assert result.old is not None
    assert result.old.comparison is not None
    slower = sum(f.verdict.value == "slower" for f in result.old.comparison.figures)
    assert slower
    assert f"{slower} figure" in slower_text(result.old.comparison)


def test_the_page_leads_with_the_sides_and_with_the_old_side_s_records(
    result: RunResult, folder: RunFolder
) -> None:
    page = render_page(result, records_place(folder.path, folder.path / "report.html"))
    assert page.index('id="sides"') < page.index('id="found"')
    assert "Records of the old side" in page
    assert result.old is not None
    number = result.old.estimates[0].launch_numbers[0]
    assert f'href="launches/{number:05d}.jsonl"' in page
    assert 'id="chart-sides"' in page

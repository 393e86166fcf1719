"""What follows a measurement: the page, the index, the summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from machmeter.analysis.matching.compare_machines import regressions
from machmeter.cli.actions.running import exit_code_of
from machmeter.cli.context import cache_folder, data_folder
from machmeter.cli.output import print_json, text_console, warn
from machmeter.model.errors import ExitCode, MachmeterError, UsageError, storage_error
from machmeter.model.results.run import RunResult
from machmeter.report.terminal.ab_terminal import print_run
from machmeter.report.views.records import RecordsPlace, records_place
from machmeter.run.history.indexing import add_to_index, index_of, result_of
from machmeter.store.run_folder import RunFolder, replaces_file_of_run
from machmeter.text.comparison import Compared

if TYPE_CHECKING:
    from machmeter.report.drawing.chart import Chart

PAGE = "report.html"


def finish(
    folder: RunFolder, page_too: Path | None, *, as_json: bool, fail_on_slower: bool = False
) -> ExitCode:
    """Write the page into the run's folder (and to `page_too`), index the run, print what it says.

    fail_on_slower: exit code 1 where a run of two sides has a regression, or no figure to tell. A
    page or an index that cannot be written is told of and never hides the figures.
    """
    result = result_of(folder, cache_folder())
    written, code = _pages(folder, result, page_too)
    try:
        add_to_index(index_of(data_folder()), folder, result)
    except MachmeterError as error:
        warn(error)
    if not result.estimates:
        warn(
            MachmeterError(
                "there is no figure: the time was over, or every launch failed, before one could "
                "be made",
                "give more time with --budget; `machmeter doctor` says what disturbs",
            )
        )
    if as_json:
        print_json(result)
    else:
        page = written[-1] if written else None
        print_run(result, text_console(), record=folder.path, page=page)
    slower = fail_on_slower and _regressed(result)
    return code or (ExitCode.SOMETHING_FAILED if slower else exit_code_of(result))


def _regressed(result: RunResult) -> bool:
    """Whether a figure of the candidate became worse; where none was measured, it is not known."""
    comparison = result.baseline.comparison if result.baseline else None
    return comparison is None or not comparison.figures or bool(regressions(comparison))


def _pages(
    folder: RunFolder, result: RunResult, page_too: Path | None
) -> tuple[list[Path], ExitCode]:
    written, code = [], ExitCode.DONE
    beside = beside_of(result)
    for path in (folder.path / PAGE, *([page_too] if page_too else [])):
        try:
            save_page(result, path, records_place(folder.path, path), beside)
            written.append(path)
        except MachmeterError as error:
            warn(error)
            code = error.exit_code
    return written, code


def beside_of(result: RunResult) -> tuple[Compared, ...]:
    """The run beside published machines; where that fails it is told of, and the page goes on."""
    from machmeter.cli.actions.comparison_page import published_beside

    try:
        return published_beside(result)
    except MachmeterError as error:
        warn(error)
        return ()


def save_page(
    result: RunResult,
    path: Path,
    records: RecordsPlace | None = None,
    beside: Sequence[Compared] = (),
) -> None:
    """Write the page of a run to `path`.

    records, beside: as `report.pages.page.render_page` takes them. Raises MachineLacksError where
    the page cannot be written.
    """
    from machmeter.report.pages.page import write_page

    try:
        write_page(result, path, records, beside)
    except OSError as error:
        raise storage_error(error, path) from error


def save_charts(result: RunResult, folder: Path) -> tuple[Path, ...]:
    """Write every chart of a run into `folder` as PNG and SVG; what was written.

    Raises MachineLacksError where that cannot be done.
    """
    from machmeter.report.benchmarks.charts import all_charts

    return write_charts(all_charts(result), folder)


def write_charts(charts: Iterable[Chart], folder: Path) -> tuple[Path, ...]:
    """Write charts into `folder` as PNG and SVG; what was written.

    Raises MachineLacksError where that cannot be done.
    """
    from machmeter.report.benchmarks.charts import save_chart

    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart in charts:
            for ending in (".png", ".svg"):
                path = folder / (chart.name + ending)
                save_chart(chart.spec, path)
                written.append(path)
    except OSError as error:
        raise storage_error(error, folder) from error
    return tuple(written)


def check_target(path: Path | None, option: str) -> None:
    """Refuse now what could not be written after minutes of measuring. Raises UsageError."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder", "name a file in it")
    if path.exists() and not path.is_file():
        # Files are renamed into place: as root that would put one where a device or pipe was.
        raise UsageError(f"{option} {path} is no file but a device or pipe", "name a file")
    if replaces_file_of_run(path):
        raise UsageError(
            f"{option} {path} would replace what a run recorded", "name another file or folder"
        )
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.absolute().parent}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise UsageError(f"{option} {path}: {path.absolute().parent} cannot be written to")

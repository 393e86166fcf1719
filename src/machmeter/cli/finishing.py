"""What follows a measurement: the page, the index, the summary."""

from __future__ import annotations

import os
from pathlib import Path

from machmeter.cli.context import cache_folder, data_folder
from machmeter.cli.output import print_json, text_console, warn
from machmeter.cli.running import exit_code_of
from machmeter.model.errors import ExitCode, MachmeterError, UsageError, storage_error
from machmeter.model.run import RunResult
from machmeter.report.terminal import print_summary
from machmeter.run.indexing import add_to_index, index_of, result_of
from machmeter.store.run_folder import RunFolder

PAGE = "report.html"


def finish(folder: RunFolder, page_too: Path | None, *, as_json: bool) -> ExitCode:
    """Write the page into the run's folder (and to `page_too`), index the run, print what it says.

    A page or an index that cannot be written is told of and never hides the figures.
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
        print_summary(result, text_console(), record=folder.path, page=page)
    return code or exit_code_of(result)


def _pages(
    folder: RunFolder, result: RunResult, page_too: Path | None
) -> tuple[list[Path], ExitCode]:
    written, code = [], ExitCode.DONE
    for path in (folder.path / PAGE, *([page_too] if page_too else [])):
        try:
            save_page(result, path)
            written.append(path)
        except MachmeterError as error:
            warn(error)
            code = error.exit_code
    return written, code


def save_page(result: RunResult, path: Path) -> None:
    """Write the page of a run to `path`. Raises MachineLacksError where that cannot be done."""
    from machmeter.report.page import write_page

    try:
        write_page(result, path)
    except OSError as error:
        raise storage_error(error, path) from error


def save_charts(result: RunResult, folder: Path) -> tuple[Path, ...]:
    """Write every chart of a run into `folder` as PNG and SVG; what was written.

    Raises MachineLacksError where that cannot be done.
    """
    from machmeter.report.charts import all_charts, save_chart

    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart in all_charts(result):
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
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.absolute().parent}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise UsageError(f"{option} {path}: {path.absolute().parent} cannot be written to")

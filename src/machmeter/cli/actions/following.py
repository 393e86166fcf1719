"""What `machmeter history` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from machmeter.cli.options.run_options import parse_share
from machmeter.cli.output import error_console, warn
from machmeter.model.errors import ExitCode, UsageError, storage_error
from machmeter.model.results.history import History
from machmeter.run.history.environments import with_differences
from machmeter.run.history.history import HistoryOptions, read_history, with_changes
from machmeter.run.history.indexing import index_of, take_in


def history_of(
    wanted: HistoryOptions, threshold: str, confirm: int, data: Path, cache: Path
) -> History:
    """The history with its changes, and what else changed with them.

    Raises UsageError for a threshold without meaning or figures nobody measured, MachineLacksError
    where Otava can be neither found nor fetched.
    """
    from machmeter.build.python_tools.otava import OTAVA, starts_of_levels
    from machmeter.build.python_tools.python_tool import tool_folder

    def find(
        series: Sequence[Sequence[float]], window: int, p_value: float
    ) -> Sequence[Sequence[int]]:
        if not tool_folder(OTAVA, cache).is_dir():
            error_console().print(f"fetching {OTAVA.name} {OTAVA.version} from PyPI, once")
        return starts_of_levels(series, window, p_value, cache)

    take_in_runs(data, cache)
    index = index_of(data)
    read = read_history(index, wanted, data)
    changed = with_changes(read, _threshold(threshold), confirm, find)
    return with_differences(changed, {run.id: Path(run.folder) for run in index.runs()})


def take_in_runs(data: Path, cache: Path) -> None:
    """Bring runs into the index that it lacks; on standard error it is said before that begins."""

    def say(text: str) -> None:
        error_console().print(text, style="dim", markup=False)

    take_in(data, cache, warn, say)


def exit_code_for(history: History, fail_on: str) -> ExitCode:
    """1 where what `fail_on` names was found: `regression`, `suspicion` (either), `never`."""
    failed = {
        "regression": history.regressions,
        "suspicion": history.regressions + history.suspicions,
        "never": 0,
    }[fail_on]
    return ExitCode.SOMETHING_FAILED if failed else ExitCode.DONE


def save_history_page(history: History, path: Path) -> None:
    """Write the page of a history. Raises MachineLacksError where that cannot be done."""
    from machmeter.report.pages.history_page import write_history_page

    try:
        write_history_page(history, path)
    except OSError as error:
        raise storage_error(error, path) from error


def _threshold(text: str) -> float:
    try:
        return parse_share(text)
    except UsageError as error:
        raise UsageError(
            f"--threshold {text!r} is not within 0.01% and 50%", "write 3% or 0.03"
        ) from error

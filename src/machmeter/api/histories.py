"""Results over all runs of a machine, and where they changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import update_index
from machmeter.build.python_tools.otava import OTAVA, starts_of_levels
from machmeter.build.python_tools.python_tool import tool_folder
from machmeter.model.errors import UsageError, storage_error
from machmeter.model.results.history import History
from machmeter.run.history.environments import with_differences
from machmeter.run.history.history import HistoryOptions, read_history, since_text, with_changes
from machmeter.run.history.indexing import index_of


def history(  # noqa: PLR0913 - each is an option of `machmeter history`
    benchmark: str = "",
    *,
    machine: str = "",
    metric: str = "",
    point: str = "",
    since: str = "",
    threshold: float = 0.03,
    confirm: int = 2,
    context: Context | None = None,
) -> History:
    """Results over all runs of a machine, their changes, and what else changed with them.

    Changes are found by Apache Otava, fetched from PyPI once.

    Args:
        benchmark: A benchmark or group; empty is all.
        machine: Only the machine of this name or host name.
        metric: Only this metric.
        point: Only points that hold this text: `size=8`.
        since: Only runs from this day or time on, ISO 8601, UTC.
        threshold: Smallest change that matters, as a share.
        confirm: Runs that a new level needs.
        context: Folders and listeners.

    Raises:
        UsageError: A value has no meaning, or nobody measured such results.
        MachineLacksError: Otava can be neither found nor fetched.
    """
    _check(threshold, confirm)
    context = context or Context()
    options = HistoryOptions(benchmark, machine, metric, point, since_text(since))

    def find(
        series: Sequence[Sequence[float]], window: int, p_value: float
    ) -> Sequence[Sequence[int]]:
        if not tool_folder(OTAVA, context.cache).is_dir():
            context.notify(f"fetching {OTAVA.name} {OTAVA.version} from PyPI, once")
        return starts_of_levels(series, window, p_value, context.cache)

    update_index(context)
    index = index_of(context.data)
    read = read_history(index, options, context.data)
    changed = with_changes(read, threshold, confirm, find)
    return with_differences(changed, {run.id: Path(run.folder) for run in index.runs()})


def _check(threshold: float, confirm: int) -> None:
    if not 0.0001 <= threshold <= 0.5:
        raise UsageError("the threshold is not between 0.01 % and 50 %", "use 3 %")
    if not 2 <= confirm <= 100:
        raise UsageError(f"{confirm} runs cannot confirm a level", "use 2 to 100")


def report_history(history: History, path: Path) -> None:
    """Write the page of a history.

    Raises:
        MachineLacksError: It cannot be written.
    """
    from machmeter.report.pages.history import write_history_page

    try:
        write_history_page(history, path)
    except OSError as error:
        raise storage_error(error, path) from error

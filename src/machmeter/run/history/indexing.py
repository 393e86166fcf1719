"""Bring runs into the index, and list them whether it has them or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.model.errors import MachmeterError
from machmeter.model.plan.launch import Record
from machmeter.model.results.run import RunResult, RunState
from machmeter.run.measuring.lock import measuring_now
from machmeter.store.index import Index, UnfitRunError
from machmeter.store.index_rows import RunSummary, path_text, summarize
from machmeter.store.left_out import leave_out, not_left_out
from machmeter.store.remembered_runs import run_folders
from machmeter.store.result_cache import known_result
from machmeter.store.run_folder import RunFolder

Warn = Callable[[MachmeterError], None]


def index_of(data: Path) -> Index:
    """The index over the runs of this user."""
    return Index(data / "index.sqlite")


def result_of(folder: RunFolder, cache: Path) -> RunResult:
    """The result of a run; one that says it is running while nobody measures it was interrupted.

    Raises MachmeterError as `collect` does.
    """
    result = known_result(folder, cache, _collected)
    return replace(result, state=_true_state(result.state, result.header.id, cache))


def _collected(folder: RunFolder) -> RunResult:
    # Statistics take longer to load than a result that is known takes to read.
    from machmeter.run.results.result import collect  # noqa: PLC0415

    return collect(folder)


def add_to_index(index: Index, folder: RunFolder, result: RunResult) -> None:
    """Put one run into the index. Raises MachmeterError when that cannot be done."""
    index.add(result, folder.path, records_of(folder, result))


def records_of(folder: RunFolder, result: RunResult) -> Iterator[tuple[int, Record]]:
    """Numbers and records of the launches that ended, read one after the other."""
    for outcome in result.outcomes:
        yield outcome.launch, folder.record(outcome.launch)


def rebuild(data: Path, cache: Path, warn: Warn) -> int:
    """Make the index again from the run folders; the number of runs that are in it.

    A run that cannot be read is reported and left out. Raises MachineLacksError when the disk takes
    no more.
    """

    def every() -> Iterator[tuple[RunResult, Path, Iterator[tuple[int, Record]]]]:
        seen: set[str] = set()
        for folder in run_folders(data):
            try:
                result = result_of(folder, cache)
            except MachmeterError as error:
                warn(error)
                continue
            # A run that was copied has the same id: the index knows it once.
            if result.header.id in seen:
                continue
            seen.add(result.header.id)
            yield result, folder.path, records_of(folder, result)

    return index_of(data).replaced_by(every(), warn)


def renew(data: Path, cache: Path, warn: Warn, say: Callable[[str], None]) -> None:
    """Make the index again where an older machmeter wrote it, and nothing is being measured: what
    it holds is in the run folders. Problems are reported, as in `rebuild`."""
    if not index_of(data).is_of_older_format() or measuring_now(cache):
        return
    say("making the index of runs again, for an older machmeter wrote it")
    try:
        rebuild(data, cache, warn)
    except MachmeterError as error:
        warn(error)


def take_in(data: Path, cache: Path, warn: Warn, say: Callable[[str], None]) -> int:
    """Put finished runs into the index that it lacks, or has in a folder that is not one of these,
    as it is with a copied data folder; how many those were.

    say: is called before that takes its time, and where it waits because this machine is measuring:
    reading runs would be measured too. Problems are reported: what is there can be used. A run that
    cannot be read is reported once, until its files change; of an index that cannot be read the
    list or history that follows tells.
    """
    index = index_of(data)
    renew(data, cache, warn, say)
    try:
        missing = not_left_out(data, _missing(index, run_folders(data)))
        if not missing:
            return 0
        count = "a run" if len(missing) == 1 else f"{len(missing)} runs"
        measured = measuring_now(cache)
        if measured:
            wait = "waits" if len(missing) == 1 else "wait"
            say(f"{count} {wait} to be taken into the index until run {measured} has ended")
            return 0
    except MachmeterError:
        return 0
    try:
        index.check_writable()
        say(f"taking {count} into the index that it lacks")
        return _taken_in(index, missing, data, cache, warn)
    except MachmeterError as error:
        warn(error)
        return 0


def _taken_in(
    index: Index, folders: Sequence[RunFolder], data: Path, cache: Path, warn: Warn
) -> int:
    """How many of the runs went into the index, until it takes no more."""
    count = 0
    for folder in folders:
        try:
            result = result_of(folder, cache)
        except MachmeterError as error:
            warn(error)
            leave_out(data, folder)
            continue
        try:
            add_to_index(index, folder, result)
        except UnfitRunError as error:
            warn(error)
            leave_out(data, folder)
        except MachmeterError as error:
            warn(error)
            break
        else:
            count += 1
    return count


def _missing(index: Index, folders: Sequence[RunFolder]) -> list[RunFolder]:
    """Finished runs that the index has not in one of `folders`, or not as finished.

    What cannot be read is left out.
    """
    here = {path_text(folder.path): folder for folder in folders}
    ended = (run for run in index.runs() if run.state is RunState.FINISHED)
    indexed = [run for run in ended if run.folder in here]
    paths, known = {run.folder for run in indexed}, {run.id for run in indexed}
    missing = []
    for path, folder in here.items():
        if path in paths:
            continue
        try:
            run, finished = folder.header().id, folder.state().state is RunState.FINISHED
        except MachmeterError:
            continue
        if finished and run not in known:
            known.add(run)
            missing.append(folder)
    return missing


def list_runs(
    data: Path, cache: Path, warn: Warn, say: Callable[[str], None]
) -> tuple[RunSummary, ...]:
    """Every run that is there, the oldest first; figures are counted for those in the index.

    What is not in the index (interrupted, still measuring, or the index is damaged) is listed from
    its own files. Problems are reported, and the rest listed. say: as in `take_in`.
    """
    renew(data, cache, warn, say)
    try:
        indexed = {run.folder: run for run in index_of(data).runs()}
    except MachmeterError as error:
        warn(error)
        indexed = {}
    found = []
    for folder in run_folders(data):
        try:
            found.append(_summary(folder, indexed.get(path_text(folder.path)), cache))
        except MachmeterError as error:
            warn(error)
    return tuple(sorted(found, key=lambda run: (run.started, run.id)))


def _summary(folder: RunFolder, indexed: RunSummary | None, cache: Path) -> RunSummary:
    if indexed is not None and indexed.state is RunState.FINISHED:
        return indexed
    header = folder.header()
    state = _true_state(folder.state().state, header.id, cache)
    if indexed is not None and indexed.state is state:
        return indexed
    return summarize(header, folder.path, state, tuple(folder.outcomes()))


def _true_state(state: RunState, run: str, cache: Path) -> RunState:
    if state is RunState.RUNNING and measuring_now(cache) != run:
        return RunState.INTERRUPTED
    return state

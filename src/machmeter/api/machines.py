"""From a name to a machine with its results: a run, several runs, a published machine, a file."""

from __future__ import annotations

from pathlib import Path

from machmeter.api.context import Context
from machmeter.api.loading import Run, find_run, meant_run
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.machine import MachineResults
from machmeter.published.load import machine_names, read_machine
from machmeter.published.machine import machine_results as machine_of_file
from machmeter.published.machine import published_results
from machmeter.run.ab.machines import SIDES, side_of
from machmeter.run.compare.run_as_machine import of_library, run_as_machine, runs_as_machine
from machmeter.run.history.indexing import result_of
from machmeter.store.run_folder import holds_run
from machmeter.studies.select import STUDIES

MAX_RUNS = 100
"""Runs that can be taken together as one machine."""

WAYS = (
    "a run (ID or unique prefix, folder, `last`), runs of one machine (RUN,RUN), one MPI library "
    "of a run (RUN@LIBRARY), one variant of an A/B run (RUN@baseline, RUN@candidate, "
    "RUN@baseline@LIBRARY), a published machine, or a file (of a machine, or another tool's output)"
)
"""What names a machine."""

MachineName = str | Path | Run


def machine(name: MachineName, *, context: Context | None = None) -> MachineResults:
    """The machine of that name with its results; what an importer remarks is a warning.

    Args:
        name: A run (ID or unique prefix, folder, `last`), runs of one machine between commas, one
            MPI library (`RUN@mpich`) or variant (`RUN@baseline`) of a run, a published machine, or
            a file: of a machine (`.toml`, docs/published.md), or another tool's output
            (docs/importing.md).
        context: Folders and listeners.

    Raises:
        UsageError: Nothing has that name.
        MachmeterError: It cannot be read.
    """
    context = context or Context()
    if isinstance(name, Run):
        return run_as_machine(name.result)
    path, text = Path(name), str(name)
    if is_file(path):
        return _from_file(path, context)
    if is_published(text):
        return published_results(text)
    whole, at, part = text.rpartition("@")
    if at and whole and part not in SIDES and not holds_run(path):
        return of_library(_measured_variant(whole, context), part)
    return _measured_variant(text, context)


def is_published(name: str) -> bool:
    """Whether `name` means a published machine, and no file or run of that name."""
    path = Path(name)
    return name in machine_names() and not is_file(path) and not holds_run(path)


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _measured_variant(name: str, context: Context) -> MachineResults:
    """One variant of a run (RUN@baseline), or what `_measured` means by that name."""
    run, at, variant = name.rpartition("@")
    if at and run and variant in SIDES and not holds_run(Path(name)):
        return side_of(result_of(find_run(run, context), context.cache), variant)
    return _measured(name, context)


def _measured(name: str, context: Context) -> MachineResults:
    """One run, or several between commas. Raises UsageError when one is not there."""
    names = [name] if holds_run(Path(name)) else [one for one in name.split(",") if one]
    if not names or len(names) > MAX_RUNS:
        raise UsageError(f"{name!r} does not name 1 to {MAX_RUNS} runs", f"name {WAYS}")
    try:
        folders = [find_run(one, context) for one in names]
    except UsageError as error:
        listed = "`machmeter list machines` lists published machines"
        ways = "" if meant_run(name) else f". Name {WAYS}"
        raise UsageError(
            f"{error.message}, and no published machine or file of that name",
            f"{_study_text(name)}{error.remedy}; {listed}{ways}",
        ) from error
    results = [result_of(folder, context.cache) for folder in folders]
    ids = [result.header.id for result in results]
    repeated = next((one for one in ids if ids.count(one) > 1), "")
    if repeated:
        raise UsageError(f"run {repeated} is named twice in {name!r}", "name each run once")
    return runs_as_machine(results)


def _study_text(name: str) -> str:
    """That a study has this name, which is not a machine; else empty."""
    if not any(study.name == name for study in STUDIES):
        return ""
    return f"study {name} is no machine, `machmeter run {name}` measures it; "


def _from_file(path: Path, context: Context) -> MachineResults:
    if path.suffix.lower() == ".toml":
        printed = read_machine(path)
        return machine_of_file(printed)
    # What reads other tools' output takes longer to load than most machines.
    from machmeter.importing.machine import imported_machine

    results, remarks = imported_machine(path)
    for remark in remarks:
        context.warn(MachmeterError(remark))
    return results

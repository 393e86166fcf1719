"""From a name to the machine that is compared: a run, several runs, a published machine, a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from machmeter.cli.context import cache_folder, find_run
from machmeter.cli.output import warn
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.published.format import PublishedMachine
from machmeter.published.load import machine_names, published_machine, read_machine
from machmeter.published.machine import known_machine as known_published
from machmeter.published.machine import published_known
from machmeter.run.ab.machines import SIDES, side_of
from machmeter.run.compare.run_as_machine import known_runs, of_library
from machmeter.run.history.indexing import result_of
from machmeter.store.run_folder import holds_run

MOST_RUNS = 100

Tell = Callable[[MachmeterError], None]

WAYS = (
    "a run (its id or how that begins, its folder, `last`), runs of one machine with commas "
    "between (RUN,RUN), one MPI library of a run (RUN@LIBRARY), one side of an A/B run "
    "(RUN@baseline, RUN@candidate, RUN@baseline@LIBRARY), a published machine, or a file "
    "(a machine's, or what another tool printed)"
)


def known_machine(name: str, tell: Tell = warn) -> MachineResults:
    """The machine that `name` means; `WAYS` says what may be named.

    tell: takes what an importer remarks of a file. Raises UsageError when nothing has that name,
    and MachmeterError when it cannot be read.
    """
    path = Path(name)
    if is_file(path):
        return _from_file(path, tell)
    if is_published(name):
        return published_by_name(name)
    whole, at, part = name.rpartition("@")
    if at and whole and part not in SIDES and not holds_run(path):
        return of_library(_measured_side(whole), part)
    return _measured_side(name)


def _measured_side(name: str) -> MachineResults:
    """One side of a run (RUN@baseline), or what `_measured` means by that name."""
    run, at, side = name.rpartition("@")
    if at and run and side in SIDES and not holds_run(Path(name)):
        return side_of(result_of(find_run(run), cache_folder()), side)
    return _measured(name)


def published_by_name(name: str) -> MachineResults:
    """The published machine of that id, whatever files the working folder holds.

    Raises UsageError where there is none.
    """
    return _with_places(published_known(name), published_machine(name))


def _measured(name: str) -> MachineResults:
    """One run, or several between commas. Raises UsageError when one is not there."""
    names = [name] if holds_run(Path(name)) else [one for one in name.split(",") if one]
    if not names or len(names) > MOST_RUNS:
        raise UsageError(f"{name!r} names no run, or more than {MOST_RUNS}", f"name {WAYS}")
    try:
        folders = [find_run(one) for one in names]
    except UsageError as error:
        raise UsageError(
            f"{error.message}, and no published machine or file of that name",
            f"{error.remedy}; `machmeter list machines` lists published machines. Name {WAYS}",
        ) from error
    results = [result_of(folder, cache_folder()) for folder in folders]
    ids = [result.header.id for result in results]
    twice = next((one for one in ids if ids.count(one) > 1), "")
    if twice:
        raise UsageError(f"run {twice} is named twice in {name!r}", "name each run once")
    return known_runs(results)


def _from_file(path: Path, tell: Tell) -> MachineResults:
    if path.suffix.lower() == ".toml":
        machine = read_machine(path)
        return _with_places(known_published(machine), machine)
    from machmeter.importing.machine import imported_known

    known, remarks = imported_known(path)
    for remark in remarks:
        tell(MachmeterError(remark))
    return known


def is_published(name: str) -> bool:
    """Whether `name` means a published machine, and no file or run of that name."""
    path = Path(name)
    return name in machine_names() and not is_file(path) and not holds_run(path)


def is_file(path: Path) -> bool:
    """Whether a name given on the command line is that of a file that is there."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _with_places(known: MachineResults, machine: PublishedMachine) -> MachineResults:
    """With what the places of each pair share, in the words of the machine's file."""

    def placed(one: Estimate) -> Estimate:
        kind = machine.kinds.get(str(dict(one.point.parameters).get("pair", "")), "")
        return replace(one, pair_relation=kind) if kind else one

    return replace(known, estimates=tuple(placed(one) for one in known.estimates))

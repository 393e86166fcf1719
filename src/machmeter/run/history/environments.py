"""What else changed between the runs on either side of a change, from the runs' own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from machmeter.machine.differences import (
    Facts,
    differences,
    launch_facts,
    machine_facts,
    toolchain_facts,
)
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.launch import Header
from machmeter.model.results.history import Change, History
from machmeter.store.files import open_regular
from machmeter.store.run_folder import RunFolder

_LONGEST_LINE = 2**20


def with_differences(history: History, folders: Mapping[str, Path]) -> History:
    """The same, where each change says what else changed between the runs on either side.

    folders: of every run, by id. Files that are gone or damaged are reported, never raised.
    """
    known: dict[str, Facts | str] = {}

    def with_name(change: Change) -> Change:
        sides = []
        for run in (change.last_run, change.first_run):
            if run not in known:
                known[run] = _facts_or_why(run, folders.get(run))
            side = known[run]
            if isinstance(side, str):
                return replace(change, unreadable=side)
            sides.append(side)
        return replace(change, differences=differences(*sides))

    return replace(
        history,
        results=tuple(
            replace(result, changes=tuple(map(with_name, result.changes)))
            for result in history.results
        ),
    )


def environment_facts(folder: RunFolder) -> Facts:
    """What may differ from run to run, by name, as the run in `folder` recorded it.

    Of an A/B run it is the candidate's, as its results are. Raises MachmeterError when its
    files cannot be read.
    """
    header = folder.header()
    launched = tuple(_launch_headers(folder))
    toolchains = tuple(dict.fromkeys(one.toolchain for one in launched if one.toolchain))
    return {
        **machine_facts(header.machine),
        **toolchain_facts(toolchains),
        **launch_facts(launched),
        "machmeter": header.version,
    }


def _facts_or_why(run: str, folder: Path | None) -> Facts | str:
    if folder is None:
        return f"the index has no folder of run {run}"
    try:
        return environment_facts(RunFolder.open(folder))
    except MachmeterError as error:
        return f"run {run} cannot be read: {error.message}"


def _launch_headers(folder: RunFolder) -> Iterator[Header]:
    """The first line of every record of the run's own side; what cannot be read is left out."""
    plan = folder.plan()
    others = {s.name for s in plan.specs} - {s.name for s in plan.own_specs} if plan else set()
    for number in folder.launch_numbers():
        outcome = folder.outcome(number) if others else None
        if outcome is not None and outcome.spec in others:
            continue
        try:
            with open_regular(folder.record_path(number)) as file:
                yield msgspec.json.decode(file.readline(_LONGEST_LINE), type=Header)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue

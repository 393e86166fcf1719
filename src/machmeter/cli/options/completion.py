"""What the shell offers when a person presses Tab."""

from __future__ import annotations

from collections.abc import Iterable

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS
from machmeter.cli.context import data_folder, run_id
from machmeter.model.errors import MachmeterError
from machmeter.store.remembered_runs import known_runs


def complete_run(incomplete: str) -> list[str]:
    """Runs whose id begins with `incomplete`, and `last`."""
    try:
        known = [run_id(folder) for folder in known_runs(data_folder())]
    except (MachmeterError, OSError):
        # A completion must never print: what is wrong is told when the command runs.
        known = []
    return _beginning(["last", *reversed(known)], incomplete)


def complete_machine(incomplete: str) -> list[str]:
    """Runs and published machines whose id begins with `incomplete`, and `last`."""
    from machmeter.published.load import machine_names

    return [*complete_run(incomplete), *_beginning(machine_names(), incomplete)]


def complete_what(incomplete: str) -> list[str]:
    """Studies, groups and benchmarks whose name begins with `incomplete`."""
    from machmeter.studies.select import STUDIES

    studies = [study.name for study in STUDIES]
    return _beginning([*studies, *GROUPS, *(b.name for b in BENCHMARKS)], incomplete)


def complete_benchmark(incomplete: str) -> list[str]:
    """Groups and benchmarks whose name begins with `incomplete`."""
    return _beginning([*GROUPS, *(b.name for b in BENCHMARKS)], incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

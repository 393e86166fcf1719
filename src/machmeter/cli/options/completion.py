"""What the shell offers when a person presses Tab."""

from __future__ import annotations

import os
from collections.abc import Iterable

from machmeter.model.errors import MachmeterError


def complete_run(incomplete: str) -> list[str]:
    """Runs whose ID begins with `incomplete`, and `last`."""
    from machmeter.store.paths import data_home
    from machmeter.store.remembered_runs import runs_by_id

    try:
        # A completion must never print: what is wrong shows when the command runs.
        known = list(runs_by_id(data_home(os.environ), lambda _: None))
    except (MachmeterError, OSError):
        known = []
    return _beginning(["last", *reversed(known)], incomplete)


def complete_machine(incomplete: str) -> list[str]:
    """Runs and published machines whose id begins with `incomplete`, and `last`."""
    from machmeter.published.load import machine_names

    return [*complete_run(incomplete), *_beginning(machine_names(), incomplete)]


def complete_what(incomplete: str) -> list[str]:
    """Studies, groups and benchmarks whose name begins with `incomplete`."""
    from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS
    from machmeter.studies.select import STUDIES

    studies = [study.name for study in STUDIES]
    return _beginning([*studies, *GROUPS, *(b.name for b in BENCHMARKS)], incomplete)


def complete_benchmark(incomplete: str) -> list[str]:
    """Groups and benchmarks whose name begins with `incomplete`."""
    from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS

    return _beginning([*GROUPS, *(b.name for b in BENCHMARKS)], incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

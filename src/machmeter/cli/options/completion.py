"""What the shell offers when a person presses Tab."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from machmeter.model.errors import MachmeterError

Offered = list[tuple[str, str]]
"""Names, each with what it is: a study and a machine may share one."""


def complete_run(incomplete: str) -> Offered:
    """Runs whose ID begins with `incomplete`, and `last`."""
    from machmeter.store.paths import data_home
    from machmeter.store.remembered_runs import runs_by_id

    try:
        # A completion must never print: what is wrong shows when the command runs.
        known = list(runs_by_id(data_home(os.environ), lambda _: None))
    except (MachmeterError, OSError):
        known = []
    last = _beginning(["last"], incomplete, "the last run")
    return [*last, *_beginning(reversed(known), incomplete, "run")]


def complete_machine(incomplete: str) -> Offered:
    """Runs and published machines whose id begins with `incomplete`, and `last`."""
    from machmeter.published.load import machine_names

    published = _beginning(machine_names(), incomplete, "published machine")
    return [*complete_run(incomplete), *published]


def complete_twin(incomplete: str) -> Offered:
    """Twins that come with machmeter whose name begins with `incomplete`."""
    from machmeter.simulation.builtin import twin_names

    return _beginning(twin_names(), incomplete, "twin")


def complete_reproducible(incomplete: str) -> Offered:
    """Studies and machines with twins whose printed figures are known."""
    from machmeter.simulation.figures.read import reproducible_names

    return _beginning(reproducible_names(), incomplete, "study or machine")


def complete_what(incomplete: str) -> Offered:
    """Studies, groups and benchmarks whose name begins with `incomplete`."""
    from machmeter.studies.select import STUDIES

    studies = _beginning((study.name for study in STUDIES), incomplete, "study")
    return [*studies, *complete_benchmark(incomplete)]


def complete_listed(incomplete: str) -> Offered:
    """Sections of `machmeter list`, studies, groups and benchmarks."""
    sections = ("benchmarks", "studies", "apps", "machines", "devices")
    return [*_beginning(sections, incomplete, "section"), *complete_what(incomplete)]


def complete_app(incomplete: str) -> Offered:
    """Applications that come with machmeter."""
    from machmeter.apps.builtin import app_names

    return _beginning(app_names(), incomplete, "application")


def complete_benchmark(incomplete: str) -> Offered:
    """Groups and benchmarks whose name begins with `incomplete`."""
    from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS

    groups = _beginning(GROUPS, incomplete, "group of benchmarks")
    return [*groups, *_beginning((b.name for b in BENCHMARKS), incomplete, "benchmark")]


def completion_of(words: Iterable[str]) -> Callable[[str], list[str]]:
    """The completion of an option that takes `words`, separated by commas."""
    known = tuple(words)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        left = (word for word in known if word.startswith(last) and word not in given)
        return [f"{before}{comma}{word}" for word in left]

    return complete


def _beginning(names: Iterable[str], incomplete: str, kind: str) -> Offered:
    return [(name, kind) for name in names if name.startswith(incomplete)]

"""One result in run after run of a machine: its values, and where they changed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.interval import HasInterval
from machmeter.model.units import SHARE, Unit


class HistoryMachine(Struct, frozen=True):
    """A machine whose runs belong together: the same name and the same CPU model."""

    name: str
    """Its name, with the flags of its runs where they have any."""
    cpu_model: str
    """Model of its CPU."""
    hosts: tuple[str, ...]
    """Host names that its runs saw: a named machine may be reached under several."""
    runs: int
    """How many there are."""
    first: str
    """When its first run started, ISO 8601."""
    last: str
    """When its last run started, ISO 8601."""


class HistoryValue(Struct, HasInterval, frozen=True):
    """A result in one run."""

    run: str
    """ID of the run."""
    started: str
    """When the run started, ISO 8601."""
    value: float
    """In the base unit."""
    low: float
    """Lower end of its 95 % interval over that run's launches."""
    high: float
    """Upper end of its 95 % interval over that run's launches."""
    launches: int
    """Launches of that run."""


class ChangeKind(StrEnum):
    """What a change of level means.

    SMALL: real, and within the threshold; UNCONFIRMED: too few runs since to tell a new level from
    a bad night.
    """

    WORSE = "worse"
    BETTER = "better"
    SMALL = "small"
    UNCONFIRMED = "unconfirmed"


class LevelChange(Struct, HasInterval, frozen=True):
    """From one level to another."""

    before: float
    """The level before, in the base unit (geometric mean; arithmetic of shares)."""
    after: float
    """The level after, in the base unit (geometric mean; arithmetic of shares)."""
    by: float
    """A ratio turned so that above 1 is better; of shares, points won (1 = 100 points, below 0 is
    worse)."""
    low: float
    """Lower end of its 95 % interval over runs."""
    high: float
    """Upper end of its 95 % interval over runs."""
    p_value: float
    """Of such a step where there is none."""


class EnvironmentDifference(Struct, frozen=True):
    """What was one thing in the run before a change and another in the run after it."""

    what: str
    """What differs."""
    before: str
    """What it was; of a list (flags, CPU features), what only the earlier run has."""
    after: str
    """What it is; of a list, what only the later run has."""


class Change(Struct, frozen=True):
    """A change of level between two runs that follow one another."""

    kind: ChangeKind
    """What it means."""
    first_run: str
    """The first run on the new level."""
    started: str
    """When that run started, ISO 8601."""
    last_run: str
    """The last run on the old level."""
    runs_before: int
    """Runs on the old level."""
    runs_after: int
    """Runs on the new level."""
    step: LevelChange
    """From the old level to the new one."""
    stands: bool = False
    """Whether the latest level is still worse than the one before this change."""
    since: LevelChange | None = None
    """From the level before this change to the latest one, where it stands; null otherwise."""
    differences: tuple[EnvironmentDifference, ...] = ()
    """What else changed between the two runs; empty where nothing that is recorded did."""
    unreadable: str = ""
    """Why that cannot be said; empty where it can."""


class ResultHistory(Struct, frozen=True):
    """One result of one machine over its runs, the oldest first."""

    machine: int
    """Its position among the machines."""
    benchmark: str
    """Name of the benchmark."""
    point: str
    """Key of its point, as `Point.key` writes it."""
    metric: str
    """Name of the metric."""
    title: str
    """What the metric is called."""
    unit: Unit
    """Unit of its values."""
    direction: Direction
    """Whether higher or lower is better."""
    values: tuple[HistoryValue, ...]
    """Its value in each run."""
    mpi_library: str = ""
    """Family and version of the MPI library that it is a result of; empty where it is of none."""
    changes: tuple[Change, ...] = ()
    """Where its level changed."""
    runs_needed: int = 0
    """How many more runs are needed before changes are looked for (0: none)."""
    finds: float = 0.0
    """The smallest change, as a share of the value (of shares, in points), that a few more runs
    would show (0: not known yet)."""
    without_value: int = 0
    """Runs in which it has no number above zero to compare."""

    @property
    def regressed(self) -> bool:
        """Whether it became worse and has not recovered."""
        return any(change.stands for change in self.changes)

    @property
    def suspected(self) -> bool:
        """Whether its latest runs look worse and are too few to tell."""
        return any(
            change.kind is ChangeKind.UNCONFIRMED and _worse(change.step, self.unit)
            for change in self.changes
        )


class HistoryRules(Struct, frozen=True):
    """What counts as a change."""

    threshold: float
    """Smallest change that matters, as a share (of shares, in points)."""
    confirm: int
    """Runs that confirm a new level."""
    least_runs: int
    """Runs below which no change is looked for."""
    p_value: float
    """Of a change of one result where there is none, as required of Otava: the bound for all
    results tested together, divided by their number."""


class History(Struct, frozen=True):
    """What `machmeter history` finds."""

    machines: tuple[HistoryMachine, ...]
    """Every machine with runs."""
    results: tuple[ResultHistory, ...]
    """Results by machine, in the order of their points."""
    rules: HistoryRules
    """What counts as a change."""
    regressions: int
    """Results that are worse and have not recovered."""
    suspicions: int
    """Results whose latest runs look worse and are too few to decide."""
    unknown: int = 0
    """Series of values whose benchmark, metric or unit this version does not know."""
    unindexed: int = 0
    """Finished runs that the index does not hold."""


def _worse(step: LevelChange, unit: Unit) -> bool:
    return step.by < (0.0 if unit == SHARE else 1.0)

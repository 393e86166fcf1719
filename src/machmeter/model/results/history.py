"""One figure in run after run of a machine: its values, and where they changed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Direction
from machmeter.model.units import SHARE, Unit


class HistoryMachine(Struct, frozen=True):
    """A machine whose runs belong together: the same name and the same CPU model.

    hosts: the host names that its runs saw (a named machine may be reached under several); first
    and last are the times at which its first and its last run started, ISO 8601.
    """

    name: str
    cpu_model: str
    hosts: tuple[str, ...]
    runs: int
    first: str
    last: str


class HistoryValue(Struct, frozen=True):
    """A figure in one run, with its 95 % interval over that run's launches, in the base unit."""

    run: str
    started: str
    value: float
    low: float
    high: float
    launches: int


class ChangeKind(StrEnum):
    """What a change of level means.

    SMALL: real, and within the threshold; UNCONFIRMED: too few runs since to tell a new level from
    a bad night.
    """

    WORSE = "worse"
    BETTER = "better"
    SMALL = "small"
    UNCONFIRMED = "unconfirmed"


class LevelChange(Struct, frozen=True):
    """From one level to another: `by` how much better, with its 95 % interval over runs.

    before, after: the levels in the base unit (geometric means; arithmetic ones of shares); by: of
    a share, points that were won (1 = 100 points, below 0 is worse), else a ratio turned so that
    above 1 is better; p_value: of such a step where there is none.
    """

    before: float
    after: float
    by: float
    low: float
    high: float
    p_value: float


class EnvironmentDifference(Struct, frozen=True):
    """What was one thing in the run before a change and another in the run after it.

    Of what is a list of words (flags, CPU features), the words that only one of them has.
    """

    what: str
    before: str
    after: str


class Change(Struct, frozen=True):
    """A change of level between two runs that follow one another.

    first_run: the first one on the new level, which started at `started`; last_run: the last one
    on the old level; runs_before, runs_after: on either level; stands: of what became worse, that
    the latest level is still worse than the one before this change, by `since` (None otherwise);
    differences: what else changed between the two runs, empty where nothing that is recorded did;
    unreadable: why that cannot be said.
    """

    kind: ChangeKind
    first_run: str
    started: str
    last_run: str
    runs_before: int
    runs_after: int
    step: LevelChange
    stands: bool = False
    since: LevelChange | None = None
    differences: tuple[EnvironmentDifference, ...] = ()
    unreadable: str = ""


class ResultHistory(Struct, frozen=True):
    """One figure of one machine over its runs, the oldest first.

    machine: its position among the machines; point: its key, as `Point.key` writes it; runs_needed:
    how many more runs are needed before changes are looked for (0 = they were); finds: the smallest
    change, as a share of the value (of shares, in points), that a few more runs would show (0 =
    not known yet); without_value: runs in which it has no number above zero to compare.
    """

    machine: int
    benchmark: str
    point: str
    metric: str
    title: str
    unit: Unit
    direction: Direction
    values: tuple[HistoryValue, ...]
    changes: tuple[Change, ...] = ()
    runs_needed: int = 0
    finds: float = 0.0
    without_value: int = 0

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
    """What counts as a change.

    threshold: smallest change that matters, as a share (of shares, in points); confirm: runs that
    a level needs before it is believed; least_runs: runs below which no change is looked for;
    p_value: of a change of one result where there is none, as requested of Otava: the bound for all
    figures that are looked at together, divided by their number.
    """

    threshold: float
    confirm: int
    least_runs: int
    p_value: float


class History(Struct, frozen=True):
    """What `machmeter history` finds.

    figures: by machine, in the order of their points; unknown: how many
    series of values belong to benchmarks, metrics or units that this version does not know;
    unindexed: finished runs that the index does not hold.
    """

    machines: tuple[HistoryMachine, ...]
    figures: tuple[ResultHistory, ...]
    rules: HistoryRules
    regressions: int
    suspicions: int
    unknown: int = 0
    unindexed: int = 0


def _worse(step: LevelChange, unit: Unit) -> bool:
    return step.by < (0.0 if unit == SHARE else 1.0)

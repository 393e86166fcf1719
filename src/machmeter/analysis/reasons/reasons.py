"""What is behind a change of a phase: rules over measured phases, imbalance and messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.reasons.parts import PartChange, part_changes
from machmeter.analysis.stats.comparison import MARGIN_OF_SHARES, Difference, holm
from machmeter.model.layout import Layout
from machmeter.model.plan.question import CountedParts, Phase
from machmeter.model.results.estimate import Estimate

_SIGNIFICANCE = 0.05


class Cause(StrEnum):
    """What may make a phase longer or shorter, given what else differs."""

    LATENCY_HIDDEN = "latency hidden by the second hardware thread"
    CORES_CEDED = "cores ceded by ranks that idle"
    SMT_CONTENTION = "contention of two hardware threads of a core"
    MORE_WAITING = "more waiting for the busiest rank"
    LESS_WAITING = "less waiting for the busiest rank"
    MORE_MESSAGES = "more messages"
    FEWER_MESSAGES = "fewer messages"
    MORE_RANKS = "more ranks that take part"
    FEWER_RANKS = "fewer ranks that take part"
    SHARED_DATA = "data shared by threads"
    THREAD_SYNCHRONIZATION = "threads that wait for each other"
    ONE_COMMUNICATES = "one thread that communicates while others wait"
    FEWER_CORES = "fewer cores that compute"
    LESS_CONTENTION = "less contention or interruption of the other cores"
    FREE_CORE = "a free core that serves communication and the system"


class Reason(Struct, frozen=True):
    """A phase that changed, and what that is consistent with."""

    part: Phase
    """The phase."""
    saved: Difference
    """As of `PartChange`, its p value adjusted for everything that is explained with it."""
    cause: Cause | None = None
    """What is behind it; None where nothing here says it."""
    messages: tuple[float, float] | None = None
    """Messages of an event of the baseline and of the candidate, where the cause rests on them."""


class ComparedLayouts(Struct, frozen=True):
    """Two layouts to explain the difference of, with what was counted of each."""

    candidate: Estimate
    """Its result."""
    baseline: Estimate
    """Its result."""
    changes: tuple[PartChange, ...]
    """Of all phases."""
    messages: tuple[float, float] | None
    """With neighbors, in an event of the baseline and of the candidate; None where nobody counted
    them."""
    idle: tuple[float, float]
    """Of each, what of the computing of the busiest rank the mean one lacks: the lower end."""
    waiting: float
    """By how much the mean rank waits less for the busiest one, as a share of the baseline's
    time."""


def pair_of(
    candidate: Estimate, baseline: Estimate, pool: Sequence[Estimate], counted: CountedParts
) -> ComparedLayouts:
    """What there is to explain of two layouts. pool: as of `part_changes`."""
    changes = part_changes(candidate, baseline, pool, counted)
    both = (baseline, candidate)
    of_messages = [_found(one, pool, counted.messages) for one in both]
    numbers = [one.value if one else 0.0 for one in of_messages]
    # One rank sends none; otherwise a count that is missing was not made.
    known = any(of_messages) and all(
        found or one.point.layout.ranks == 1 for found, one in zip(of_messages, both, strict=True)
    )
    imbalance = [_found(one, pool, counted.imbalance) for one in both]
    computing = next((one for one in changes if one.part is Phase.COMPUTE), None)
    waiting = 0.0
    if computing is not None:
        spent = (computing.before, computing.before - computing.saved.value)
        lost = [
            time * one.value / (1 - one.value) if one and one.value < 1 else 0.0
            for time, one in zip(spent, imbalance, strict=True)
        ]
        waiting = lost[0] - lost[1]
    return ComparedLayouts(
        candidate,
        baseline,
        changes,
        (numbers[0], numbers[1]) if known else None,
        (imbalance[0].low if imbalance[0] else 0.0, imbalance[1].low if imbalance[1] else 0.0),
        waiting,
    )


def reasons_of(pairs: Sequence[ComparedLayouts]) -> list[tuple[Reason, ...]]:
    """Of each pair the phases that are shown to have changed, the largest first, with their causes.

    Shown is a change whose whole interval is above 2 points, and whose p value, adjusted for all
    phases of all pairs (Holm), is at most 0.05. A cause is named only where exactly one of hardware
    threads of a core, threads of a rank and reserved cores differs, so that nothing else is behind
    the change, and where what was counted allows it: messages or ranks that explain it change by at
    least half as much as the phase does.
    """
    p_values = [change.saved.p_value for pair in pairs for change in pair.changes]
    adjusted = iter(holm(p_values))
    found = []
    for pair in pairs:
        changes = [
            PartChange(one.part, one.before, one.saved._replace(p_value=next(adjusted)))
            for one in pair.changes
        ]
        shown = sorted(filter(_is_shown, changes), key=lambda one: -abs(one.saved.value))
        found.append(tuple(_reason(_Case(pair, change)) for change in shown))
    return found


class _Case(Struct, frozen=True):
    """One change, and what a rule may look at."""

    pair: ComparedLayouts
    change: PartChange

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """Of the candidate and of the baseline."""
        return self.pair.candidate.point.layout, self.pair.baseline.point.layout

    @property
    def differs(self) -> str:
        """The only field that is higher of the candidate; empty for none, or more than one."""
        a, b = self.layouts
        names = [name for name in _FIELDS if getattr(a, name) != getattr(b, name)]
        higher = len(names) == 1 and getattr(a, names[0]) > getattr(b, names[0])
        return names[0] if higher else ""

    @property
    def by_messages(self) -> bool:
        """Whether the messages change as the phase does, by half as much at least."""
        return self.pair.messages is not None and self._follows(*self.pair.messages)

    @property
    def by_ranks(self) -> bool:
        """Whether the ranks do."""
        candidate, baseline = self.layouts
        return self._follows(baseline.ranks, candidate.ranks)

    @property
    def ranks_fall(self) -> bool:
        """Whether the candidate has fewer ranks."""
        candidate, baseline = self.layouts
        return candidate.ranks < baseline.ranks

    @property
    def by_waiting(self) -> bool:
        """Whether waiting for the busiest rank does."""
        return self.pair.waiting / self.change.saved.value >= _EXPLAINED

    @property
    def ranks_idle(self) -> bool:
        """Whether a core is as often left to one of two ranks as both are busy."""
        return min(self.pair.idle) >= _IDLE

    def _follows(self, before: float, after: float) -> bool:
        """Whether a count falls, of a phase that is saved, or rises, of one that is lost."""
        saved = self.change.saved.value / self.change.before if self.change.before else 0.0
        fall = 1 - after / before if before else 0.0
        return fall * saved > 0 and abs(fall) >= _EXPLAINED * abs(saved)


class _Rule(Struct, frozen=True):
    """A cause, the field of the layout that is higher, the phase, whether it is saved, and more."""

    cause: Cause
    field: str
    part: Phase
    saves: bool
    holds: Callable[[_Case], bool] = lambda _: True


_SMT, _THREADS, _RESERVED = _FIELDS = ("smt", "threads_per_rank", "reserved_cores")
_COMPUTE, _HALO, _COLLECTIVE = Phase.COMPUTE, Phase.HALO, Phase.COLLECTIVE
_EXPLAINED = 0.5
# With ranks busy 2/3 of the time two of them share a core 4/9 of it, and one has it 4/9.
_IDLE = 1 / 3
# Of the first that holds.
_RULES = (
    _Rule(Cause.CORES_CEDED, _SMT, _COMPUTE, True, lambda case: case.ranks_idle),
    _Rule(Cause.LATENCY_HIDDEN, _SMT, _COMPUTE, True),
    _Rule(Cause.SMT_CONTENTION, _SMT, _COMPUTE, False),
    _Rule(Cause.MORE_MESSAGES, _SMT, _HALO, False, lambda case: case.by_messages),
    _Rule(Cause.MORE_RANKS, _SMT, _COLLECTIVE, False, lambda case: case.by_ranks),
    _Rule(Cause.SHARED_DATA, _THREADS, _COMPUTE, True),
    _Rule(Cause.THREAD_SYNCHRONIZATION, _THREADS, _COMPUTE, False),
    _Rule(Cause.FEWER_MESSAGES, _THREADS, _HALO, True, lambda case: case.by_messages),
    _Rule(Cause.ONE_COMMUNICATES, _THREADS, _HALO, False),
    _Rule(Cause.FEWER_RANKS, _THREADS, _COLLECTIVE, True, lambda case: case.by_ranks),
    _Rule(Cause.ONE_COMMUNICATES, _THREADS, _COLLECTIVE, False),
    _Rule(Cause.FEWER_CORES, _RESERVED, _COMPUTE, False, lambda case: case.ranks_fall),
    _Rule(Cause.LESS_CONTENTION, _RESERVED, _COMPUTE, True),
    _Rule(Cause.FEWER_MESSAGES, _RESERVED, _HALO, True, lambda case: case.by_messages),
    _Rule(Cause.FREE_CORE, _RESERVED, _HALO, True, lambda case: case.pair.messages is not None),
    _Rule(Cause.FEWER_RANKS, _RESERVED, _COLLECTIVE, True, lambda case: case.by_ranks),
    _Rule(Cause.FREE_CORE, _RESERVED, _COLLECTIVE, True),
)
_OF_MESSAGES = (Cause.MORE_MESSAGES, Cause.FEWER_MESSAGES)


def _reason(case: _Case) -> Reason:
    part, saved = case.change.part, case.change.saved
    saves = saved.value > 0
    if case.differs and part in {_HALO, _COLLECTIVE} and case.by_waiting:
        return Reason(part, saved, Cause.LESS_WAITING if saves else Cause.MORE_WAITING)
    for rule in _RULES:
        if (rule.field, rule.part, rule.saves) == (case.differs, part, saves) and rule.holds(case):
            messages = case.pair.messages if rule.cause in _OF_MESSAGES else None
            return Reason(part, saved, rule.cause, messages)
    return Reason(part, saved)


def _is_shown(change: PartChange) -> bool:
    saved = change.saved
    beyond = saved.low > MARGIN_OF_SHARES or saved.high < -MARGIN_OF_SHARES
    return beyond and saved.p_value <= _SIGNIFICANCE


def _found(of: Estimate, pool: Sequence[Estimate], metric: str) -> Estimate | None:
    """Another metric of the same point; None where it was not recorded, as it is where it is 0."""
    return next((one for one in pool if one.point == of.point and one.metric == metric), None)

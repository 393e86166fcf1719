"""What is behind a change of a part of the time: rules over measured parts and counted messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from machmeter.analysis.reasons.parts import PartChange, part_changes
from machmeter.analysis.stats.comparison import Difference
from machmeter.model.layout import Layout
from machmeter.model.plan.question import CountedParts, Phase
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate


class Cause(StrEnum):
    """What makes a part of the time longer or shorter, given what else differs."""

    LATENCY_HIDDEN = "latency hidden by the second hardware thread"
    SMT_CONTENTION = "contention of two hardware threads of a core"
    CORES_CEDED = "cores ceded by ranks that wait"
    MORE_MESSAGES = "more messages"
    FEWER_MESSAGES = "fewer messages"
    MORE_RANKS = "more ranks take part"
    COLLECTIVES_INSIDE = "fewer ranks take part"
    SHARED_DATA = "data shared by threads"
    THREAD_SYNCHRONIZATION = "threads wait for each other"
    ONE_COMMUNICATES = "one thread communicates while others wait"
    FEWER_CORES = "fewer cores compute"
    LESS_CONTENTION = "less contention or interruption of the other cores"
    PROGRESS_CORE = "communication served by the free core"


class Reason(Struct, frozen=True):
    """A part of the time that changed, and why."""

    part: Phase
    """The part."""
    saved: Difference
    """As of `PartChange`."""
    cause: Cause | None = None
    """What is behind it; None where nothing here says it."""
    messages: tuple[float, float] | None = None
    """Messages of an event of the baseline and of the candidate, where the cause rests on them."""


class _Case(Struct, frozen=True):
    """What a rule may look at."""

    candidate: Layout
    baseline: Layout
    messages: tuple[float, float]
    """Of the baseline and of the candidate."""
    change: PartChange
    idle: float
    """What of the ranks' computing time the candidate's idle ones lack: the lower end of its
    imbalance."""

    @property
    def ranks_rise(self) -> bool:
        """Whether the candidate has more ranks."""
        return self.candidate.ranks > self.baseline.ranks

    @property
    def ranks_fall(self) -> bool:
        """Whether the candidate has fewer ranks."""
        return self.candidate.ranks < self.baseline.ranks

    @property
    def messages_rise(self) -> bool:
        """Whether the candidate sends more."""
        return self.messages[1] > self.messages[0]

    @property
    def messages_fall(self) -> bool:
        """Whether the candidate sends fewer."""
        return self.messages[1] < self.messages[0]

    @property
    def beyond_messages(self) -> bool:
        """Whether the part falls by more than the messages do."""
        before, after = self.messages
        fewer = 1 - after / before if before else 0.0
        return self.change.saved.low > self.change.before * fewer

    @property
    def beyond_ranks(self) -> bool:
        """Whether the part falls by more than the ranks do."""
        fewer = 1 - self.candidate.ranks / self.baseline.ranks
        return self.change.saved.low > self.change.before * fewer


class _Rule(Struct, frozen=True):
    """A cause, the field of the layout that is higher, the part, whether it is saved, and more."""

    cause: Cause
    field: str
    part: Phase
    saves: bool
    holds: Callable[[_Case], bool] = lambda _: True
    by_messages: bool = False


_SMT, _THREADS, _RESERVED = _FIELDS = ("smt", "threads_per_rank", "reserved_cores")
# From this imbalance on a core is as often left to one rank as two ranks share it, or nearly.
_IDLE = 0.2
_COMPUTE, _HALO, _COLLECTIVE = Phase.COMPUTE, Phase.HALO, Phase.COLLECTIVE
# Of the first that holds. A communicating rank's time is mostly waiting for another one: with twice
# as many ranks a node it falls only if waiting costs less, since no fewer take part.
_RULES = (
    _Rule(Cause.CORES_CEDED, _SMT, _COMPUTE, True, lambda case: case.idle >= _IDLE),
    _Rule(Cause.LATENCY_HIDDEN, _SMT, _COMPUTE, True),
    _Rule(Cause.SMT_CONTENTION, _SMT, _COMPUTE, False),
    _Rule(Cause.CORES_CEDED, _SMT, _HALO, True, lambda case: not case.messages_fall, True),
    _Rule(Cause.CORES_CEDED, _SMT, _COLLECTIVE, True, lambda case: not case.ranks_fall),
    _Rule(Cause.MORE_MESSAGES, _SMT, _HALO, False, lambda case: case.messages_rise, True),
    _Rule(Cause.MORE_RANKS, _SMT, _COLLECTIVE, False, lambda case: case.ranks_rise),
    _Rule(Cause.SHARED_DATA, _THREADS, _COMPUTE, True),
    _Rule(Cause.THREAD_SYNCHRONIZATION, _THREADS, _COMPUTE, False),
    _Rule(Cause.FEWER_MESSAGES, _THREADS, _HALO, True, lambda case: case.messages_fall, True),
    _Rule(Cause.ONE_COMMUNICATES, _THREADS, _HALO, False),
    _Rule(Cause.COLLECTIVES_INSIDE, _THREADS, _COLLECTIVE, True, lambda case: case.ranks_fall),
    _Rule(Cause.ONE_COMMUNICATES, _THREADS, _COLLECTIVE, False),
    _Rule(Cause.FEWER_CORES, _RESERVED, _COMPUTE, False, lambda case: case.ranks_fall),
    _Rule(Cause.LESS_CONTENTION, _RESERVED, _COMPUTE, True),
    _Rule(Cause.PROGRESS_CORE, _RESERVED, _HALO, True, lambda case: case.beyond_messages, True),
    _Rule(Cause.FEWER_MESSAGES, _RESERVED, _HALO, True, lambda case: case.messages_fall, True),
    _Rule(Cause.PROGRESS_CORE, _RESERVED, _COLLECTIVE, True, lambda case: case.beyond_ranks),
    _Rule(Cause.COLLECTIVES_INSIDE, _RESERVED, _COLLECTIVE, True, lambda case: case.ranks_fall),
)


def reasons_of(
    candidate: Estimate, baseline: Estimate, pool: Sequence[Estimate], counted: CountedParts
) -> tuple[Reason, ...]:
    """The parts of the time that are shown to have changed, the largest first, each with its cause.

    A cause is named only where exactly one of hardware threads of a core, threads of a rank and
    reserved cores differs, so that nothing else is behind the change, and where the counted
    messages and ranks allow it. pool: as of `part_changes`.
    """
    layouts = (candidate.point.layout, baseline.point.layout)
    differ = [name for name in _FIELDS if getattr(layouts[0], name) != getattr(layouts[1], name)]
    higher = bool(differ) and getattr(layouts[0], differ[0]) > getattr(layouts[1], differ[0])
    only = differ[0] if len(differ) == 1 and higher else ""
    before, after = (_found(one, pool, counted.messages) for one in (baseline, candidate))
    messages = (before.value if before else 0.0, after.value if after else 0.0)
    imbalance = _found(candidate, pool, counted.imbalance)
    idle = imbalance.low if imbalance else 0.0
    shown = [one for one in part_changes(candidate, baseline, pool, counted) if _is_shown(one)]
    shown.sort(key=lambda one: -abs(one.saved.value))
    return tuple(_reason(only, _Case(*layouts, messages, change, idle)) for change in shown)


def _reason(differs: str, case: _Case) -> Reason:
    part, saved = case.change.part, case.change.saved
    for rule in _RULES:
        wanted = (rule.field, rule.part, rule.saves)
        if wanted == (differs, part, saved.value > 0) and rule.holds(case):
            return Reason(part, saved, rule.cause, case.messages if rule.by_messages else None)
    return Reason(part, saved)


def _is_shown(change: PartChange) -> bool:
    return change.saved.verdict in {ComparisonVerdict.FASTER, ComparisonVerdict.SLOWER}


def _found(of: Estimate, pool: Sequence[Estimate], metric: str) -> Estimate | None:
    """Another metric of the same point; None where it was not recorded, as it is where it is 0."""
    return next((one for one in pool if one.point == of.point and one.metric == metric), None)

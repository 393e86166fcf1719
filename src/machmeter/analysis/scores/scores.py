"""One number for many codes, never without them: SPEC-like, SSP, SSI and throughput.

Every score is a weighted geometric mean of its components. Its uncertainty has two parts that are
kept apart. *Measurement*: how far the components themselves are known, whose launches may become
slower together (`analysis.scores.rounds`); a component as printed has no interval, and then the
score has none. *Workload*: how far the score would move had other codes of the kind been chosen,
by Student's t over the logs of the components.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from machmeter.analysis.scores.rounds import MeanError, Side, error_of_mean
from machmeter.analysis.stats.comparison import combine_log_ratios
from machmeter.analysis.stats.student import bounded_exp, student_quantile
from machmeter.model.interval import HasInterval
from machmeter.model.units import UNBOUNDED


class ScoreKind(StrEnum):
    """The scores there are."""

    SPEC = "spec"
    SSP = "ssp"
    SSI = "ssi"
    THROUGHPUT = "throughput"


class Component(Struct, frozen=True):
    """What one code adds to a score."""

    name: str
    """Name of the code."""
    value: float
    """A ratio to the reference machine (above 1 is better); for SSP a rate, flop/s of one node."""
    log_variance: float = 0.0
    """Squared standard error of its log."""
    degrees: float = 1.0
    """Degrees of freedom of `log_variance`."""
    as_printed: bool = False
    """Whether a result in it has no interval, so that neither has the value."""
    weight: float = 1.0
    """Of this code among the others."""
    parts: str = ""
    """What the value is made of, as text."""
    sources: tuple[str, ...] = ()
    """Who printed its results, or which runs measured them."""
    by_round: tuple[Side, ...] = ()
    """Of each machine that enters it: the logs of its results in each round, the higher the better;
    of results measured in turn those of their ratios."""


class ScoreOrder(Struct, HasInterval, frozen=True):
    """The score of a machine over that of the first one, with its 95 % interval."""

    first: str
    """ID of the machine that it is compared with."""
    ratio: float
    """The score over that machine's."""
    low: float
    """Lower end of the interval; 0 where a component of either is as printed."""
    high: float
    """Upper end of the interval; unbounded where a component of either is as printed."""

    @property
    def resolved(self) -> bool:
        """Whether it is known which of the two is higher."""
        return self.low > 1 or self.high < 1


class Score(Struct, HasInterval, frozen=True):
    """A score with its components and both its 95 % intervals."""

    kind: ScoreKind
    """How it is made."""
    machine: str
    """ID of the machine."""
    reference: str
    """ID of the machine it is compared with."""
    value: float
    """The score."""
    low: float
    """Lower end of the interval from the components' uncertainty; unbounded where one is as
    printed."""
    high: float
    """Upper end of the interval from the components' uncertainty; unbounded where one is as
    printed."""
    workload_low: float
    """Lower end of the interval from the differences between codes; unbounded for fewer than
    two."""
    workload_high: float
    """Upper end of the interval from the differences between codes; unbounded for fewer than
    two."""
    components: tuple[Component, ...]
    """Each code."""
    adjusted: bool = False
    """Whether it is over common codes only."""
    missing: tuple[str, ...] = ()
    """Codes of the reference that the machine lacks."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Codes that do not fit one of the machines, and why: by a rule without any ratio."""
    fitting: bool = False
    """Whether codes were left out by that rule, where any had to be."""
    code_set: str = ""
    """The set of codes that it is over, with its version; empty where it is over all in common."""
    as_printed: bool = False
    """Whether a component has no interval."""
    doubts: tuple[str, ...] = ()
    """Where a component goes against the score's own rules."""
    log_variance: float = 0.0
    """Squared standard error of its log, of the measurement."""
    degrees: float = 1.0
    """Degrees of freedom of `log_variance`."""
    order: ScoreOrder | None = None
    """Which is higher, this or that of the first machine; null for the first, and where the score
    is a ratio."""


class ScoreUse(Struct, frozen=True):
    """What a job uses of a machine: `used` nodes (or cores) of the `available` ones."""

    used: float
    """Nodes or cores that the result uses."""
    available: float
    """Nodes or cores of the machine."""


def geometric_score(  # noqa: PLR0913 - a score carries whose it is, and of what
    kind: ScoreKind,
    components: Sequence[Component],
    *,
    machine: str,
    reference: str = "",
    missing: Sequence[str] = (),
    adjusted: bool = False,
    factor: float = 1.0,
    doubts: Sequence[str] = (),
    left_out: Mapping[str, str] | None = None,
    code_set: str = "",
) -> Score:
    """`factor` times the weighted geometric mean of the components.

    For ratios to a reference machine that is SPEC's mean (SPEC CPU and OMP run rules; Fleming,
    Wallace, CACM 29, 1986: the only mean that does not depend on the reference).
    missing: codes that the reference has and the machine lacks; left_out: codes that are not among
    the components, each with the reason; code_set: whose codes they are. Raises ValueError without
    components, for one that is not above 0, and where codes are missing unless it is adjusted.
    """
    _refuse_senseless(components, () if adjusted else missing)
    weights = _normal([one.weight for one in components])
    logs = [math.log(one.value) for one in components]
    center = math.fsum(w * x for w, x in zip(weights, logs, strict=True))
    known = _error(components, weights)
    half = student_quantile(known.degrees) * math.sqrt(known.variance)
    printed = any(one.as_printed for one in components)
    low, high = _workload(logs, weights)
    return Score(
        kind=kind,
        machine=machine,
        reference=reference,
        value=factor * bounded_exp(center),
        low=0.0 if printed else factor * bounded_exp(center - half),
        high=UNBOUNDED if printed else _times(factor, bounded_exp(center + half)),
        workload_low=factor * low,
        workload_high=_times(factor, high),
        components=tuple(components),
        adjusted=adjusted,
        missing=tuple(missing),
        as_printed=printed,
        doubts=tuple(doubts),
        left_out=dict(left_out or {}),
        fitting=left_out is not None,
        code_set=code_set,
        log_variance=known.variance,
        degrees=known.degrees,
    )


def in_order(score: Score, first: Score) -> Score:
    """The score with its ratio to that of the first machine, which was measured by itself."""
    ratio = combine_log_ratios(
        [math.log(score.value), math.log(first.value)],
        [score.log_variance, first.log_variance],
        [score.degrees, first.degrees],
        (1.0, -1.0),
    )
    printed = score.as_printed or first.as_printed
    low, high = (0.0, UNBOUNDED) if printed else (ratio.low, ratio.high)
    return replace(score, order=ScoreOrder(first.machine, ratio.value, low, high))


def _error(components: Sequence[Component], weights: Sequence[float]) -> MeanError:
    """Of the weighted mean of the logs of all components."""
    apart = [MeanError(one.log_variance, one.degrees) for one in components]
    return error_of_mean([one.by_round for one in components], weights, apart)


def _refuse_senseless(components: Sequence[Component], missing: Sequence[str]) -> None:
    if not components:
        raise ValueError("a score needs at least one component")
    if missing:
        raise ValueError(f"no base score without {', '.join(missing)}")
    if any(not (one.value > 0 and one.weight > 0) for one in components):
        raise ValueError("components and their weights must be above 0")


def ssp_rate(flops: float, seconds: float, nodes: float) -> float:
    """Flop/s of one node: reference operations over time and nodes used.

    The reference count is of one system, fixed beforehand, whatever a machine executes (NERSC,
    *Trinity / NERSC-8 benchmarks*, SSP; Kramer, Shalf, Strohmaier, *The NERSC Sustained System
    Performance Metric*, LBNL-58868, 2005). Raises ValueError unless all are above 0.
    """
    if not (flops > 0 and seconds > 0 and nodes > 0):
        raise ValueError(f"SSP takes numbers above 0, got {flops}, {seconds} s, {nodes} nodes")
    return flops / (seconds * nodes)


def ssp(
    rates: Sequence[Component],
    available: float,
    machine: str,
    *,
    missing: Sequence[str] = (),
    adjusted: bool = False,
    doubts: Sequence[str] = (),
) -> Score:
    """Sustained System Performance, flop/s: nodes of the system times the geometric mean of rates.

    available: nodes of the whole system where the rates are of one node, or cores where they are
    of one core. Source as of `ssp_rate`. Raises ValueError as `geometric_score` does.
    """
    if not available > 0:
        raise ValueError(f"SSP needs the size of the whole system, got {available}")
    return geometric_score(
        ScoreKind.SSP,
        rates,
        machine=machine,
        missing=missing,
        adjusted=adjusted,
        factor=available,
        doubts=doubts,
    )


def utilization(reference: ScoreUse, machine: ScoreUse) -> float:
    """How many more such jobs the machine holds at once than the reference does.

    `(n_ref / n) x (N / N_ref)` of nodes used n and available N (NERSC, *APEX benchmarks*, SSI).
    Raises ValueError unless all are above 0.
    """
    numbers = (reference.used, reference.available, machine.used, machine.available)
    if any(not number > 0 for number in numbers):
        raise ValueError(f"nodes used and available must be above 0, got {numbers}")
    return (reference.used / machine.used) * (machine.available / reference.available)


def ssi_components(
    speedups: Sequence[Component],
    uses: Mapping[str, tuple[ScoreUse, ScoreUse]],
    capability: Mapping[str, float] | None = None,
) -> tuple[Component, ...]:
    """The terms of Scalable System Improvement: capability x utilization x speedup.

    speedups: time of the reference over time of the machine (or the inverse of rates), by code;
    uses: of the reference and of the machine; capability: how many times larger a problem the
    machine solved, 1 where it is left out. SSI is their weighted geometric mean (NERSC, *APEX
    benchmarks*, SSI). Raises ValueError as `utilization` does.
    """
    larger = capability or {}
    found = []
    for one in speedups:
        held = utilization(*uses[one.name])
        size = larger.get(one.name, 1.0)
        larger_text = f"capability {size:g} x " * (size != 1)
        words = f"{larger_text}utilization {held:.3g} x speedup {one.value:.3g}"
        found.append(replace(one, value=size * held * one.value, parts=words))
    return tuple(found)


def too_slow_for_ssi(speedups: Sequence[Component]) -> tuple[str, ...]:
    """What SSI's own rule is broken by: each speedup must be at least 1."""
    return tuple(
        f"{one.name}: speedup {one.value:.3g}, and SSI asks for at least 1"
        for one in speedups
        if one.value < 1
    )


def throughput_components(
    speedups: Sequence[Component], uses: Mapping[str, tuple[ScoreUse, ScoreUse]]
) -> tuple[Component, ...]:
    """Jobs that end in an hour when copies of one fill the machine, over those of the reference.

    Utilization times speedup, with no problem larger than the reference's. Raises ValueError as
    `utilization` does.
    """
    found = []
    for one in speedups:
        held = utilization(*uses[one.name])
        words = f"utilization {held:.3g} x speedup {one.value:.3g}"
        found.append(replace(one, value=held * one.value, parts=words))
    return tuple(found)


def component_bounds(one: Component) -> tuple[float, float]:
    """The 95 % interval of a component; 0 and unbounded where it is as printed."""
    if one.as_printed:
        return 0.0, UNBOUNDED
    known = combine_log_ratios([math.log(one.value)], [one.log_variance], [one.degrees], [1.0])
    return known.low, known.high


def _workload(logs: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Bounds of the mean as codes scatter; weights sum to 1.

    With unequal weights as many codes count as `1 / sum of squared weights` (Kish, *Survey
    Sampling*, 1965); with equal ones this is Student's t over the logs.
    """
    center = math.fsum(w * x for w, x in zip(weights, logs, strict=True))
    squares = math.fsum(w * w for w in weights)
    freedom = 1 / squares - 1
    if len(logs) < 2 or freedom <= 0:
        return 0.0, UNBOUNDED
    spread = math.fsum(w * (x - center) ** 2 for w, x in zip(weights, logs, strict=True))
    error = math.sqrt(spread / (1 - squares) * squares)
    half = student_quantile(freedom) * error
    return bounded_exp(center - half), bounded_exp(center + half)


def _normal(weights: Sequence[float]) -> list[float]:
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _times(factor: float, bound: float) -> float:
    return UNBOUNDED if bound >= UNBOUNDED / max(factor, 1.0) else factor * bound

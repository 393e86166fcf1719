"""Doubts and sensitivity as text: why the confidence is no higher, and when the answer changes."""

from __future__ import annotations

from machmeter.analysis.rules.sensitivity import (
    Alternative,
    BeyondBound,
    JudgedQuantity,
    Lacking,
    LeastLaunches,
    MoreLaunches,
    OtherNodes,
    PairApart,
    Purpose,
    Sensitivity,
)
from machmeter.analysis.stats.confidence import (
    LEAST_LAUNCHES,
    Doubt,
    DoubtKind,
    is_worth_making,
)
from machmeter.model.plan.question import Band, Resource
from machmeter.model.units import SECONDS, Unit, format_value
from machmeter.text.findings.labels import label_text, value_label
from machmeter.text.numbers import count_text, points_text
from machmeter.text.ratios import percent_text, times_text

AXIS_NOUNS = {"ranks": "rank", "nodes": "node", "size": "byte", "outstanding": "operation"}

_DOUBTS = {
    DoubtKind.NEAR_BOUND: "the interval ends within 1 % of the bound",
    DoubtKind.PRECISION: "target precision not met, and the interval ends near the bound",
    DoubtKind.ONE_LAUNCH: "one launch has no variance",
    DoubtKind.BELOW_RESOLUTION: "candidate or baseline is not distinguishable from zero",
    DoubtKind.SEVERAL_ANSWERS: "the interval allows more than one answer",
    DoubtKind.STEPWISE: "each step at 95 %, the whole has no p value",
    DoubtKind.PUBLISHED: "no confidence interval",
    DoubtKind.SIMULATED: "a model states it, no launches test it",
}
_OTHERWISE = {
    Alternative.DIFFERENT: "a difference",
    Alternative.NOT_BETTER: "not better",
    Alternative.NOT_WORSE: "not worse",
    Alternative.NO_DIFFERENCE: "no difference",
    Alternative.NO_JUMP: "no jump",
    Alternative.FLAT: "flat",
    Alternative.RISING: "still rising",
    Alternative.FALLING: "falling",
    Alternative.REACHED: "reached there",
    Alternative.NOT_REACHED: "not reached there",
}
_RESOURCES = {
    Resource.CORES: "cores",
    Resource.HARDWARE_THREADS: "hardware threads of a core",
    Resource.RANKS: "ranks with a core each",
    Resource.NODES: "nodes",
    Resource.NODE_PLACES: "nodes, or cores standing in for nodes",
    Resource.PACKAGES: "packages",
    Resource.DOMAINS: "NUMA domains",
    Resource.DOMAINS_WITH_MEMORY: "NUMA domains with memory",
    Resource.PAIR_PLACEMENTS: "cores at different distances",
    Resource.PLACEMENTS: "cores on which close and spread placement differ",
    Resource.HUGE_PAGES_2M: "free 2 MiB pages in the hugetlb pool",
    Resource.TRANSPARENT_HUGE_PAGES: "transparent huge pages",
    Resource.OPENMP_RUNTIMES: "OpenMP runtimes",
    Resource.ALLOCATORS: "allocators",
    Resource.MPI_LIBRARIES: "MPI libraries",
    Resource.SPARE_CORES: "a spare core",
    Resource.SHMEM_COMPILERS: "an OpenSHMEM compiler (oshc++)",
    Resource.DEVICES: "a device (--device)",
}
# What there is or is not, without a number.
_PRESENT = (
    Resource.PAIR_PLACEMENTS,
    Resource.PLACEMENTS,
    Resource.HUGE_PAGES_2M,
    Resource.TRANSPARENT_HUGE_PAGES,
    Resource.SPARE_CORES,
    Resource.SHMEM_COMPILERS,
    Resource.DEVICES,
)


def doubt_text(doubt: Doubt) -> str:
    """Why an answer is no surer: `6 launches (10 recommended)`."""
    if doubt.kind is DoubtKind.CHANCE:
        chance = "over 99" if doubt.p_value > 0.99 else f"{100 * doubt.p_value:.2g}"
        return f"p = {chance} % after correction for multiple comparisons"
    if doubt.kind is DoubtKind.FEW_LAUNCHES:
        made = count_text(doubt.launches, "launch", "launches")
        return f"only {made} ({LEAST_LAUNCHES} required)"
    return _DOUBTS[doubt.kind]


def sensitivity_text(one: Sensitivity) -> str:
    """What would change an answer: `would change if the true ratio were below 1.02x (no difference;
    lower confidence limit: 1.85x)`.
    """
    match one:
        case BeyondBound():
            return _beyond_text(one)
        case MoreLaunches():
            return _launches_text(one)
        case LeastLaunches():
            return f"at least {one.needed} launches needed ({one.made} done)"
        case PairApart():
            share = f"{100 * one.share:g} %"
            return f"would change if any pair were more than {share} from the typical one"


def lacking_text(one: Lacking) -> str:
    """`2 NUMA domains (1 available)`; `a spare core`."""
    name = _RESOURCES[one.resource]
    if one.resource in _PRESENT:
        return name
    return f"{one.needed} {name} ({one.available} available)"


def scope_text(scope: OtherNodes) -> str:
    """On how many nodes results of a network were measured."""
    if scope.nodes == 1:
        return "may differ between nodes: all ranks were on one and used its memory"
    return f"may differ on another number of nodes: {scope.origin.value} on {scope.nodes}"


def _beyond_text(one: BeyondBound) -> str:
    side = "below" if one.below else "above"
    other = one.other.name if isinstance(one.other, Band) else _OTHERWISE[one.other]
    limit = ""
    if one.end is not None:
        limit = f"; {'lower' if one.below else 'upper'} confidence limit: {_value(one, one.end)}"
    bound = f"{side} {_value(one, one.bound)}"
    return f"would change if the true {_quantity_text(one)} were {bound} ({other}{limit})"


def _quantity_text(one: BeyondBound) -> str:
    at = [value_label(one.axis, value) for value in one.at]
    match one.quantity:
        case JudgedQuantity.VALUE:
            return f"value at {at[0]}"
        case JudgedQuantity.JUMP:
            return f"jump at {at[0]}"
        case JudgedQuantity.CHANGE:
            return f"change from {at[0]} to {at[1]}"
        case JudgedQuantity.SLOPE:
            return f"cost per additional {AXIS_NOUNS.get(one.axis, one.axis)}"
        case _:
            return one.quantity.value


def _value(one: BeyondBound, value: float) -> str:
    match one.quantity:
        case JudgedQuantity.RATIO:
            return times_text(value)
        case JudgedQuantity.EFFICIENCY | JudgedQuantity.SHARE | JudgedQuantity.MODEL_SHARE:
            return percent_text(value)
        case JudgedQuantity.DIFFERENCE:
            return points_text(value)
        case JudgedQuantity.CHANGE:
            # A bound is a round number, the end of an interval is not.
            digits = f"{100 * value:+g}" if value == one.bound else f"{100 * value:+.1f}"
            return f"{digits} % per doubling"
        case JudgedQuantity.JUMP if value == 0:
            return "zero"
        case _:
            return signed_text(value, one.unit or SECONDS)


def signed_text(value: float, unit: Unit) -> str:
    """A value with its unit, which may be below zero."""
    return f"{'-' * (value < 0)}{format_value(abs(value), unit)}"


def _launches_text(one: MoreLaunches) -> str:
    purpose = _purpose_text(one)
    if not one.needed:
        return f"more launches needed{purpose} (the number cannot be estimated)"
    if not is_worth_making(one.needed, one.made):
        return (
            f"more repetitions will not help{purpose} (over "
            f"{100 * max(one.made, LEAST_LAUNCHES):,} needed): reduce noise"
        )
    return (
        f"about {one.needed:,} launches needed{purpose} ({one.made} done) at the current variance"
    )


def _purpose_text(one: MoreLaunches) -> str:
    match one.purpose:
        case Purpose.DECIDE:
            return ""
        case Purpose.RESOLVE:
            return " to distinguish it from zero"
        case Purpose.DISTINGUISH:
            best, other = (label_text(name) for name in one.names)
            return f" to distinguish {best} from {other}"
        case Purpose.FLATNESS:
            return " to decide whether it is flat"
        case Purpose.AT_VALUE:
            return f" at {label_text(one.names[0])}"
        case Purpose.PRECISION:
            unit = "points" if one.of_shares else "%"
            return f" for the target precision of ±{100 * one.target:g} {unit}"

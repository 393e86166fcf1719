"""What limits a kernel: the peak of the cores or the bandwidth of the memory.

The roofline model of Williams, Waterman and Patterson, Communications of the ACM 52 (2009): a
kernel that does I operations for each byte reaches at most min(peak, I x bandwidth). Both limits
are measured ones, with their intervals.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import FLOPS


class Roof(StrEnum):
    """What limits a kernel."""

    MEMORY = "memory"
    PEAK = "peak"


class RoofStanding(Struct, frozen=True):
    """Where a kernel stands under its roofline."""

    intensity: float
    """Operations for each byte."""
    roof: Roof
    """The lower of the two limits at that intensity."""
    share: Comparison
    """Of the kernel over that limit: its ratio is the share, by the launches of both, paired."""


def operations(traffic: Estimate, flops_per_byte: float) -> Estimate:
    """The rate of operations that follows from a rate of bytes."""
    return replace(
        traffic,
        metric="flops",
        unit=FLOPS,
        value=traffic.value * flops_per_byte,
        low=traffic.low * flops_per_byte,
        high=traffic.high * flops_per_byte,
        launch_values=tuple(value * flops_per_byte for value in traffic.launch_values),
    )


def standing(
    flops: Estimate, traffic: Estimate, peak: Estimate, bandwidth: Estimate | None
) -> RoofStanding:
    """Where a kernel stands by its rates of operations and of bytes, both of one point.

    bandwidth: None where its data is in a cache, of which the memory is no limit. Raises
    ValueError where a rate is not above 0.
    """
    if min(one.value for one in (flops, traffic, peak, bandwidth or peak)) <= 0:
        raise ValueError("a roofline needs rates above 0")
    intensity = flops.value / traffic.value
    if bandwidth is not None and intensity < ridge(peak, bandwidth):
        return RoofStanding(intensity, Roof.MEMORY, _same_unit(traffic, bandwidth))
    return RoofStanding(intensity, Roof.PEAK, _same_unit(flops, peak))


def ridge(peak: Estimate, bandwidth: Estimate) -> float:
    """The intensity from which on the peak is the limit, operations per byte."""
    return peak.value / bandwidth.value


def _same_unit(a: Estimate, b: Estimate) -> Comparison:
    """Bytes that are counted in different ways are still bytes."""
    return compare_estimates(replace(a, unit=b.unit), b, paired=True)

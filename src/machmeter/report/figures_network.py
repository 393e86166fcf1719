"""The figures of the network benchmarks that matter."""

from __future__ import annotations

from machmeter.model.estimate import Estimate
from machmeter.model.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.report.figure import Figure, figure
from machmeter.report.selection import best, of_metric, parameter, size, where

SMALL_MESSAGE = 8
LARGE_MESSAGE = 2**20


def latency(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Figure]:
    """A small and a large message."""
    figures = []
    for wanted in (SMALL_MESSAGE, LARGE_MESSAGE):
        for found in where(estimates, "size", wanted)[:1]:
            figures += figure(f"Message latency, {format_bytes(wanted)}", found, ("size",))
    return figures or figure("Message latency", best(estimates))


def bandwidth(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Figure]:
    """The best bandwidth of each direction, the best rate."""
    figures = []
    for direction in dict.fromkeys(parameter(e, "direction") for e in estimates):
        rates = [e for e in where(estimates, "direction", direction) if e.metric != "message_rate"]
        title = f"Message bandwidth, {str(direction).replace('-', ' ')}"
        figures += figure(title, best(rates), ("direction", "window"))
    found = best(of_metric(estimates, "message_rate"))
    return figures + figure("Message rate", found, ("window",))


def overlap(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Figure]:
    """The share of the communication hidden, of the largest message, by side."""
    shares = of_metric(estimates, "communication_hidden")
    figures = []
    for side in dict.fromkeys(parameter(e, "side") for e in shares):
        largest = max(where(shares, "side", side), key=size)
        figures += figure(f"Communication hidden, {side}", largest, ("side", "work_percent"))
    return figures

"""Figures in Bencher Metric Format, for services that watch them over time.

The format: https://bencher.dev/docs/reference/bencher-metric-format/
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from machmeter.model.results.estimate import Estimate
from machmeter.model.units import is_unbounded
from machmeter.text.plain import plain

MOST_LETTERS = 1024
MOST_LETTERS_OF_A_MEASURE = 64
_UNITS = {
    "s": "seconds",
    "B/s": "bytes-per-second",
    "msg/s": "messages-per-second",
    "op/s": "operations-per-second",
    "flop/s": "flops-per-second",
    "run/s": "runs-per-second",
    "Hz": "hertz",
    "B": "bytes",
    "x": "ratio",
    "": "share",
}

Metrics = dict[str, dict[str, dict[str, float]]]


def bencher_metrics(estimates: Iterable[Estimate]) -> Metrics:
    """Value and 95 % interval by benchmark and measure, in the base unit that the measure names.

    A benchmark is a point, `network.latency [size=8,...] (1 node, ...)`, the same for the same
    point in every run. An overhead below resolution has only an upper bound, which the format
    cannot say: it is left out. Without an interval the bounds are left out.
    """
    found: Metrics = {}
    for one in estimates:
        if one.resolved:
            found.setdefault(benchmark_name(one), {})[measure_slug(one)] = _metric(one)
    return found


def benchmark_name(estimate: Estimate) -> str:
    """The key of the point, at most 1024 characters: a longer one ends in a digest of the whole."""
    key = estimate.point.key
    if len(key) <= MOST_LETTERS:
        return plain(key)
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    return f"{plain(key[: MOST_LETTERS - 18])} {digest}"


def measure_slug(estimate: Estimate) -> str:
    """Metric and unit as a slug: `latency-seconds`, `message-rate-messages-per-second`.

    The unit stands in it because Bencher's own measures of such names have other units.
    """
    symbol = estimate.unit.symbol
    name, unit = _slug(estimate.metric), _UNITS.get(symbol) or _slug(symbol.replace("/", " per "))
    return f"{name}-{unit}"[:MOST_LETTERS_OF_A_MEASURE].strip("-")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _metric(one: Estimate) -> dict[str, float]:
    if is_unbounded(one.high) or is_unbounded(one.low):
        return {"value": one.value}
    return {"value": one.value, "lower_value": one.low, "upper_value": one.high}

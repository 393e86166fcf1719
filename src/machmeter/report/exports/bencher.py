"""Figures in Bencher Metric Format, for services that watch them over time.

The format: https://bencher.dev/docs/reference/bencher-metric-format/
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from machmeter.model.results.estimate import Estimate
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

_WORDS = {"%": " percent ", "\N{MICRO SIGN}": "u", "\N{GREEK SMALL LETTER MU}": "u", "/": " per "}
_LETTERS_OF_A_DIGEST = 8

Metrics = dict[str, dict[str, dict[str, float]]]


def bencher_metrics(estimates: Iterable[Estimate]) -> Metrics:
    """Value and 95 % interval by benchmark and measure, in the base unit that the measure names.

    A benchmark is a point, `network.latency [size=8,...] (1 node, ...)`, the same for the same
    point in every run. An overhead below resolution has only an upper bound, which the format
    cannot say: it is left out. Without an interval the bounds are left out. Of measures of a point
    with the same slug the later ones end in a digest.
    """
    found: Metrics = {}
    owners: dict[tuple[str, str], str] = {}
    for one in estimates:
        benchmark, slug, whole = benchmark_name(one), measure_slug(one), _whole(one)
        if owners.setdefault((benchmark, slug), whole) != whole:
            slug = _with_digest(slug, whole)
        if one.resolved:
            found.setdefault(benchmark, {})[slug] = _metric(one)
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

    The unit stands in it because Bencher's own measures of such names have other units. A slug that
    lacks a character of them ends in a digest of both.
    """
    name, symbol = estimate.metric, estimate.unit.symbol
    slug = _slug(f"{name}-{_UNITS.get(symbol) or symbol}")
    lost = len(slug) > MOST_LETTERS_OF_A_MEASURE or _is_lossy(name) or _is_lossy(symbol)
    return _with_digest(slug, _whole(estimate)) if lost else slug


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", _in_words(text).lower()).strip("-")


def _in_words(text: str) -> str:
    for sign, words in _WORDS.items():
        text = text.replace(sign, words)
    return text


def _is_lossy(text: str) -> bool:
    """Whether a slug lacks a character of `text`, other than what separates words."""
    return re.search(r"[^A-Za-z0-9 _-]", _in_words(text)) is not None


def _whole(estimate: Estimate) -> str:
    return f"{estimate.metric} {estimate.unit.symbol}"


def _with_digest(slug: str, whole: str) -> str:
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_LETTERS_OF_A_DIGEST]
    room = MOST_LETTERS_OF_A_MEASURE - len(digest) - 1
    return f"{slug[:room].strip('-')}-{digest}".strip("-")


def _metric(one: Estimate) -> dict[str, float]:
    if not one.is_bounded:
        return {"value": one.value}
    return {"value": one.value, "lower_value": one.low, "upper_value": one.high}

"""Bencher Metric Format: names that stay, units in the measure, and no bound that is not known."""

from __future__ import annotations

import re

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED, Unit
from machmeter.report.exports.bencher import (
    MOST_LETTERS,
    MOST_LETTERS_OF_A_MEASURE,
    bencher_metrics,
    benchmark_name,
    measure_slug,
)
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.node import make_node_run
from tests.support.synthetic.run import make_run

# https://bencher.dev/bmf.json, as its reference prints it.
NUMBER = {"type": "number"}
SCHEMA = {
    "type": "object",
    "patternProperties": {
        ".+": {
            "type": "object",
            "patternProperties": {
                ".+": {
                    "type": "object",
                    "properties": dict.fromkeys(("value", "lower_value", "upper_value"), NUMBER),
                    "required": ["value"],
                    "additionalProperties": False,
                }
            },
        }
    },
}
ONE = make_run().estimates[0]


@pytest.mark.parametrize("run", [make_run(), make_node_run(), make_network_run()])
def test_every_resolved_figure_is_there_with_its_interval(run: RunResult) -> None:
    found = bencher_metrics(run.estimates)
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(found)), SCHEMA)
    resolved = {(e.point.key, measure_slug(e)): e for e in run.estimates if e.resolved}
    assert sum(map(len, found.values())) == len(resolved)
    for one in resolved.values():
        metric = found[one.point.key][measure_slug(one)]
        assert metric["value"] == one.value
        assert metric.get("lower_value", one.low) == one.low
        assert metric.get("upper_value", one.high) == one.high


def test_what_has_no_interval_has_no_bounds_and_what_is_unresolved_is_left_out() -> None:
    alone = replace(ONE, low=0.0, high=UNBOUNDED)
    assert list(bencher_metrics([alone]).values()) == [{measure_slug(ONE): {"value": ONE.value}}]
    assert bencher_metrics([replace(ONE, resolved=False)]) == {}


def test_measures_of_the_catalogue_are_slugs_that_name_their_unit_once() -> None:
    for benchmark in BENCHMARKS:
        slugs = [measure_slug(replace(ONE, metric=m.name, unit=m.unit)) for m in benchmark.metrics]
        assert len(set(slugs)) == len(slugs)
        for slug in slugs:
            assert len(slug) <= MOST_LETTERS_OF_A_MEASURE
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)


KNOWN = {
    ("latency", "s"): "latency-seconds",
    ("bandwidth_one_way", "B/s"): "bandwidth-one-way-bytes-per-second",
    ("message_rate", "msg/s"): "message-rate-messages-per-second",
    ("rate", "op/s"): "rate-operations-per-second",
    ("flops", "flop/s"): "flops-flops-per-second",
    ("memory_before_contact", "B"): "memory-before-contact-bytes",
    ("imbalance", "x"): "imbalance-ratio",
    ("clock", "Hz"): "clock-hertz",
    ("availability", ""): "availability-share",
}


def named(metric: str, symbol: str) -> Estimate:
    return replace(ONE, metric=metric, unit=Unit("a rate", symbol))


@pytest.mark.parametrize(("known", "slug"), KNOWN.items())
def test_slugs_of_the_catalogue_stay(known: tuple[str, str], slug: str) -> None:
    assert measure_slug(named(*known)) == slug


@pytest.mark.parametrize(
    ("symbol", "slug"),
    [
        ("ns/day", "rate-ns-per-day"),
        ("%", "rate-percent"),
        ("\N{MICRO SIGN}s", "rate-us"),
        ("\N{GREEK SMALL LETTER MU}", "rate-u"),
    ],
)
def test_a_unit_that_a_user_named_is_part_of_a_slug(symbol: str, slug: str) -> None:
    assert measure_slug(named("rate", symbol)) == slug


@pytest.mark.parametrize(
    ("metric", "symbol", "begins"),
    [
        ("rate", "(as printed)", "rate-as-printed-"),
        ("rate", "\N{DEGREE SIGN}C", "rate-c-"),
        ("rate", "\N{OHM SIGN}", "rate-"),
        ("r\N{LATIN SMALL LETTER E WITH ACUTE}sidu", "s", "r-sidu-seconds-"),
        ("a" * 100, "s", "aaaa"),
    ],
)
def test_a_slug_that_lacks_characters_ends_in_a_digest(
    metric: str, symbol: str, begins: str
) -> None:
    slug = measure_slug(named(metric, symbol))
    assert slug.startswith(begins)
    assert re.fullmatch(r"[a-z0-9-]+-[0-9a-f]{8}", slug)
    assert len(slug) <= MOST_LETTERS_OF_A_MEASURE
    assert slug != measure_slug(named(metric + "a", symbol))
    assert slug != measure_slug(named(metric, symbol + "\N{SUPERSCRIPT TWO}"))


def test_figures_whose_slugs_are_alike_are_all_exported() -> None:
    figures = [
        replace(named(name, symbol), value=float(number), low=float(number), high=float(number))
        for number, (name, symbol) in enumerate(
            [("a_b", "W"), ("a-b", "W"), ("A_b", "W"), ("a", "b W"), ("a_b", "w")], 1
        )
    ]
    (measures,) = bencher_metrics(figures).values()
    assert measures["a-b-w"]["value"] == 1
    assert sorted(one["value"] for one in measures.values()) == [1, 2, 3, 4, 5]
    unresolved, *others = figures
    (left,) = bencher_metrics([replace(unresolved, resolved=False), *others]).values()
    assert left == {slug: one for slug, one in measures.items() if slug != "a-b-w"}


def test_long_names_are_cut_and_stay_different() -> None:
    names = {
        benchmark_name(
            replace(ONE, point=make_point("x.y", {"m": "a" * 2000 + end}, ONE.point.layout))
        )
        for end in "bc"
    }
    assert len(names) == 2
    assert all(len(name) <= MOST_LETTERS for name in names)

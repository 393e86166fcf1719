"""Bencher Metric Format: names that stay, units in the measure, and no bound that is not known."""

from __future__ import annotations

import re

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.point import make_point
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


@pytest.mark.parametrize(
    ("symbol", "slug"),
    [("ns/day", "rate-ns-per-day"), ("(as printed)", "rate-as-printed"), ("µ", "rate")],
)
def test_a_unit_that_a_user_named_is_part_of_a_slug(symbol: str, slug: str) -> None:
    assert measure_slug(replace(ONE, metric="rate", unit=Unit("a rate", symbol))) == slug


def test_long_names_are_cut_and_stay_different() -> None:
    names = {
        benchmark_name(
            replace(ONE, point=make_point("x.y", {"m": "a" * 2000 + end}, ONE.point.layout))
        )
        for end in "bc"
    }
    assert len(names) == 2
    assert all(len(name) <= MOST_LETTERS for name in names)

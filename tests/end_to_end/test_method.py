"""Whoever has the exported samples and docs/method.md computes the results of a run again."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict

import pytest

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Formula, Metric
from tests.support.processes.machmeter_command import MachmeterCommand, tiny

# Student's t, two-sided, 95 %, by degrees of freedom.
QUANTILES = {1: 12.706204736, 2: 4.302652730}
SHARES = (Formula.WORK_HIDDEN, Formula.COMMUNICATION_HIDDEN)
Row = dict[str, str]


def warmup(samples: list[float]) -> int:
    if len(samples) < 20:
        return 0
    means = [sum(samples[i : i + 5]) / 5 for i in range(0, len(samples) // 5 * 5, 5)]
    statistics = []
    for cut in range(len(means) // 2 + 1):
        left = means[cut:]
        mean = math.fsum(left) / len(left)
        statistics.append(math.fsum((one - mean) ** 2 for one in left) / len(left) ** 2)
    return 5 * statistics.index(min(statistics))


def middle(samples: list[float]) -> float:
    left_out = len(samples) // 4
    kept = sorted(samples)[left_out : len(samples) - left_out]
    return math.fsum(kept) / len(kept)


def of_launch(metric: Metric, series: dict[str, list[float]], quantities: Row) -> float:
    if metric.formula is Formula.AMOUNT:
        return float(quantities[metric.amount])
    needed = [series[name] for name in metric.series]
    cut = max(map(warmup, needed))
    kept = [samples[cut:] for samples in needed]
    if metric.formula is Formula.OVERHEAD:
        differences = [test - reference for test, reference in zip(*kept[:2], strict=True)]
        return middle(differences) / float(quantities.get("events_per_sample", 1))
    times = list(map(middle, kept))
    if metric.formula is Formula.RATE:
        return float(quantities[metric.amount]) / times[0]
    if metric.formula is Formula.QUOTIENT:
        return times[0] / times[1]
    if metric.formula in SHARES:
        other, of = (2, 1) if metric.formula is Formula.WORK_HIDDEN else (1, 2)
        return 1 - (times[0] - times[other]) / times[of]
    assert metric.formula is Formula.TIME
    return times[0]


def estimate(metric: Metric, values: list[float]) -> tuple[float, float, float]:
    linear = metric.formula is Formula.OVERHEAD or metric.formula in SHARES
    scaled = values if linear else list(map(math.log, values))
    mean = math.fsum(scaled) / len(scaled)
    deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in scaled) / (len(scaled) - 1))
    half = QUANTILES[len(scaled) - 1] * deviation / math.sqrt(len(scaled))
    ends = (mean, mean - half, mean + half)
    return ends if linear else (math.exp(ends[0]), math.exp(ends[1]), math.exp(ends[2]))


@pytest.fixture
def exported(command_beside_others: MachmeterCommand) -> tuple[list[Row], list[Row]]:
    """The rows of the results and of the samples of a run."""
    names = ("network.bandwidth", "network.overlap", "threads.sync")
    sets = ("size=64KiB", "construct=parallel,barrier,atomic,task")
    words = (*tiny("network.latency", *sets), *names)
    done = command_beside_others.run(*words, seconds=580)
    assert done.returncode == 0, done.stdout + done.stderr
    results, samples = (
        command_beside_others.run("export", "last", "--format", "csv", "--what", what).stdout
        for what in ("figures", "samples")
    )
    return list(csv.DictReader(io.StringIO(results))), list(csv.DictReader(io.StringIO(samples)))


def test_results_follow_from_samples_by_the_documented_method(
    exported: tuple[list[Row], list[Row]],
) -> None:
    results, samples = exported
    common = [name for name in results[0] if name in samples[0] and name not in ("samples", "role")]
    named = [name for name in common if name != "batch"]
    series: dict[tuple[str, ...], dict[str, dict[str, list[float]]]] = defaultdict(dict)
    quantities: dict[tuple[tuple[str, ...], str], Row] = {}
    for row in samples:
        if row["verdict"] == "accepted" and row["check_passed"] == "true":
            point = tuple(row[name] for name in named)
            launch = series[point].setdefault(row["launch"], defaultdict(list))
            launch[row["series"]].append(float(row["seconds"]))
            if row["quantities"]:
                pairs = (one.split("=") for one in row["quantities"].split(";"))
                quantities[point, row["launch"]] = dict(pairs)
    formulas = set()
    for row in results:
        metrics = {metric.name: metric for metric in find(row["benchmark"]).metrics}
        metric = metrics[row["metric"]]
        formulas.add(metric.formula)
        point = tuple(row[name] for name in named)
        values = [
            of_launch(metric, one, quantities.get((point, launch), {}))
            for launch, one in series[point].items()
        ]
        assert len(values) == int(row["launches"]), row
        found = estimate(metric, values)
        stated = [float(row[name]) if row[name] else math.inf for name in ("value", "low", "high")]
        # An overhead that is not resolved has an upper end alone.
        first = 2 if row["resolved"] == "false" else 0
        assert found[first:] == pytest.approx(stated[first:], rel=1e-6), row
    assert {Formula.TIME, Formula.RATE, Formula.OVERHEAD} <= formulas
    assert formulas & set(SHARES)

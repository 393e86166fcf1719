"""The catalogue of sparse and application benchmarks fits what the native programs do."""

import pytest

from machmeter.analysis.stats.launch_value import launch_value
from machmeter.benchmarks.apps import HEATFLOW
from machmeter.benchmarks.sparse import SPMV
from machmeter.model.plan.launch import Check, PointRecord
from tests.support.paths import NATIVE

MMAP_THRESHOLD_BYTES = 128 * 1024  # of glibc, at first: mallopt(3)


def test_every_series_of_a_metric_is_recorded() -> None:
    body = (NATIVE / "sparse" / "spmv.cpp").read_text(encoding="utf-8")
    for metric in SPMV.metrics:
        assert all(f'"{name}"' in body for name in metric.series), metric.name


def test_a_launch_with_one_placement_has_its_time() -> None:
    (metric,) = (m for m in SPMV.metrics if m.name == "placement_time")
    record = PointRecord(
        {}, {"placement_seconds": (0.086,)}, 1, Check(True, "rows"), {"partitions": 1.0}
    )
    assert launch_value(metric, record).value == pytest.approx(0.086)


def test_an_array_of_the_usual_heat_problem_is_mapped_by_itself() -> None:
    (cells,) = (p.values for p in HEATFLOW.parameters if p.name == "cells")
    for edge in cells:
        assert isinstance(edge, int)
        assert (edge**3 + 2 * edge**2) * 8 > MMAP_THRESHOLD_BYTES

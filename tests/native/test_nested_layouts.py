"""Nested layouts through the product's own launcher: every inner thread runs where it was asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.launch import Record, Verdict
from tests.support.processes.native_programs import Programs, launch_of, launcher_of, start

SPLITS = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)]
BINDINGS = [Binding.CLOSE, Binding.SPREAD, Binding.OUTER, Binding.NONE]
CONSTRUCTS: list[dict[str, Value]] = [
    {"construct": "inner-parallel"},
    {"construct": "inner-barrier"},
]
DERIVATIVES: list[dict[str, Value]] = [
    {"derivatives": 3, "arrays": arrays, "cells": 6} for arrays in ("inside", "slices")
]


def accepted_record(
    benchmark: str, points: list[dict[str, Value]], layout: Layout, programs: Programs, path: Path
) -> Record:
    """The record of a launch that ran where it was asked, with the check of every point passed."""
    launch = launch_of(benchmark, points, layout)
    outcome, record = start(launcher_of(programs, None, os.environ), launch, path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert record.header is not None
    assert len(record.header.places) == layout.threads
    assert len(record.points) == len(points)
    for point in record.points:
        assert point.check.passed, point.check
        assert point.quantities["outer_threads"] == layout.threads_per_rank
        assert point.quantities["inner_threads"] == layout.inner_threads
    return record


def nested(split: tuple[int, int], binding: Binding) -> Layout:
    """That split, on as few cores as the machine has: waiting threads leave their core."""
    outer, inner = split
    return Layout(
        threads_per_rank=outer,
        inner_threads=inner,
        binding=binding,
        wait_policy=WaitPolicy.PASSIVE,
        oversubscribe=True,
    )


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("split", SPLITS)
def test_inner_threads_are_where_the_layout_puts_them(
    split: tuple[int, int], binding: Binding, programs: Programs, tmp_path: Path
) -> None:
    layout = nested(split, binding)
    record = accepted_record("threads.nested", CONSTRUCTS, layout, programs, tmp_path)
    pooled = binding is Binding.OUTER and layout.inner_threads > 1
    words = {Binding.NONE: "unbound"}.get(
        binding, "one an inner team" if pooled else "one a thread"
    )
    assert {point.attributes["places"] for point in record.points} == {words}
    assert record.header is not None
    assert len(record.header.noise[0].quanta_seconds) == layout.threads


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("benchmark", "points"),
    [("apps.retrieval", [{"queries": 5, "images": 40}]), ("apps.heatflow", DERIVATIVES)],
)
def test_applications_take_any_split(
    benchmark: str,
    points: list[dict[str, Value]],
    split: tuple[int, int],
    programs: Programs,
    tmp_path: Path,
) -> None:
    layout = nested(split, Binding.SPREAD)
    accepted_record(benchmark, points, layout, programs, tmp_path)

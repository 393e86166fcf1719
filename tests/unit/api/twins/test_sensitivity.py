"""Which results of a simulated run are simulated again, and what becomes of failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.twins import sensitivity
from machmeter.api.twins.sensitivity import headline_results_of, sensitivity_of
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.point import Point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.simulation.builtin import find_twin
from tests.support.synthetic.run import make_run

PLAIN = {"pattern": "ping-pong", "way": "blocking", "data": "contiguous", "buffers": "hot"}


def of(benchmark: str, metric: str, layout: Layout, **settings: int | str) -> Estimate:
    point = Point(benchmark, tuple(sorted(settings.items())), layout)
    return replace(make_run().estimates[0], point=point, metric=metric)


def latency(size: int, layout: Layout) -> Estimate:
    return of("network.latency", "latency", layout, size=size, **PLAIN)


def collective(operation: str, size: int, nodes: int) -> Estimate:
    layout = Layout(nodes=nodes, ranks_per_node=8)
    return of("network.collective", "time", layout, operation=operation, size=size)


def test_messages_between_nodes_and_collectives_on_most_ranks() -> None:
    between = Layout(nodes=2)
    found = headline_results_of(
        (
            latency(8, Layout(ranks_per_node=2)),
            latency(8, between),
            latency(2**20, between),
            latency(64, between),
            collective("alltoall", 8, 32),
            collective("alltoall", 4096, 32),
            collective("alltoall", 8, 4),
            collective("alltoall", 8, 4096),
            collective("allreduce", 8, 32),
            collective("allreduce", 4096, 32),
        )
    )
    shown = [(one.title, one.estimate.point.layout.nodes) for one in found]
    assert shown == [
        ("latency, 8 B", 2),
        ("latency, 1 MiB", 2),
        ("allreduce, 8 B, 256 ranks", 32),
        ("all-to-all, 4 KiB, 256 ranks", 32),
    ]


def on_hopper(*estimates: Estimate) -> RunResult:
    run = make_run()
    request = replace(run.header.request, twin=find_twin("hopper"))
    return replace(run, header=replace(run.header, request=request), estimates=estimates)


def test_a_measured_run_has_no_sensitivity(tmp_path: Path) -> None:
    assert sensitivity_of(make_run(), Context(cache=tmp_path)) is None


def test_a_run_without_such_results_says_so(tmp_path: Path) -> None:
    found = sensitivity_of(on_hopper(), Context(cache=tmp_path))
    assert found is not None
    assert "none of the results" in found.problem


def test_without_a_compiler_the_problem_is_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> None:
        raise MachineLacksError("no C++ compiler", "install one")

    monkeypatch.setattr(sensitivity, "estimates_on_each", lacking)
    found = sensitivity_of(on_hopper(latency(8, Layout(nodes=2))), Context(cache=tmp_path))
    assert found is not None
    assert (found.problem, found.effects) == ("no C++ compiler", ())

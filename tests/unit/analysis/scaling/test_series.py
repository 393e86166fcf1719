"""Which figures are one figure over a count, and which are not."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.scaling.series import Series, series_of
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import Problem, ScalingAxis
from machmeter.model.units import MESSAGES_PER_SECOND
from tests.support.made_up.estimates import made_up

SIZE = 2**28


def stream(threads: int, kernel: str = "triad", value: float = 2e10) -> Estimate:
    parameters: dict[str, int | str] = {"kernel": kernel, "stores": "temporal", "size": SIZE}
    layout = Layout(threads_per_rank=threads)
    return made_up("memory.stream", parameters, layout, "stream_bandwidth", value)


def retrieval(outer: int, inner: int = 1) -> Estimate:
    layout = Layout(threads_per_rank=outer, inner_threads=inner)
    return made_up("apps.retrieval", {"queries": 18, "images": 1000}, layout, "time", 0.1)


def barrier(ranks: int, nodes: int = 1) -> Estimate:
    layout = Layout(nodes=nodes, ranks_per_node=ranks // nodes, oversubscribe=ranks > 4)
    return made_up("network.barrier", {}, layout, "time", 1e-6)


def on(found: tuple[Series, ...], axis: ScalingAxis) -> list[Series]:
    return [one for one in found if one.axis is axis]


def test_each_kernel_is_a_series_of_its_own_in_rising_order() -> None:
    found = series_of([stream(n, k) for k in ("triad", "copy") for n in (4, 1, 2)])
    assert [(one.axis, one.counts) for one in found] == [(ScalingAxis.THREADS, (1, 2, 4))] * 2
    assert [one.conditions["kernel"] for one in found] == ["triad", "copy"]
    assert [e.point.layout.threads for e in found[0].estimates] == [1, 2, 4]


def test_one_count_is_no_series() -> None:
    assert series_of([stream(1), stream(2, "copy")]) == ()


def test_a_rate_and_an_applications_time_are_of_a_fixed_problem_and_others_are_costs() -> None:
    (rate,) = series_of([stream(1), stream(2)])
    (app,) = series_of([retrieval(1), retrieval(2)])
    (cost,) = series_of([barrier(2), barrier(4)])
    assert [one.problem for one in (rate, app, cost)] == [
        Problem.FIXED,
        Problem.FIXED,
        Problem.COST,
    ]
    (weak,) = series_of([retrieval(1), retrieval(2)], weak=True)
    assert weak.problem is Problem.GROWING


def test_outer_and_inner_teams_are_followed_apart() -> None:
    found = series_of([retrieval(1), retrieval(2), retrieval(4), retrieval(1, 4), retrieval(2, 2)])
    assert [one.counts for one in on(found, ScalingAxis.THREADS)] == [(1, 2, 4)]
    assert [one.counts for one in on(found, ScalingAxis.INNER_THREADS)] == [(1, 4)]


def test_ranks_on_one_node_and_nodes_are_different_axes() -> None:
    found = series_of([barrier(2), barrier(4), barrier(8), barrier(4, 2), barrier(16, 4)])
    assert [one.counts for one in on(found, ScalingAxis.RANKS)] == [(2, 4, 8)]
    assert [one.counts for one in on(found, ScalingAxis.NODES)] == [(1, 2), (1, 4)]


def test_a_counted_parameter_of_a_workload_is_the_axis_whatever_its_nodes() -> None:
    def workload(cores: int) -> Estimate:
        point = make_point(
            "workload.neuron", {"cores": cores, "cells": 10_500}, Layout(nodes=cores // 16)
        )
        return replace(retrieval(1), point=point)

    (found,) = series_of([workload(cores) for cores in (48, 96, 192)])
    assert (found.axis, found.counts) == (ScalingAxis.CORES, (48, 96, 192))
    assert found.conditions["cells"] == 10_500
    assert "nodes" not in found.conditions


def test_shares_imbalances_and_what_is_not_resolved_are_left_out() -> None:
    parameters: dict[str, int | str] = {
        "matrix": "banded", "schedule": "static", "nonzeros": 10**6
    }  # fmt: skip

    def imbalance(threads: int) -> Estimate:
        layout = Layout(threads_per_rank=threads)
        return made_up("sparse.spmv", parameters, layout, "imbalance", 1.1)

    assert series_of([imbalance(1), imbalance(2)]) == ()
    unresolved = [replace(stream(n), resolved=False) for n in (1, 2)]
    assert series_of(unresolved) == ()
    zero = [replace(stream(n), value=0.0) for n in (1, 2)]
    assert series_of(zero) == ()


def test_a_time_in_another_unit_or_direction_is_another_series() -> None:
    one, two, four = (stream(n) for n in (1, 2, 4))
    for other in (
        replace(four, unit=MESSAGES_PER_SECOND),
        replace(four, direction=Direction.LOWER),
    ):
        assert [found.counts for found in series_of([one, two, other])] == [(1, 2)]


def shallow(threads: int, scaling: str) -> Estimate:
    parameters: dict[str, int | str] = {"cells": 1000, "steps": 24, "scaling": scaling}
    return made_up("codes.shallow", parameters, Layout(threads_per_rank=threads), "rate", 1e8)


def pressure(layout: Layout) -> Estimate:
    parameters: dict[str, int | str] = {"cells": 100, "iterations": 50, "scaling": "weak"}
    return made_up("proxies.ofp", parameters, layout, "rate", 1e8)


def test_work_that_grows_with_threads_by_its_own_parameter_is_a_growing_problem() -> None:
    found = series_of([shallow(n, scaling) for scaling in ("strong", "weak") for n in (1, 2)])
    problems = {one.conditions["scaling"]: one.problem for one in found}
    assert problems == {"strong": Problem.FIXED, "weak": Problem.GROWING}


def test_work_that_grows_with_ranks_alone_is_fixed_over_threads() -> None:
    (found,) = series_of([pressure(Layout(threads_per_rank=n)) for n in (1, 2)])
    assert found.problem is Problem.FIXED

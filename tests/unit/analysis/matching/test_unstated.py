"""What a source leaves open is told, and refused where it is how much was measured."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.comparability import comparability
from machmeter.analysis.matching.layouts import Reach
from machmeter.analysis.matching.operands import Operand
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import Parts
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import UNKNOWN_PARTS, code, machine, printed, stating

PAIR = Layout(ranks_per_node=2)


def measured(one: Estimate) -> Operand:
    return Operand(machine("here", one), one)


def paper_side(one: Estimate, stated: str = "", parts: Parts = UNKNOWN_PARTS) -> Operand:
    as_printed = printed(one, stated=stated)
    return Operand(machine("paper", as_printed, parts=parts, origin=Origin.PUBLISHED), as_printed)


def latency(layout: Layout = PAIR) -> Estimate:
    return made_up("network.latency", {"size": 8}, layout, "latency", 1e-6)


def stream(threads: int) -> Estimate:
    parameters: dict[str, Value] = {"kernel": "triad", "size": 2**26}
    layout = Layout(threads_per_rank=threads)
    one = made_up("memory.stream", parameters, layout, "stream_bandwidth", 1e10)
    return replace(one, memory_level=MemoryLevel.MEMORY)


def sync(threads: int, wait: WaitPolicy = WaitPolicy.ACTIVE) -> Estimate:
    layout = Layout(threads_per_rank=threads, wait_policy=wait)
    return made_up("threads.sync", {"construct": "parallel"}, layout, "overhead", 1e-6)


@pytest.mark.parametrize("wait", list(WaitPolicy))
def test_a_setting_that_is_left_out_is_told_and_no_value_of_it_is_nearer(wait: WaitPolicy) -> None:
    found = comparability(measured(sync(2, wait)), paper_side(sync(2), "threads_per_rank, binding"))
    assert found.reasons == ()
    assert found.notes == (f"{wait.value} wait: not stated by paper",)
    assert found.distance == 0


def test_what_neither_source_states_is_told_where_it_matters() -> None:
    a, b = (paper_side(sync(2), "threads_per_rank, binding") for _ in range(2))
    assert comparability(a, b).notes == ("wait policy: not stated by either",)
    of_one = paper_side(sync(1), "threads_per_rank, binding")
    assert comparability(of_one, of_one).notes == ()


def pairs(layout: Layout) -> Estimate:
    return made_up("network.pairs", {"size": 8}, layout, "mean_latency", 1e-6)


def test_how_many_pairs_there_were_may_stay_open_and_how_many_nodes_may_not() -> None:
    hopper = paper_side(pairs(Layout(nodes=2)), "nodes")
    found = comparability(hopper, measured(pairs(Layout(nodes=2, ranks_per_node=8))))
    assert (found.reach, found.reasons) == (Reach.OPEN, ())
    assert "how many ranks is not stated by paper" in found.notes
    within = comparability(hopper, measured(pairs(Layout(ranks_per_node=2))))
    assert within.reasons == ("2 nodes against 2 ranks on 1 node",)
    nowhere = paper_side(pairs(Layout(ranks_per_node=8)), "ranks_per_node")
    found = comparability(nowhere, measured(pairs(Layout(nodes=2, ranks_per_node=8))))
    assert found.reasons == ("how many nodes is not stated by paper",)


def test_a_silent_paper_is_refused_also_where_what_is_usual_is_what_was_measured() -> None:
    one = stream(1)
    assert comparability(measured(one), paper_side(one)).reasons == (
        "how many threads is not stated by paper",
    )
    tool = Operand(machine("tool", origin=Origin.IMPORTED), printed(one))
    found = comparability(measured(one), tool)
    assert (found.reach, found.reasons) == (Reach.OPEN, ())
    assert "how many threads is not stated by tool" in found.notes


def test_two_ranks_on_a_machine_of_one_node_are_on_that_node() -> None:
    one_node, two_nodes = (paper_side(latency(Layout()), parts=Parts(nodes=n)) for n in (1, 2))
    found = comparability(measured(latency()), one_node)
    assert (found.reach, found.reasons) == (Reach.SAME, ())
    assert comparability(measured(latency()), two_nodes).reasons == (
        "how many nodes and ranks is not stated by paper",
    )


def test_two_sources_that_are_both_silent_are_set_beside_each_other_for_work_alone() -> None:
    work = stating(code("raxml", 100.0))
    a, b = (Operand(machine(name, origin=Origin.PUBLISHED), work) for name in ("a", "b"))
    found = comparability(a, b)
    assert (found.reach, found.reasons) == (Reach.OPEN, ())
    assert found.notes == ("how many nodes, ranks and threads is not stated by either",)
    rates = (paper_side(stream(1)) for _ in range(2))
    assert comparability(*rates).reasons == ("how many threads is not stated by either",)


def test_a_time_is_not_compared_where_the_size_of_the_work_is_left_out() -> None:
    def grid(metric: str = "time", **parameters: Value) -> Estimate:
        return made_up("apps.heatflow", {"derivatives": 1, **parameters}, Layout(), metric, 1.0)

    found = comparability(measured(grid(cells=32)), paper_side(grid(), "threads_per_rank"))
    assert found.reasons == (
        "cells 32: not stated by paper, so that it is not known to be the same work",
    )
    how = comparability(measured(grid(arrays="slices")), paper_side(grid(), "threads_per_rank"))
    assert (how.reasons, how.notes) == ((), ("arrays slices: not stated by paper",))
    message = printed(made_up("network.latency", {}, PAIR, "latency", 1e-6))
    assert (
        "so that it is not known"
        in comparability(measured(latency()), paper_side(message)).reasons[0]
    )

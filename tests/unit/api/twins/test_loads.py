"""Which results of a simulated run have the load of links shown."""

from __future__ import annotations

from machmeter.api.twins.loads import loaded_results
from machmeter.model.layout import Layout
from tests.support.made_up.estimates import made_up


def test_of_most_ranks_and_largest_size() -> None:
    found = [
        made_up("network.collective", {"operation": name, "size": size}, layout, "time", 1e-6)
        for name in ("alltoall", "bcast")
        for size in (8, 4096)
        for layout in (Layout(nodes=2), Layout(nodes=4), Layout(nodes=1024), Layout())
    ]
    ((title, one),) = loaded_results(found)
    assert title == "all-to-all"
    assert (one.point.get("operation"), one.point.get("size")) == ("alltoall", 4096)
    assert one.point.layout.nodes == 4


def test_pairs_that_do_not_wait_for_each_other() -> None:
    found = [
        made_up("network.pairs", {"definition": name, "size": 8}, Layout(nodes=2), "latency", 1e-6)
        for name in ("barrier", "classic")
    ]
    ((_, one),) = loaded_results(found)
    assert one.point.get("definition") == "classic"

"""What collective operations move and hold at least."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.network.collectives import OPERATIONS
from machmeter.benchmarks.network.traffic import (
    ADAPTER_BYTES_PER_SECOND,
    MESSAGE_SECONDS,
    Traffic,
    traffic_of,
)
from machmeter.model.layout import Layout

KIB, GIB = 2**10, 2**30
CLUSTER = Layout(nodes=1000, ranks_per_node=128)


def of(operation: str, size: int, layout: Layout = CLUSTER) -> Traffic:
    found = traffic_of("network.collective", {"operation": operation, "size": size}, layout)
    assert found is not None
    return found


def test_an_all_to_all_of_many_ranks_takes_seconds_and_gigabytes() -> None:
    large = of("alltoall", 64 * KIB)
    # A rank has 64 KiB for each of 128,000, of which 127,872 are on other nodes.
    assert large.bytes == 128 * 127_872 * 64 * KIB
    assert large.buffer_bytes == 2 * 128 * 128_000 * 64 * KIB
    assert large.buffer_bytes / 2 / 128 / GIB == pytest.approx(7.8, abs=0.1)
    assert large.seconds == pytest.approx(large.bytes / ADAPTER_BYTES_PER_SECOND)
    overlapped = traffic_of(
        "network.collective-overlap", {"operation": "alltoall", "size": 64 * KIB}, CLUSTER
    )
    shmem = traffic_of("shmem.alltoall", {"size": 64 * KIB}, CLUSTER)
    assert overlapped == shmem == large


def test_the_shortest_operation_takes_as_many_messages_as_reach_all_ranks() -> None:
    assert of("allreduce", 8).seconds == pytest.approx(17 * MESSAGE_SECONDS)
    assert of("bcast", 8, Layout(nodes=1, ranks_per_node=2)).steps == 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_operation_leaves_a_node_that_is_alone(operation: str) -> None:
    alone = of(operation, KIB, Layout(nodes=1, ranks_per_node=4))
    assert alone.bytes == 0
    assert alone.buffer_bytes >= 4 * KIB
    more = of(operation, KIB, Layout(nodes=3, ranks_per_node=4))
    assert more.bytes >= KIB
    assert more.buffer_bytes >= alone.buffer_bytes


def test_other_benchmarks_have_no_such_bound() -> None:
    assert traffic_of("network.latency", {"size": 8}, CLUSTER) is None
    assert traffic_of("network.barrier", {}, CLUSTER) is None

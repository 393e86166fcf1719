"""A run on processors of any generation is answered: by a limit, by machines, or with a reason."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace

from machmeter.analysis.normal.position import positions
from machmeter.machine.hardware.processors import known_generations
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.published.load import names_of_today
from machmeter.published.machine import published_results
from tests.support.made_up.estimates import made_up

CORES = 64
TRIAD: dict[str, Value] = {"kernel": "triad", "stores": "temporal", "size": 2**32}
LATENCY: dict[str, Value] = {
    "size": 8, "pattern": "ping-pong", "way": "blocking", "data": "contiguous", "buffers": "hot",
}  # fmt: skip


@cache
def of_today() -> tuple[MachineResults, ...]:
    return tuple(map(published_results, names_of_today()))


def key_results() -> tuple[Estimate, ...]:
    whole = Layout(threads_per_rank=CORES)
    triad = made_up("memory.stream", TRIAD, whole, "stream_bandwidth", 150e9)
    return (
        replace(triad, memory_level=MemoryLevel.MEMORY),
        made_up("compute.fma", {"width": "256-bit", "precision": "double"}, whole, "flops", 2e12),
        made_up("network.latency", LATENCY, Layout(nodes=2), "latency", 2e-6),
    )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("generation", sorted(known_generations()))
def test_every_key_result_has_a_row_or_a_reason(generation: str, known: bool) -> None:
    found = key_results()
    here = MachineResults(
        "here",
        "Here",
        Origin.MEASURED,
        "machmeter",
        parts=Parts(1, CORES),
        generation=generation,
        limits={"memory": 200e9} if known else {},
        estimates=found,
    )
    triad, *others = positions(here, found, of_today())
    for one in (triad, *others):
        assert one.others or one.not_placed
        assert all(refused.reason for refused in one.not_placed)
    assert (triad.share is not None) is known
    assert triad.has_place is known

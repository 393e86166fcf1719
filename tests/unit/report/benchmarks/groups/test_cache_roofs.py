"""Cache levels as roofs: which sweeps are in which level, and how they are drawn."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.layout import Layout
from machmeter.model.results.curves import LastCache
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.caches import cache_roofs
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.selection import best, memory_traffic
from tests.support.synthetic.machine import make_packages
from tests.support.synthetic.runs import charts_in
from tests.unit.report.benchmarks.groups.test_roofline import (
    CORES,
    GIGA,
    PEAKS,
    run_of,
    sparse,
    sweep,
)

KIB, MIB = 2**10, 2**20
# Each core has 32 KiB and 1 MiB of its own, all share 32 MiB.
MACHINE = make_packages(1, 1, CORES)
LAST = LastCache(32 * MIB, 32 * MIB, 32 * MIB, 32 * MIB, 32 * MIB)
TO_MEMORY = sweep("read", "temporal", 40, 40)


def read(size: int, rate: float, layout: Layout | None = None) -> list[Estimate]:
    usual = Layout(threads_per_rank=CORES)
    return sweep("read", "temporal", rate, rate, size=size, layout=layout or usual)


LEVELS = [*read(64 * KIB, 900), *read(MIB, 500), *read(16 * MIB, 200)]


def cached(*estimates: Estimate, last: LastCache = LAST) -> RunResult:
    result = run_of(*TO_MEMORY, *PEAKS, *estimates)
    header = replace(result.header, machine=MACHINE)
    return replace(result, header=header, last_cache=last)


def roofs(result: RunResult) -> dict[str, float]:
    memory = best(memory_traffic(result.estimates))
    assert memory is not None
    return {one.name: round(one.bandwidth.value / GIGA) for one in cache_roofs(result, memory)}


def test_each_level_is_the_fastest_sweep_over_arrays_in_it_alone() -> None:
    between = [*read(160 * KIB, 800), *read(6 * MIB, 450), *read(33 * MIB, 450)]
    found = roofs(cached(*LEVELS, *read(2 * MIB, 480), *between))
    assert found == {"L1": 900, "L2": 500, "L3": 200}


def test_assumed_reads_stores_past_the_caches_and_fewer_cores_are_no_cache_roof() -> None:
    others = [
        *sweep("triad", "temporal", 500, 700, size=MIB),
        *sweep("triad", "nontemporal", 600, 600, size=MIB),
        *read(MIB, 700, Layout(threads_per_rank=2)),
    ]
    assert roofs(cached(*LEVELS, *others))["L2"] == 500
    assert roofs(cached(*others)) == {}


def test_a_level_no_faster_than_the_next_is_left_out() -> None:
    assert roofs(cached(*read(64 * KIB, 300), *LEVELS[2:])) == {"L2": 500, "L3": 200}


def test_the_last_level_is_as_large_as_the_run_takes_it() -> None:
    small = LastCache(32 * MIB, 8 * MIB, 8 * MIB, 8 * MIB, 8 * MIB)
    assert "L3" not in roofs(cached(*LEVELS, last=small))


def test_what_is_said_of_memory_is_not_of_caches() -> None:
    result = cached(*LEVELS)
    peak = best(memory_traffic(result.estimates))
    assert peak is not None
    assert peak.value < 41 * GIGA
    products = limits(cached(*LEVELS, *sparse(2**28 // 12)))
    (share,) = (one.text for one in products if "Sparse product" in one.title)
    assert share.startswith("banded 8")  # 35 of 40 GB/s
    (bus,) = (c for c in charts_in(result, "memory.stream") if c.name == "memory-stream-bus")
    values = [
        row["value"] for rows in bus.spec["datasets"].values() for row in rows if "value" in row
    ]
    assert max(values) < 41


def test_slopes_of_caches_meet_the_peak_before_that_of_memory() -> None:
    result = cached(*LEVELS)
    (chart,) = (c for c in charts_in(result, "compute.fma") if c.name == "compute-roofline")
    (rows, *_) = chart.spec["datasets"].values()
    bends = {r["series"]: r["x"] for r in rows if r["value"] > 79.9 and "peak" not in r["series"]}
    assert bends == {
        "L1 roof": 0.088889,
        "L2 roof": 0.16,
        "L3 roof": 0.4,
        "memory roof, by read": 2,
    }
    widest = [row["x"] for row in rows if row["series"] == "peak, 256-bit"]
    assert min(widest) == 0.088889
    (text,) = (one.text for one in limits(result) if "caches" in one.title)
    assert text.startswith("L1 900 GB/s [")

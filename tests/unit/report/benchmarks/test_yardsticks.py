"""A key result is related to another result of its run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS, find
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import BUS_BYTES_PER_SECOND
from machmeter.model.variant import Variant
from machmeter.report.benchmarks.headlines import HeadlineResult, headline_results
from machmeter.report.benchmarks.selection import best, estimates_of, size
from machmeter.report.benchmarks.yardsticks import yardstick_text
from tests.support.synthetic.runs import run

QUICK = run("quick")
SHOWN = {one.title: one for one in headline_results(QUICK)}


def of(title: str) -> HeadlineResult:
    return SHOWN[title]


def bus(one: Estimate) -> Estimate:
    rates = [e for e in QUICK.estimates if e.unit == BUS_BYTES_PER_SECOND]
    return next(e for e in rates if e.point == one.point)


def test_stores_that_read_first_are_a_share_of_the_peak_traffic_with_write_allocate() -> None:
    triad = of("Triad as compiled")
    peak = max(e.value for e in QUICK.estimates if e.unit == BUS_BYTES_PER_SECOND)
    share = f"{100 * bus(triad.estimate).value / peak:.0f} % of modeled peak traffic"
    assert bus(triad.estimate).value > triad.estimate.value
    assert triad.against == f"{share} with write-allocate"


def test_the_peak_is_no_share_of_itself() -> None:
    rates = [e for e in QUICK.estimates if e.unit == BUS_BYTES_PER_SECOND]
    peak = best(rates)
    assert peak
    own = next(
        e for e in estimates_of(QUICK, "memory.stream", "stream_bandwidth") if e.point == peak.point
    )
    assert yardstick_text(QUICK, own) == "the modeled peak traffic of this run"


def test_memory_bandwidth_names_another_kernel() -> None:
    copies = replace(
        QUICK,
        estimates=tuple(
            e
            for e in estimates_of(QUICK, "memory.stream", "stream_bandwidth")
            if e.point.get("kernel") == "copy"
        ),
    )
    assert {one.title for one in headline_results(copies)} >= {"Memory bandwidth, copy"}


def test_latency_is_a_multiple_of_the_first_cache_level() -> None:
    one = of("Memory latency, 4 KiB pages")
    first = QUICK.knees[str(one.estimate.point.layout.page_bytes)][0]
    times = float(one.against.partition("x")[0])
    assert times == pytest.approx(one.estimate.value / first.latency_seconds, rel=0.01)
    assert "first cache level" in one.against


def test_the_message_rate_is_that_of_one_way() -> None:
    assert of("MPI message rate, one way").estimate.point.get("direction") == "one-way"


def test_a_message_is_a_multiple_of_a_memory_access() -> None:
    one = of("MPI latency, 8 B")
    accesses = estimates_of(QUICK, "memory.latency")
    largest = max(map(size, accesses))
    times = float(one.against.partition("x")[0])
    ratios = [one.estimate.value / e.value for e in accesses if size(e) == largest]
    assert any(times == pytest.approx(ratio, rel=0.01) for ratio in ratios)
    assert one.against.endswith("memory access")


def test_the_message_rate_is_related_to_one_message_at_a_time() -> None:
    rate = next(one for one in SHOWN.values() if one.title.startswith("MPI message rate"))
    same = [
        e
        for e in estimates_of(QUICK, "network.latency")
        if size(e) == size(rate.estimate) and e.point.layout == rate.estimate.point.layout
    ]
    latency = best(same)
    assert latency is not None
    times = float(rate.against.partition("x")[0])
    assert times == pytest.approx(rate.estimate.value * latency.value, rel=0.01)
    other = Variant(mpi="of another library")
    faster = tuple(
        replace(e, value=e.value / 2, point=replace(e.point, variant=other)) for e in same
    )
    both = replace(QUICK, estimates=(*QUICK.estimates, *faster))
    assert yardstick_text(both, rate.estimate) == rate.against


def test_nothing_is_said_without_the_other_result_or_of_an_upper_bound() -> None:
    one = of("MPI latency, 8 B").estimate
    only = replace(QUICK, estimates=(one,))
    assert yardstick_text(only, one) == ""
    assert yardstick_text(QUICK, replace(one, resolved=False)) == ""


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda one: one.name)
def test_yardsticks_name_what_the_catalogue_has(benchmark: object) -> None:
    for yardstick in benchmark.display.yardsticks:  # type: ignore[attr-defined]
        metrics = {metric.name for metric in benchmark.metrics}  # type: ignore[attr-defined]
        assert set(yardstick.metrics) <= metrics
        assert not yardstick.of or find(yardstick.of)


def test_a_working_set_that_fits_in_a_cache_is_no_memory_access() -> None:
    message = of("MPI latency, 8 B").estimate
    sizes = sorted({size(e) for e in estimates_of(QUICK, "memory.latency")})
    for largest, is_memory in ((sizes[0], False), (sizes[-1], True)):
        kept = tuple(
            e
            for e in QUICK.estimates
            if e.point.benchmark != "memory.latency" or size(e) <= largest
        )
        text = yardstick_text(replace(QUICK, estimates=kept), message)
        assert text.endswith("memory access") == is_memory
    larger = replace(QUICK.last_cache, size=sizes[-1])
    assert not yardstick_text(replace(QUICK, last_cache=larger), message).endswith("memory access")

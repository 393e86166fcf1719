"""What every launch of a benchmark must bear out, whatever it measures."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from machmeter.benchmarks.catalogue import find
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.machine.detect import detect_machine
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Launch, LaunchOutcome, PointRecord, Record, Verdict
from machmeter.model.units import format_bytes
from machmeter.run.measuring.tally import metrics_of

MEMORY = detect_machine().memory
BASE_PAGE, HUGE_PAGE = MEMORY.base_page_bytes, MEMORY.huge_page_bytes


def holds(layout: Layout) -> None:
    """Skip the test where this machine has no room for the layout."""
    try:
        assign(layout, detect_machine().topology)
    except LayoutError as error:
        pytest.skip(str(error))


def assert_measured(
    launch: Launch,
    outcome: LaunchOutcome,
    record: Record,
    *,
    excuses: Sequence[str] = (),
    least_samples: int = 5,
) -> None:
    """It ran where it was asked to, every point is there, checked, and its samples are times.

    excuses: words with which a point may say that it could not be measured here.
    """
    layout = launch.spec.layout
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    assert outcome.exit_code == 0
    assert record.header is not None
    assert record.header.world_size == layout.ranks
    assert len(record.header.places) == layout.threads
    names = [host.name for host in record.header.hosts]
    assert sorted(names) == sorted({place.host for place in record.header.places})
    assert all(host.kernel and host.allowed_cpus for host in record.header.hosts)
    assert len(record.points) == len(launch.spec.points)
    for point in record.points:
        if point.check.passed or not any(words in point.check.what for words in excuses):
            _assert_point(launch, point, least_samples)
    for reason in outcome.dropped_points.values():
        if any(words in reason for words in excuses):
            continue
        # A machine may have no huge page left: that must be told, and is no mistake of the kernel.
        assert layout.page_bytes == HUGE_PAGE, reason
        assert f"asked {format_bytes(HUGE_PAGE)}, obtained {format_bytes(BASE_PAGE)}" in reason
    if layout.page_bytes == BASE_PAGE:
        assert {point.page_bytes for point in record.points} <= {0, BASE_PAGE}


def _assert_point(launch: Launch, point: PointRecord, least_samples: int) -> None:
    assert point.check.passed, (point.parameters, point.check)
    assert metrics_of(find(launch.spec.benchmark), point), "a point without any metric"
    for name, samples in point.series.items():
        assert len(samples) >= least_samples, (point.parameters, name)
        assert all(sample > 0 for sample in samples), (point.parameters, name)

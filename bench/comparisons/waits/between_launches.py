"""What machmeter takes between two launches of a large plan: judging, statistics, progress, files.

The launches are made up and take no time; the peer is the time that a launch may wait.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

from bench.context import Bench, Outcome, empty_outcome
from bench.rounds import Contender
from bench.verdicts import at_least, center, ratio_row
from machmeter.launch.launcher import Attempt
from machmeter.model.plan.launch import Launch
from machmeter.model.results.run import Plan, Precision
from machmeter.model.units import SECONDS, format_value
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.planning.plan import REFERENCE_END, REFERENCE_START, reference_spec
from machmeter.run.planning.sizing import Sizes
from tests.support.fake_launcher import (
    FakeLauncher,
    new_folder,
    small_spec,
    synthetic_machine,
)

TITLE = "between-launches"
SPECS, POINTS_EACH, LAUNCHES = 100, 10, 3
ALLOWED = 0.05
_NAME = f"a plan of {SPECS * POINTS_EACH:,} points"
_PART = "between launches"
_PRECISION = Precision(
    half_width=0.5, least_launches=LAUNCHES, most_launches=LAUNCHES, budget_seconds=3600.0
)


class _TimedLauncher(FakeLauncher):
    """Counts the seconds that its own launches take."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        began = time.perf_counter()
        attempt = super().start(launch, record, limit_seconds)
        self.seconds += time.perf_counter() - began
        return attempt


def compare(bench: Bench) -> Outcome:
    """Every launch of the plan, in each round."""
    outcome = empty_outcome("What machmeter takes between two launches")
    measured = bench.measure(TITLE, [Contender(_NAME, lambda _round: {_PART: between_launches()})])
    if measured.has(_NAME, _PART):
        values = measured.values(_NAME, _PART)
        row = ratio_row(
            f"{_NAME}\n: {_PART}, at most",
            values,
            dict.fromkeys(values, ALLOWED),
            higher_is_better=False,
            statistic="time",
            target=at_least(1.0),
            text=(format_value(center(values), SECONDS), format_value(ALLOWED, SECONDS)),
        )
        outcome.rows.append(row)
    outcome.failures += measured.failure_lines()
    return outcome


def between_launches() -> float:
    """Seconds for each launch of a plan of made-up ones, without what these take."""
    sizes = [8192 * number for number in range(1, POINTS_EACH + 1)]
    machine = synthetic_machine()
    specs = [small_spec(f"spec {number}", *sizes) for number in range(SPECS)]
    reference = partial(reference_spec, machine)
    plan = Plan((*specs, reference(REFERENCE_START), reference(REFERENCE_END)), _PRECISION)

    def planner(_sizes: Sizes) -> Plan:
        return plan

    with tempfile.TemporaryDirectory(prefix="machmeter-bench-") as name:
        folder = new_folder(Path(name) / "run", precision=_PRECISION)
        launcher = _TimedLauncher()
        began = time.perf_counter()
        measure(folder, launcher, _PRECISION, planner, ignore_progress)
        seconds = time.perf_counter() - began - launcher.seconds
    return seconds / len(launcher.started)

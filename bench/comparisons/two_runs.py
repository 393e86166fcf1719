"""`quick` twice, one run after the other: false differences, drift, and use of wall time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.comparisons.same_points import difference_notes
from bench.context import Bench, Outcome, empty_outcome
from bench.differences import count_differences
from bench.verdicts import Row, Target, TargetVerdict, share_row
from machmeter.analysis.stats.drift import drifted, reference_drift
from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.reference import REFERENCE
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import Precision, Request, RunResult
from machmeter.model.units import SECONDS, format_value
from machmeter.run.measuring.lock import machine_to_ourselves
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import (
    create_run,
    measure_run,
    plan_before_sizing,
    prepare_programs,
)
from machmeter.run.measuring.tally import Tally
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from machmeter.studies.quick import QUICK
from machmeter.text.runs import caveat_text

TITLE = "two-runs"
RUNS = 2


def compare(bench: Bench) -> Outcome:
    """Two runs of `quick` with its own budget, or the bench's where that is shorter."""
    outcome = empty_outcome("Two runs of `quick`, one after the other")
    with tempfile.TemporaryDirectory(prefix="machmeter-bench-runs-") as name:
        try:
            folders = [_run(bench, Path(name) / str(n), n) for n in range(1, RUNS + 1)]
            results = [collect(folder) for folder in folders]
        except MachmeterError as error:
            outcome.failures.append(f"{error.message}. {error.remedy}")
            return outcome
        drift_rows = _drift_rows(*folders)
    first, second = (_primary(result) for result in results)
    counts = count_differences(first, second, paired=False)
    text = (f"{counts.different} of {counts.compared}", "")
    outcome.rows.append(
        share_row("reported as different, Welch", counts.share, counts.compared, Target(), text)
    )
    outcome.rows += drift_rows
    outcome.notes += difference_notes("Welch", counts)
    for number, result in enumerate(results, start=1):
        outcome.rows += _time_rows(number, result)
        outcome.notes += [f"run {number}: {caveat_text(caveat)}" for caveat in result.caveats]
    return outcome


def _primary(result: RunResult) -> list[Estimate]:
    return [e for e in result.estimates if find(e.point.benchmark).metric(e.metric).primary]


def _run(bench: Bench, path: Path, number: int) -> RunFolder:
    precision = Precision()
    budget = min(precision.budget_seconds, bench.options.budget)
    request = Request(
        names=("quick",),
        study=QUICK,
        layout_options=LayoutOptions(),
        precision=Precision(budget_seconds=budget),
        mpi=bench.options.mpi,
        compiler="",
    )
    context = BuildContext(bench.environment, bench.cache)
    name = f"bench-run-{number}"
    with machine_to_ourselves(bench.cache, name):
        plan = plan_before_sizing(request, bench.machine)
        ready = prepare_programs(request, plan, bench.machine, context, bench.notify)
        bench.notify(f"{TITLE}: run {number} of {RUNS}, at most {budget:.0f} s")
        folder = create_run(path, name, request, bench.machine, ("bench",))
        measure_run(folder, ready.launcher, ignore_progress)
    return folder


def _drift_rows(first: RunFolder, second: RunFolder) -> list[Row]:
    """The reference kernel of both runs, all launches: did the machine drift between them?"""
    rows = []
    before, after = _reference_values(first), _reference_values(second)
    for part in sorted(before.keys() & after.keys()):
        drift = reference_drift(part, before[part], after[part])
        same = not drifted(drift)
        rows.append(
            Row(
                what=f"reference kernel, {part}, run 2 over run 1: "
                f"{'the same' if same else 'DRIFTED'}",
                ours=format_value(drift.start_seconds, SECONDS),
                peer=format_value(drift.end_seconds, SECONDS),
                ratio=drift.ratio,
                low=drift.low,
                high=drift.high,
                launches=len(before[part]),
                statistic="time",
                target="",
                verdict=TargetVerdict.SHOWN,
            )
        )
    return rows


def _reference_values(folder: RunFolder) -> dict[str, tuple[float, ...]]:
    """Launch values of the reference kernel by part, seconds, start and end of the run together."""
    tally = Tally(Precision())
    specs = {}
    for number in folder.launch_numbers():
        spec, outcome = folder.launch(number).spec, folder.outcome(number)
        if spec.of_reference and outcome is not None:
            tally.add(spec, outcome, folder.record(number))
            specs[spec.name] = spec
    values: dict[str, tuple[float, ...]] = {}
    for spec in specs.values():
        for point in spec.points:
            part = str(point.get("part"))
            taken = tally.values(spec, point, REFERENCE.metrics[0].name)
            values[part] = values.get(part, ()) + taken
    return values


def _time_rows(number: int, result: RunResult) -> list[Row]:
    use = result.time_use
    wall = max(use.wall, 1e-9)
    shares = (
        ("outside launches", (use.wall - use.launches) / wall),
        ("in launches, outside timed parts", (use.launches - use.timed) / wall),
        ("in timed parts", use.timed / wall),
    )
    return [
        share_row(
            f"run {number}, wall time {what}",
            share,
            len(result.outcomes),
            Target(),
            (f"{share * use.wall:.1f} s", f"of {use.wall:.1f} s"),
        )
        for what, share in shares
    ]

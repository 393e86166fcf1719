"""A run as its files tell it: everything a report needs."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.drift import reference_drift
from machmeter.analysis.noise import summarize_noise
from machmeter.benchmarks.memory import LATENCY
from machmeter.benchmarks.reference import REFERENCE
from machmeter.model.errors import MachmeterError
from machmeter.model.estimate import Knee
from machmeter.model.launch import Noise, Outcome, Record, Toolchain, Verdict
from machmeter.model.run import Plan, ReferenceDrift, RunResult, TimeUse
from machmeter.run.findings import answer
from machmeter.run.judge import as_it_stands
from machmeter.run.measure import knees_of
from machmeter.run.plan import REFERENCE_END, REFERENCE_START
from machmeter.run.tally import Tally
from machmeter.run.warnings import run_warnings
from machmeter.store.run_folder import RunFolder


def collect(folder: RunFolder) -> RunResult:
    """The result of the run in `folder`, finished or not.

    Raises MachmeterError when the run was interrupted before it had a plan.
    """
    plan = folder.plan()
    if plan is None:
        raise MachmeterError(
            f"run {folder.header().id} in {folder.path} was interrupted before it measured "
            "anything",
            f"go on with `machmeter run --resume {folder.path}`",
        )
    tally = Tally(plan.precision)
    outcomes: list[Outcome] = []
    noises: list[Noise] = []
    toolchain: Toolchain | None = None
    timed = 0.0
    for number in folder.launch_numbers():
        outcome = folder.outcome(number)
        if outcome is None:
            continue
        record = folder.record(number)
        outcome = as_it_stands(outcome, record)
        outcomes.append(outcome)
        tally.add(folder.launch(number).spec, outcome, record)
        if outcome.verdict is Verdict.ACCEPTED:
            noises += _noises(record)
            timed += record.closing.timed_seconds if record.closing else 0.0
            toolchain = _fuller(toolchain, record)
    return _result(folder, plan, tally, outcomes, noises, toolchain, timed)


def _result(
    folder: RunFolder,
    plan: Plan,
    tally: Tally,
    outcomes: Sequence[Outcome],
    noises: Sequence[Noise],
    toolchain: Toolchain | None,
    timed: float,
) -> RunResult:
    header, state = folder.header(), folder.state()
    estimates = tuple(
        e for spec in plan.specs if spec.role == "points" for e in tally.estimates(spec)
    )
    drift, noise = _drift(plan, tally), summarize_noise(noises)
    launched = sum(outcome.wall_seconds for outcome in outcomes)
    return RunResult(
        header=header,
        state=state.state,
        plan=plan,
        estimates=estimates,
        outcomes=tuple(outcomes),
        knees=_knees(plan, tally),
        findings=tuple(answer(question, estimates) for question in plan.questions),
        drift=drift,
        noise=noise,
        time_use=TimeUse(wall=state.wall_seconds, launches=launched, timed=timed),
        warnings=run_warnings(header.machine, plan, outcomes, estimates, drift, noise),
        toolchain=toolchain,
    )


def _noises(record: Record) -> tuple[Noise, ...]:
    before = record.header.noise if record.header else ()
    after = record.closing.noise if record.closing else ()
    return (*before, *after)


def _fuller(known: Toolchain | None, record: Record) -> Toolchain | None:
    """The toolchain of the MPI program says more than the node program's."""
    if record.header is None or (known is not None and known.mpi_library):
        return known
    return record.header.toolchain


def _knees(plan: Plan, tally: Tally) -> dict[str, tuple[Knee, ...]]:
    return {
        str(spec.layout.page_bytes): knees
        for spec in plan.specs
        if spec.benchmark == LATENCY.name and (knees := knees_of(tally, spec))
    }


def _drift(plan: Plan, tally: Tally) -> tuple[ReferenceDrift, ...]:
    by_name = {spec.name: spec for spec in plan.specs}
    start, end = by_name[REFERENCE_START], by_name[REFERENCE_END]
    metric = REFERENCE.metrics[0].name
    found = []
    for point in start.points:
        before, after = (tally.values(spec, point, metric) for spec in (start, end))
        if before and after:
            found.append(reference_drift(str(point.get("part")), before, after))
    return tuple(found)

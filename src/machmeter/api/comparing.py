"""Machines compared with the first one, and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from machmeter.analysis.matching.compare_machines import compare_machines, kept_to
from machmeter.analysis.scores.scores import Score
from machmeter.api.context import Context
from machmeter.api.loading import load
from machmeter.api.machines import MachineName, machine
from machmeter.api.scores import ScoreRequest, scores_of
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.origin import Origin
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.machine_comparison import MachineComparison
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.views.nothing_common import what_would_be
from machmeter.run.compare.other_runs import other_runs
from machmeter.run.history.indexing import index_of, renew, result_of
from machmeter.store.run_folder import RunFolder
from machmeter.text.comparison import MachinePair

MAX_MACHINES = 20
"""Machines of one comparison, the baseline among them."""


class Comparisons(Struct, frozen=True):
    """Machines compared with the first one: what `compare --json` prints."""

    machines: tuple[MachineResults, ...]
    """As compared, without their results: those in common are in `comparisons`."""
    comparisons: tuple[MachineComparison, ...]
    """The first machine with each other one, in the order of `machines`."""
    scores: tuple[Score, ...] = ()
    """Against the first machine; empty where none was requested."""
    nothing_common: dict[str, tuple[str, ...]] = {}
    """By ID of a machine without a comparable result: commands that measure one, or its needs."""


def compare(
    names: Sequence[MachineName],
    *,
    benchmarks: Sequence[str] = (),
    score: ScoreRequest | None = None,
    context: Context | None = None,
) -> Comparisons:
    """Compare machines with the first one: results that have the same definition.

    Ratios are such that above 1 the other machine is better.

    Args:
        names: Two or more, as in `machine`.
        benchmarks: Only these benchmarks or groups.
        score: Also this score.
        context: Folders and listeners.

    Raises:
        UsageError: Fewer than two machines or over 20, one named twice, launches that two have in
            common, or a benchmark that none has.
        NoScoreError: The score cannot be made of their results.
        MachmeterError: A machine cannot be read.
    """
    _refuse_many(names)
    context = context or Context()
    found = named_apart([machine(name, context=context) for name in names], names)
    return compare_results(found, benchmarks=benchmarks, score=score, context=context)


def compare_results(
    machines: Sequence[MachineResults],
    *,
    benchmarks: Sequence[str] = (),
    score: ScoreRequest | None = None,
    context: Context | None = None,
) -> Comparisons:
    """As `compare`, of machines at hand; context: whose runs show the spread between runs (None:
    that is left out)."""
    kept = kept_to_benchmarks(machines, benchmarks)
    comparisons = compared_with_first(kept, context)
    scores = scores_of(kept, comparisons, score) if score else ()
    heads = tuple(
        replace(machine, estimates=(), parts=_stated_parts(machine.parts)) for machine in kept
    )
    nothing = {
        other.id: what_would_be(MachinePair(kept[0], other, comparison))
        for other, comparison in zip(kept[1:], comparisons, strict=True)
        if not comparison.results
    }
    return Comparisons(heads, comparisons, scores, nothing)


def compared_with_first(
    machines: Sequence[MachineResults], context: Context | None = None
) -> tuple[MachineComparison, ...]:
    """The first machine with each other one; context: as in `compare_results`."""
    first, *others = machines
    return tuple(
        compare_machines(first, other, others=_between(first, other, context)) for other in others
    )


def _between(
    a: MachineResults, b: MachineResults, context: Context | None
) -> tuple[MachineResults, ...]:
    """Other runs of the machine that both are single runs of, as the store has them."""
    single = all(one.origin is Origin.MEASURED and one.runs == (one.id,) for one in (a, b))
    if context is None or not single:
        return ()
    try:
        one, other = (load(each.id, context=context).result for each in (a, b))
    except MachmeterError:
        return ()
    return other_runs(one, other, _stored(one, context))


def _stored(one: RunResult, context: Context) -> Iterator[RunResult]:
    """The finished runs of a machine that the index lists, the newest first; without those that
    cannot be read."""
    here = one.header.machine
    machine = (here.host, here.cpu_model, here.name)
    renew(context.data, context.cache, context.warn, context.notify)
    try:
        listed = index_of(context.data).runs()
    except MachmeterError:
        return
    for run in reversed(listed):
        finished = run.state is RunState.FINISHED and not run.against
        if finished and (run.host, run.cpu_model, run.machine) == machine:
            with suppress(MachmeterError):
                yield result_of(RunFolder.open(Path(run.folder)), context.cache)


def _stated_parts(parts: Parts) -> Parts:
    """Only what is known, so that JSON leaves out the rest: a default is one by identity."""
    return Parts(**{name: value for name, value in asdict(parts).items() if value})


def kept_to_benchmarks(
    machines: Sequence[MachineResults], benchmarks: Sequence[str] = ()
) -> tuple[MachineResults, ...]:
    """The machines with only the results of those benchmarks or groups (none: all).

    Raises UsageError where they cannot be compared, as `compare` says.
    """
    ids = [machine.id for machine in machines]
    _refuse_many(ids)
    if len(ids) < 2:
        raise UsageError("a comparison needs two machines or more", "`machmeter compare A B`")
    repeated = next((one for one in ids if ids.count(one) > 1), "")
    if repeated:
        raise UsageError(f"{repeated} is named twice", "name each machine once")
    for other in machines[1:]:
        _refuse_common_launches(machines[0], other)
    _refuse_unknown(machines, benchmarks)
    return tuple(kept_to(machine, benchmarks) for machine in machines)


def _refuse_many(names: Sequence[MachineName]) -> None:
    if len(names) > MAX_MACHINES:
        raise UsageError(
            f"{len(names)} machines: at most {MAX_MACHINES} are compared at once",
            "name fewer; `machmeter compare RUN normal --beside FOLDER` takes a whole folder",
        )


def _refuse_common_launches(a: MachineResults, b: MachineResults) -> None:
    """Two libraries of the same runs have launches of their own; anything else that shares a run is
    compared with itself.
    """
    common = [run for run in a.runs if run in b.runs]
    two_libraries = a.runs == b.runs and "@" in a.id and "@" in b.id
    if common and not two_libraries:
        raise UsageError(
            f"{a.id} and {b.id} share run {common[0]}: its launches would be compared with "
            "themselves",
            "name each run once; to compare MPI libraries of one run: RUN@ONE RUN@OTHER",
        )


def _refuse_unknown(machines: Sequence[MachineResults], benchmarks: Sequence[str]) -> None:
    for name in benchmarks:
        if not any(kept_to(machine, (name,)).estimates for machine in machines):
            has = dict.fromkeys(e.point.benchmark for m in machines for e in m.estimates)
            raise UsageError(
                f"none of the machines has a benchmark or group {name!r}",
                f"they have: {', '.join(has) or 'no results'}",
            )


def named_apart(
    machines: Sequence[MachineResults], names: Sequence[MachineName]
) -> tuple[MachineResults, ...]:
    """The machines, those from files of equal name by the paths they were given as."""
    ids = Counter(machine.id for machine in machines)
    return tuple(
        replace(machine, id=str(name))
        if ids[machine.id] > 1 and machine.origin is not Origin.MEASURED
        else machine
        for machine, name in zip(machines, names, strict=True)
    )

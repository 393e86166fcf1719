"""What `machmeter compare` says: machines beside the first, and scores where one is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from machmeter.analysis.matching.compare_machines import compare_machines, kept_to
from machmeter.analysis.scores.scores import Score
from machmeter.cli.actions.scoring import ScoreAsked, scores_of
from machmeter.model.errors import UsageError
from machmeter.model.results.machine import MachineResults, Origin, Parts
from machmeter.model.results.machine_comparison import MachineComparison


class SetBeside(Struct, frozen=True):
    """Machines with the figures that are compared, and each further one beside the first."""

    machines: tuple[MachineResults, ...]
    comparisons: tuple[MachineComparison, ...]


class CompareDocument(Struct, frozen=True):
    """What `compare --json` prints: each further machine beside the first.

    machines: without their figures; those that are compared stand in `comparisons`.
    """

    machines: tuple[MachineResults, ...]
    comparisons: tuple[MachineComparison, ...]
    scores: tuple[Score, ...] = ()


def compared(
    machines: Sequence[MachineResults], benchmarks: Sequence[str], score: ScoreAsked | None = None
) -> CompareDocument:
    """The machines beside the first one as `set_beside` puts them, and their scores.

    Raises UsageError as that does, and for a score that cannot be made of their figures.
    """
    found = set_beside(machines, benchmarks)
    scores = scores_beside(found, score) if score else ()
    heads = tuple(
        replace(machine, estimates=(), parts=_known_parts(machine.parts))
        for machine in found.machines
    )
    return CompareDocument(heads, found.comparisons, scores)


def _known_parts(parts: Parts) -> Parts:
    """Only what is known, so that JSON leaves out the rest: a default is one by identity."""
    return Parts(**{name: value for name, value in asdict(parts).items() if value})


def scores_beside(found: SetBeside, asked: ScoreAsked) -> tuple[Score, ...]:
    """The scores of machines that stand beside the first; raises as `scores_of` does."""
    first, *others = found.machines
    return scores_of(first, others, found.comparisons, asked)


def set_beside(machines: Sequence[MachineResults], benchmarks: Sequence[str] = ()) -> SetBeside:
    """The machines beside the first one, kept to those benchmarks or groups where any is named.

    Raises UsageError for fewer than two machines, one that is named twice, launches that would
    stand on both sides, and a benchmark that no machine has.
    """
    ids = [machine.id for machine in machines]
    if len(ids) < 2:
        raise UsageError("compare takes two machines or more", "`machmeter compare A B`")
    twice = next((one for one in ids if ids.count(one) > 1), "")
    if twice:
        raise UsageError(f"{twice} is named twice", "name each machine once")
    for other in machines[1:]:
        _refuse_common_launches(machines[0], other)
    _refuse_unknown(machines, benchmarks)
    first, *others = (kept_to(machine, benchmarks) for machine in machines)
    comparisons = tuple(compare_machines(first, other) for other in others)
    return SetBeside((first, *others), comparisons)


def _refuse_common_launches(a: MachineResults, b: MachineResults) -> None:
    """Two libraries of the same runs have launches of their own; anything else is set against
    itself where a run is on both sides.
    """
    common = [run for run in a.runs if run in b.runs]
    two_libraries = a.runs == b.runs and "@" in a.id and "@" in b.id
    if common and not two_libraries:
        raise UsageError(
            f"{a.id} and {b.id} have run {common[0]} in common: its launches would be compared "
            "with themselves",
            "name runs on one side only; of several MPI libraries name both, RUN@ONE RUN@OTHER",
        )


def _refuse_unknown(machines: Sequence[MachineResults], benchmarks: Sequence[str]) -> None:
    for name in benchmarks:
        if not any(kept_to(machine, (name,)).estimates for machine in machines):
            has = dict.fromkeys(e.point.benchmark for m in machines for e in m.estimates)
            raise UsageError(
                f"none of the machines has a benchmark or group {name!r}",
                f"they have: {', '.join(has) or 'no figures at all'}",
            )


def told_apart(
    machines: Iterable[MachineResults], names: Sequence[str]
) -> tuple[MachineResults, ...]:
    """The machines, those from files of equal name by the paths they were given as."""
    every = tuple(machines)
    ids = Counter(machine.id for machine in every)
    return tuple(
        replace(machine, id=name)
        if ids[machine.id] > 1 and machine.origin is not Origin.MEASURED
        else machine
        for machine, name in zip(every, names, strict=True)
    )

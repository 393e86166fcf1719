"""Whether a program that is not ours ran as requested, by what the wrapper saw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from machmeter.layout.words import cpu_words
from machmeter.model.layout import Assignment, Binding
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.plan.observation import ObservedRank

# Of the CPU time of a rank, on CPUs that are not its own. While an MPI starts, hwloc binds its
# thread to every CPU in turn: up to 0.07 s with Open MPI on 2 cores.
_MOST_AWAY, _LEAST_AWAY_SECONDS = 0.1, 0.15


class ObservedProblem(Struct, frozen=True):
    """Why a launch may not be compared."""

    verdict: Verdict
    """What became of it."""
    reason: str
    """Why, for people."""


def observed_problems(launch: Launch, ranks: Sequence[ObservedRank]) -> tuple[ObservedProblem, ...]:
    """What differs from what was requested, the gravest first; empty when it ran as requested.

    Compared are the number of ranks, the MPI that they loaded, the threads that worked at once
    (those with a tenth of the CPU time of the busiest; not that they were fewer, where one may have
    ended unseen), and the CPUs that these were on: on nodes where others may be used, those that
    the launch has there. Without enough samples nothing is said of threads.
    Where nothing was set, ranks alone are compared; of a program with helper threads not how many
    worked, which it says itself.
    """
    layout = launch.spec.layout
    if len(ranks) != layout.ranks:
        reason = f"ranks: requested {layout.ranks}, observed {len(ranks)}"
        if layout.nodes > 1 and ranks:
            reason += " (is the folder of the run in a file system that all hosts share?)"
        elif not ranks:
            reason += " (whatever started it, no rank of it was seen)"
        return (ObservedProblem(Verdict.WRONG_PARALLELISM, reason),)
    elsewhere = launch.assignments_elsewhere

    def assigned(number: int) -> Assignment:
        return elsewhere.get(number // layout.ranks_per_node, launch.assignment)

    problems = [
        *_mpi_problems(launch, ranks),
        *(
            one
            for number, rank in enumerate(ranks)
            for one in _rank_problems(launch, assigned(number), number, rank)
        ),
    ]
    return tuple(problems)


def _mpi_problems(launch: Launch, ranks: Sequence[ObservedRank]) -> list[ObservedProblem]:
    """Ranks without a library of MPI are copies of one program, and copies with one are not."""
    if launch.spec.layout.ranks == 1:
        return []
    loaded = [
        any("libmpi" in PurePosixPath(path).name for path in rank.tree.libraries) for rank in ranks
    ]
    command = launch.spec.command
    if command is not None and command.copies:
        reason = "the copies loaded an MPI library: they are ranks of one program (see --ranks)"
        return [ObservedProblem(Verdict.WRONG_PARALLELISM, reason)] if any(loaded) else []
    without = [n for n, rank in enumerate(ranks) if rank.saw_threads and not loaded[n]]
    if not without:
        return []
    reason = f"rank {without[0]} loaded no MPI library: {len(ranks)} copies of one program ran"
    return [ObservedProblem(Verdict.WRONG_PARALLELISM, reason)]


def _rank_problems(
    launch: Launch, assignment: Assignment, number: int, rank: ObservedRank
) -> list[ObservedProblem]:
    layout = launch.spec.layout
    if layout.binding is Binding.DEFAULT or not rank.saw_threads:
        return []
    working, found = rank.working, []
    at_once, requested = rank.tree.at_once, layout.cpus_per_rank
    # Threads of a library may start up beside a program that does not work yet, and nothing else.
    described = launch.spec.description
    counted = not (described and described.helper_threads)
    more = min(at_once, len(working)) > requested
    if counted and (more or (0 < at_once < requested and rank.saw_every_thread)):
        reason = (
            f"rank {number}: {requested} threads requested, {at_once} worked "
            "(does the program take its number of threads from OMP_NUM_THREADS?)"
        )
        found.append(ObservedProblem(Verdict.WRONG_PARALLELISM, reason))
    own = {cpu for cpus in assignment.cpus[number % layout.ranks_per_node] for cpu in cpus}
    foreign = {cpu for one in working for cpu, _ in one.seconds_on} - own
    away = sum(s for one in working for cpu, s in one.seconds_on if cpu in foreign)
    least = max(_LEAST_AWAY_SECONDS, _MOST_AWAY * sum(one.seconds for one in working))
    if own and away > least:
        reason = (
            f"rank {number}: {cpu_words(sorted(own))} requested, its threads spent {away:.2g} s "
            f"on {cpu_words(sorted(foreign))}"
        )
        found.append(ObservedProblem(Verdict.MISPLACED, reason))
    return found

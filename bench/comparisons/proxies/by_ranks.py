"""A proxy and the program that it stands for, in rounds: on one rank, and on two cores."""

from __future__ import annotations

from collections.abc import Callable

from bench.context import Bench, Outcome
from bench.ours import OurPrograms
from bench.peers import PeerPrograms
from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, Target, at_least, measured_row
from machmeter.model.errors import MachineLacksError
from machmeter.model.units import RATIO, Unit

# As a metric of both contenders.
RATE = "rate"
# A number of ranks, and both contenders on them.
Pair = tuple[int, Contender, Contender]


def compare_by_ranks(  # noqa: PLR0913 - what differs between pairs
    bench: Bench,
    outcome: Outcome,
    title: str,
    peer: str,
    ours: Callable[[OurPrograms, int], Contender],
    theirs: Callable[[PeerPrograms, int], Contender],
    *,
    unit: Unit,
    statistic: str,
) -> Outcome:
    """`outcome` with a row for each number of ranks and one for the speedup, or why there is none.

    Both run with the MPI that the peer is linked with (`--hpcc-mpi`), and have the metric `RATE`.
    """
    try:
        programs = bench.ours(bench.options.hpcc_mpi)
        peers = bench.peers_with_their_own_mpi(bench.options.hpcc_mpi)
    except MachineLacksError as error:
        outcome.skipped.append(f"the MPI of {peer}: {error.message}")
        return outcome
    pairs = [
        (ranks, ours(programs, ranks), theirs(peers, ranks)) for ranks in bench.thread_counts()
    ]
    measured = bench.measure(title, [one for _, *both in pairs for one in both])
    outcome.rows = [
        measured_row(
            f"{ranks} rank{'s' * (ranks > 1)}\n: {peer}",
            measured.values(mine.name, RATE),
            measured.values(other.name, RATE),
            unit=unit,
            higher_is_better=True,
            statistic=statistic,
            target=at_least(0.9),
        )
        for ranks, mine, other in pairs
    ]
    if len(pairs) > 1:
        outcome.rows.append(speedup_row(measured, peer, pairs[0], pairs[-1], statistic))
    outcome.failures += measured.failure_lines()
    return outcome


def speedup_row(measured: RoundResults, peer: str, few: Pair, many: Pair, statistic: str) -> Row:
    """How much faster the proxy becomes with more ranks, over how much its program does: 1 where
    the one says of layouts what the other says."""

    def speedups(one: Contender, other: Contender) -> dict[int, float]:
        before, after = (measured.values(contender.name, RATE) for contender in (one, other))
        return {number: after[number] / before[number] for number in before.keys() & after.keys()}

    return measured_row(
        f"speedup, {few[0]} to {many[0]} ranks\n: {peer}",
        speedups(few[1], many[1]),
        speedups(few[2], many[2]),
        unit=RATIO,
        higher_is_better=True,
        statistic=statistic,
        target=Target(),
    )

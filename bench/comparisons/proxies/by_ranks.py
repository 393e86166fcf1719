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
AS_FAST = at_least(0.9)
# A number of ranks or threads, and the names of both contenders on them.
Pair = tuple[int, str, str]


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
    target: Target = AS_FAST,
    has_speedup: bool = True,
) -> Outcome:
    """`outcome` with a row for each number of ranks and one for the speedup, or why there is none.

    Both run with the MPI that the peer is linked with (`--hpcc-mpi`), and have the metric `RATE`.
    has_speedup: whether both times are of the same parts on any number of ranks.
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
            target=target,
        )
        for ranks, mine, other in pairs
    ]
    if has_speedup and len(pairs) > 1:
        few, *_, many = ((ranks, mine.name, other.name) for ranks, mine, other in pairs)
        outcome.rows.append(speedup_row(measured, peer, few, many, statistic))
    outcome.failures += measured.failure_lines()
    return outcome


def speedup_row(
    measured: RoundResults, peer: str, few: Pair, many: Pair, statistic: str, of: str = "ranks"
) -> Row:
    """How much faster the proxy becomes with more ranks or threads, over how much its program does:
    1 where the one says of layouts what the other says."""

    def speedups(one: str, other: str) -> dict[int, float]:
        before, after = measured.values(one, RATE), measured.values(other, RATE)
        return {number: after[number] / before[number] for number in before.keys() & after.keys()}

    return measured_row(
        f"speedup, {few[0]} to {many[0]} {of}\n: {peer}",
        speedups(few[1], many[1]),
        speedups(few[2], many[2]),
        unit=RATIO,
        higher_is_better=True,
        statistic=statistic,
        target=Target(),
    )

"""The rows of the triad comparison. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from bench.processors import ZEN4, this_cpu
from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, Target, at_least, best_of, measured_row, only_on, within
from machmeter.model.units import STREAM_BYTES_PER_SECOND, format_bytes

# Families of likwid-bench: STREAM's triad, and a kernel of four arrays.
TRIADS = ("stream", "triad")
# Of likwid-bench's best loop of the same kernel: on Zen 3 both reach the highest rate of all loops.
SAME_KERNEL, ITS_FAMILY = at_least(1.3), ZEN4


class Lineup(Struct, frozen=True):
    """Names of the contenders for one thread count; empty where a peer is missing.

    A name whose launches all failed has a row that says so.
    stream_loops: likwid-bench's loops that are STREAM's triad; triad_loops: its loops of four
    arrays.
    """

    threads: int
    page_bytes: int
    best: str
    temporal: str
    stream_loops: tuple[str, ...]
    triad_loops: tuple[str, ...]
    same_loop: str
    stream: str
    others: tuple[str, ...]
    contenders: tuple[Contender, ...]


def target_note(cpuinfo: Mapping[str, str]) -> str:
    """Which CPUs the target for the same kernel is for, and whether this is one."""
    judged = "judged" if ITS_FAMILY.includes(cpuinfo) else "not judged"
    target = only_on(ITS_FAMILY, SAME_KERNEL, cpuinfo).text()
    return (
        f"target {target}: {ITS_FAMILY.text()}; this CPU is {this_cpu(cpuinfo)}, so it is {judged}"
    )


def lineup_rows(lineup: Lineup, measured: RoundResults, cpuinfo: Mapping[str, str]) -> list[Row]:
    """The rows of one thread count, without those of missing peers."""
    threads = f"{lineup.threads} thread{'s' * (lineup.threads > 1)}"
    pages = f"{format_bytes(lineup.page_bytes)} pages"
    fast, plain = f"non-temporal, {pages}, {threads}", f"temporal, {threads}"
    likwid = (*lineup.stream_loops, *lineup.triad_loops)
    rivals = (*likwid, lineup.stream, lineup.temporal, *lineup.others)
    best, temporal, stream = lineup.best, lineup.temporal, (lineup.stream,)
    same_kernel = only_on(ITS_FAMILY, SAME_KERNEL, cpuinfo)
    wanted: tuple[tuple[str, str, tuple[str, ...], str, Target], ...] = (
        (f"{fast}, same kernel", best, lineup.stream_loops, "mean", same_kernel),
        (f"{fast}, kernel of four arrays", best, lineup.triad_loops, "mean", Target()),
        (f"{fast}, highest triad", best, tuple(filter(_is_triad, rivals)), "mean", at_least(0.95)),
        (f"{fast}, highest loop", best, rivals, "mean", at_least(0.95)),
        (plain, temporal, (lineup.same_loop,), "mean", within(0.05)),
        (plain, temporal, stream, "best", within(0.05)),
        (fast, best, stream, "best", Target()),
    )
    return [_row(measured, *row) for row in wanted if any(row[2])]


def _is_triad(name: str) -> bool:
    return any(word.startswith(TRIADS) for word in name.split()[1:2])


def _row(
    measured: RoundResults,
    what: str,
    ours: str,
    peers: tuple[str, ...],
    statistic: str,
    target: Target,
) -> Row:
    """Ours versus the fastest of `peers`, or versus the first where all of them failed."""
    rates = {n: measured.values(n, statistic) for n in peers if measured.has(n, statistic)}
    peer = best_of(rates) if rates else next(filter(None, peers))
    shown_peer = peer.rsplit(",", 1)[0]
    return measured_row(
        f"{what}\n: {shown_peer}",
        measured.values(ours, statistic),
        measured.values(peer, statistic),
        unit=STREAM_BYTES_PER_SECOND,
        higher_is_better=True,
        statistic=statistic,
        target=target,
    )

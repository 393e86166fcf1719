"""The rows of the triad comparison. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from bench.rounds import Contender, RoundResults
from bench.verdicts import Row, Target, at_least, best_of, center, ratio_row, within
from machmeter.model.units import STREAM_BYTES_PER_SECOND, format_bytes, format_value

# Families of likwid-bench: STREAM's triad, and a kernel of four arrays.
TRIADS = ("stream", "triad")


class Lineup(Struct, frozen=True):
    """Names of the contenders for one thread count; empty where a peer is missing.

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


def lineup_rows(lineup: Lineup, measured: RoundResults) -> list[Row]:
    """The rows of one thread count for which both contenders have results."""
    threads = f"{lineup.threads} thread{'s' * (lineup.threads > 1)}"
    pages = f"{format_bytes(lineup.page_bytes)} pages"
    fast, plain = f"non-temporal, {pages}, {threads}", f"temporal, {threads}"
    likwid = (*lineup.stream_loops, *lineup.triad_loops)
    rivals = (*likwid, lineup.stream, lineup.temporal, *lineup.others)
    against: tuple[tuple[str, tuple[str, ...], Target], ...] = (
        (f"{fast}, same kernel", lineup.stream_loops, at_least(1.3)),
        (f"{fast}, kernel of four arrays", lineup.triad_loops, Target()),
        (f"{fast}, highest triad", tuple(filter(_is_triad, rivals)), at_least(0.95)),
        (f"{fast}, highest loop", rivals, at_least(0.95)),
    )
    wanted = [
        (what, lineup.best, best_of(rates), "mean", target)
        for what, names, target in against
        if (rates := _rates(measured, names))
    ]
    wanted += [
        (plain, lineup.temporal, lineup.same_loop, "mean", within(0.05)),
        (plain, lineup.temporal, lineup.stream, "best", within(0.05)),
        (fast, lineup.best, lineup.stream, "best", Target()),
    ]
    return [
        _row(measured, *row) for row in wanted if all(measured.has(n, row[3]) for n in row[1:3])
    ]


def _rates(measured: RoundResults, names: tuple[str, ...]) -> dict[str, Mapping[int, float]]:
    """Mean rates of the contenders measured at least twice."""
    return {name: measured.values(name, "mean") for name in names if measured.has(name, "mean")}


def _is_triad(name: str) -> bool:
    return any(word.startswith(TRIADS) for word in name.split()[1:2])


def _row(
    measured: RoundResults, what: str, ours: str, peer: str, statistic: str, target: Target
) -> Row:
    a, b = measured.values(ours, statistic), measured.values(peer, statistic)
    shown_peer = peer.rsplit(",", 1)[0]
    return ratio_row(
        f"{what}\n: {shown_peer}",
        a,
        b,
        higher_is_better=True,
        statistic=statistic,
        target=target,
        text=_texts(a, b),
    )


def _texts(a: Mapping[int, float], b: Mapping[int, float]) -> tuple[str, str]:
    unit = STREAM_BYTES_PER_SECOND
    return format_value(center(a), unit), format_value(center(b), unit)

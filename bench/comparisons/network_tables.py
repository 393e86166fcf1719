"""Every table of OSU and IMB between two ranks, interleaved with machmeter: same MPI and CPUs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.context import Bench, Outcome, empty_outcome
from bench.network.catalogue import quantities
from bench.network.contenders import (
    Reduce,
    our_contender,
    our_key,
    our_name,
    peer_contender,
    peer_key,
    step_key,
)
from bench.network.points import PointPair, agreement_lines, point_row
from bench.network.quantity import NO_SIZE, RANKS, PeerColumn, Quantity
from bench.network.reductions import peer_reduction
from bench.rounds import Contender, RoundResults

TITLE = "network-tables"
FOLDERS = {"OSU": "osu", "IMB": "imb"}

AvailableQuantity = tuple[Quantity, tuple[PeerColumn, ...]]


def compare(bench: Bench) -> Outcome:
    """One round launches each program once, ours and the peers' in random order."""
    outcome = empty_outcome(f"Tables of two ranks, MPI {bench.options.mpi}")
    wanted = available(bench, quantities(bench.options.tables), outcome)
    if not wanted:
        return outcome
    measured = bench.measure(TITLE, contenders(bench, wanted))
    pairs = point_pairs(wanted, measured)
    outcome.rows += [point_row(pair) for pair in pairs]
    outcome.failures += measured.failure_lines()
    outcome.notes += agreement_lines(pairs)
    outcome.notes += definition_lines(wanted)
    return outcome


def available(
    bench: Bench, requested: Iterable[Quantity], outcome: Outcome
) -> tuple[AvailableQuantity, ...]:
    """The quantities with their available peer programs; `outcome` lists the missing ones."""
    if len(bench.machine.topology.usable_cores) < RANKS:
        outcome.skipped.append("messages between two ranks need two cores")
        return ()
    for tool, option in FOLDERS.items():
        if not bench.options.peer(option):
            outcome.skipped.append(f"{tool}: no folder given (--{option} FOLDER)")
    missing: set[str] = set()
    found = []
    for quantity in requested:
        theirs = tuple(t for t in quantity.theirs if _is_there(bench, t, missing))
        if theirs:
            found.append((quantity, theirs))
    if missing:
        outcome.skipped.append(f"not in the folders given: {', '.join(sorted(missing))}")
    return tuple(found)


def folder_of(bench: Bench, theirs: PeerColumn) -> Path:
    """The folder given for that tool."""
    return Path(bench.options.peer(FOLDERS[theirs.tool]))


def _is_there(bench: Bench, theirs: PeerColumn, missing: set[str]) -> bool:
    if not bench.options.peer(FOLDERS[theirs.tool]):
        return False
    if (folder_of(bench, theirs) / theirs.program).is_file():
        return True
    missing.add(theirs.program)
    return False


def contenders(
    bench: Bench, wanted: Sequence[AvailableQuantity], reduce: Reduce = peer_reduction
) -> list[Contender]:
    """Ours, one per quantity, and the peers', one per program with its options."""
    programs_of_ours, peers = bench.ours(bench.options.mpi), bench.peers(bench.options.mpi)
    ours = [our_contender(programs_of_ours, quantity, reduce=reduce) for quantity, _ in wanted]
    programs: dict[str, PeerColumn] = {}
    sizes: dict[str, set[int]] = {}
    for quantity, theirs in wanted:
        for one in theirs:
            programs[one.command_name] = one
            own = {size * one.scale for size in quantity.sizes}
            sizes.setdefault(one.command_name, set()).update(own)
    scratch = programs_of_ours.folder.path
    return [
        *ours,
        *(
            peer_contender(peers, folder_of(bench, one), scratch, one, sizes[name])
            for name, one in programs.items()
        ),
    ]


def point_pairs(wanted: Iterable[AvailableQuantity], measured: RoundResults) -> list[PointPair]:
    """Every point with results of both, in the order of the table."""
    pairs = (
        _pair(quantity, one, size, measured)
        for quantity, theirs in wanted
        for size in quantity.sizes or (NO_SIZE,)
        for one in theirs
    )
    return [pair for pair in pairs if pair.comparable]


def _pair(quantity: Quantity, theirs: PeerColumn, size: int, measured: RoundResults) -> PointPair:
    steps = measured.values(theirs.command_name, step_key(theirs))
    return PointPair(
        quantity,
        theirs,
        size,
        measured.values(our_name(quantity), our_key(size)),
        measured.values(theirs.command_name, peer_key(theirs, size)),
        min(steps.values(), default=0.0),
    )


def definition_lines(wanted: Iterable[AvailableQuantity]) -> list[str]:
    """Where the peer's definition differs, once each."""
    by_text: dict[str, list[str]] = {}
    for quantity, theirs in wanted:
        for one in theirs:
            if one.differs:
                names = by_text.setdefault(f"{one.tool}: {one.differs}", [])
                names.append(quantity.name)
    lines = [f"* {text} ({'; '.join(names)})" for text, names in by_text.items()]
    return [
        "collectives: each starts after a barrier; the value is the largest of the ranks' means in "
        "all tools; sizes are those of one part",
        *lines,
    ]

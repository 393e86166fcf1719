"""Every table of OSU and IMB between two ranks, interleaved with ours: same MPI, same CPUs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.context import Bench, Outcome, empty_outcome
from bench.network.contenders import (
    Reduce,
    our_contender,
    our_key,
    our_name,
    step_key,
    their_contender,
    their_key,
)
from bench.network.everything import quantities
from bench.network.figures import figure_of
from bench.network.points import PointPair, agreement_lines, point_row
from bench.network.quantity import NO_SIZE, RANKS, Quantity, Theirs
from bench.rounds import Contender, Measured

TITLE = "network-tables"
FOLDERS = {"OSU": "osu", "IMB": "imb"}

Wanted = tuple[Quantity, tuple[Theirs, ...]]


def compare(bench: Bench) -> Outcome:
    """One round is each program once, ours and theirs in random order."""
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


def available(bench: Bench, asked: Iterable[Quantity], outcome: Outcome) -> tuple[Wanted, ...]:
    """The quantities that a program is there for, with those; what lacks is told in `outcome`."""
    if len(bench.machine.topology.usable_cores) < RANKS:
        outcome.left_out.append("messages between two ranks need two cores")
        return ()
    for tool, option in FOLDERS.items():
        if not bench.options.peer(option):
            outcome.left_out.append(f"{tool}: no folder of its programs given (--{option} FOLDER)")
    missing: set[str] = set()
    found = []
    for quantity in asked:
        theirs = tuple(t for t in quantity.theirs if _is_there(bench, t, missing))
        if theirs:
            found.append((quantity, theirs))
    if missing:
        outcome.left_out.append(f"not in the folders given: {', '.join(sorted(missing))}")
    return tuple(found)


def folder_of(bench: Bench, theirs: Theirs) -> Path:
    """The folder that was given for that tool."""
    return Path(bench.options.peer(FOLDERS[theirs.tool]))


def _is_there(bench: Bench, theirs: Theirs, missing: set[str]) -> bool:
    if not bench.options.peer(FOLDERS[theirs.tool]):
        return False
    if (folder_of(bench, theirs) / theirs.program).is_file():
        return True
    missing.add(theirs.program)
    return False


def contenders(
    bench: Bench, wanted: Sequence[Wanted], reduce: Reduce = figure_of
) -> list[Contender]:
    """Ours, one for each quantity, and theirs, one for each program with its options."""
    side, peers = bench.ours(bench.options.mpi), bench.peers(bench.options.mpi)
    ours = [our_contender(side, quantity, reduce=reduce) for quantity, _ in wanted]
    programs: dict[str, Theirs] = {}
    sizes: dict[str, set[int]] = {}
    for quantity, theirs in wanted:
        for one in theirs:
            programs[one.command_name] = one
            own = {size * one.scale for size in quantity.sizes}
            sizes.setdefault(one.command_name, set()).update(own)
    scratch = side.folder.path
    return [
        *ours,
        *(
            their_contender(peers, folder_of(bench, one), scratch, one, sizes[name])
            for name, one in programs.items()
        ),
    ]


def point_pairs(wanted: Iterable[Wanted], measured: Measured) -> list[PointPair]:
    """Every point that both sides have figures of, in the order of the table."""
    pairs = (
        _pair(quantity, one, size, measured)
        for quantity, theirs in wanted
        for size in quantity.sizes or (NO_SIZE,)
        for one in theirs
    )
    return [pair for pair in pairs if pair.comparable]


def _pair(quantity: Quantity, theirs: Theirs, size: int, measured: Measured) -> PointPair:
    steps = measured.values(theirs.command_name, step_key(theirs))
    return PointPair(
        quantity,
        theirs,
        size,
        measured.values(our_name(quantity), our_key(size)),
        measured.values(theirs.command_name, their_key(theirs, size)),
        min(steps.values(), default=0.0),
    )


def definition_lines(wanted: Iterable[Wanted]) -> list[str]:
    """Where a definition of theirs is another, once each."""
    by_words: dict[str, list[str]] = {}
    for quantity, theirs in wanted:
        for one in theirs:
            if one.differs:
                names = by_words.setdefault(f"{one.tool}: {one.differs}", [])
                names.append(quantity.name)
    lines = [f"* {words} ({'; '.join(names)})" for words, names in by_words.items()]
    return [
        "collectives: each begins after a barrier, the largest of the ranks' means counts on all "
        "sides; sizes are those of one part",
        *lines,
    ]

"""The two sides of a run in words, and the command that measures both again."""

from __future__ import annotations

import shlex
from collections import Counter

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import measurements, regressions, standing_of
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.plan.variant import Role
from machmeter.model.point import Point
from machmeter.model.results.compared import MachineComparison, RelativeStanding
from machmeter.model.results.run import RunResult
from machmeter.text.redo import command_for
from machmeter.text.words import count_text


def slower_text(comparison: MachineComparison) -> str:
    """In how many figures the candidate is worse by what matters, and what is not known."""
    if not comparison.figures:
        return "No figure was measured on both sides."
    count = len(regressions(comparison))
    verb = "is" if count == 1 else "are"
    worse = f"{count_text(count, 'figure', 'figures')} {verb} worse by more than 2 % (2 points)."
    text = worse if count else "Nothing is known to be worse by more than 2 % (2 points)."
    standings = Counter(map(standing_of, measurements(comparison.figures)))
    open_ones = standings[RelativeStanding.UNRESOLVED]
    if not open_ones:
        return text
    verb = "is" if open_ones == 1 else "are"
    return (
        f"{text} {count_text(open_ones, 'figure', 'figures')} {verb} not resolved: more launches "
        "tell (--least, --budget)."
    )


def in_turn_command(point: Point, result: RunResult) -> str:
    """What measures a point of the candidate again beside that of the old run (`text.redo`).

    A size that this machine chose is left for it to choose, once for both sides. What the command
    leaves out is as in the old run, so that what only that one named is named as empty.
    """
    header, against = result.header, result.header.baseline
    known = (p for one in BENCHMARKS if one.name == point.benchmark for p in one.parameters)
    left = {parameter.name for parameter in known if parameter.automatic}
    chosen = result.plan.sizes.get(point.benchmark)
    kept = (one for one in point.parameters if one[0] not in left or one[1] != chosen)
    command = command_for(replace(point, parameters=tuple(kept)), header.request)
    if against is None or not command:
        return command
    asked, old = header.request, against.request
    return " ".join(
        (
            command,
            shlex.join(("--against", against.run)),
            *(("--compiler=",) if old.compiler and not asked.compiler else ()),
            *(("--flags=",) if old.flags and not asked.flags else ()),
            *(("--rebuild",) if "--rebuild" in header.command else ()),
        )
    )


def old_build(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What the baseline repeats and by which programs, as name and text; empty without one."""
    against, old = result.header.baseline, result.baseline
    if against is None or old is None:
        return ()
    how = "by the programs that measured it" if against.programs else "compiled anew"
    chain = old.toolchain
    facts = [(f"The {Role.BASELINE}", f"run {against.run} again, {how}")]
    if chain:
        facts += [
            (f"Compiler, {Role.BASELINE}", chain.compiler),
            (f"Flags, {Role.BASELINE}", chain.flags),
            (f"MPI, {Role.BASELINE}", " ".join(chain.mpi_library.split())),
            (f"Kernel sources, {Role.BASELINE}", chain.source_hash),
        ]
    return tuple((name, text) for name, text in facts if text)

"""That a result is an MPI library's more than the machine's, with what shows it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from msgspec import Struct

from machmeter.build.mpi import EMBEDDED_FOR
from machmeter.model.plan.launch import LaunchOutcome, Verdict
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.units import SECONDS, format_value
from machmeter.run.results.observed import SystemTime
from machmeter.text.numbers import count_text, ratio_text
from machmeter.text.runs import library_in_short

# Share of CPU time in the system above which it explains a latency; calls of sched_yield for each
# message that do; bytes from which libraries may let the kernel copy a message.
_MOST_IN_THE_SYSTEM, _MOST_YIELDS, _LARGE_MESSAGE = 0.2, 1.0, 8192
_MUCH_APART = 1.3


class LibraryLatency(Struct, frozen=True):
    """What one MPI library took for a small message."""

    requested: str
    """The library, as `--mpi` names it."""
    mpi_library: str
    """The library, as it names itself."""
    seconds: tuple[float, ...]
    """Latency in each launch, seconds."""


def system_time_caveats(times: Sequence[SystemTime], architecture: str) -> list[Caveat]:
    """That a library used the system more than messages need; architecture: of the machine, for
    which another library may exist."""
    by_library: dict[str, list[SystemTime]] = defaultdict(list)
    for one in times:
        by_library[one.mpi_library].append(one)
    return [
        Caveat(
            CaveatKind.SYSTEM_TIME,
            f"{library_in_short(library)} {used}: latency is the library's",
            _another_library(library, architecture) if len(by_library) == 1 else "",
        )
        for library, found in by_library.items()
        if (used := _used_of_the_system(found))
    ]


def other_library_caveats(ours: LibraryLatency, theirs: LibraryLatency) -> list[Caveat]:
    """That each launch of another library was faster, or each slower, by a factor of more than
    1.3 than the median launch of the one that was measured."""
    if not (ours.seconds and theirs.seconds):
        return []
    here = median(ours.seconds)
    ratios = [here / one for one in theirs.seconds]
    if max(ratios) > 1 / _MUCH_APART and min(ratios) < _MUCH_APART:
        return []
    there = median(theirs.seconds)
    their_name, our_name = (library_in_short(one.mpi_library) for one in (theirs, ours))
    launches = count_text(len(theirs.seconds), "launch", "launches")
    faster = there < here
    what = (
        f"messages of 8 B can be {ratio_text(here / there)} faster"
        if faster
        else f"another MPI library took {ratio_text(there / here)} the time for a message of 8 B"
    )
    return [
        Caveat(
            CaveatKind.FASTER_LIBRARY if faster else CaveatKind.OTHER_LIBRARY,
            f"{what}: {their_name} {format_value(there, SECONDS, 2)} in {launches}, "
            f"{our_name} {format_value(here, SECONDS, 2)}",
            f"compare them with --mpi {ours.requested} --mpi {theirs.requested}",
        )
    ]


def failed_library_caveats(outcomes: Sequence[LaunchOutcome]) -> list[Caveat]:
    """That the other library could not be launched; outcomes: of all its launches."""
    if not outcomes or any(one.verdict is Verdict.ACCEPTED for one in outcomes):
        return []
    last = outcomes[-1]
    why = f": {last.reasons[-1]}" if last.reasons else ""
    return [
        Caveat(
            CaveatKind.NOT_MEASURED,
            f"{last.spec}, for comparison: {last.verdict.value}{why}",
        )
    ]


def _used_of_the_system(found: Sequence[SystemTime]) -> str:
    """What a library used of the system, as a sentence without its subject; empty where little."""
    shares = [one.share for one in found if one.share is not None]
    yields = [one.yields for one in found if one.yields is not None]
    share = median(shares) if shares else 0.0
    counted = median(yields) if yields else 0.0
    calls = f"called sched_yield {counted:.2g} times a message"
    if share <= _MOST_IN_THE_SYSTEM:
        return calls if counted >= _MOST_YIELDS else ""
    spent = f"spent {100 * share:.0f} % of the CPU time of its messages in the system"
    why = calls if counted >= _MOST_YIELDS else _why_in_the_system(found, counted=bool(yields))
    return f"{spent} ({why})"


def _why_in_the_system(found: Sequence[SystemTime], *, counted: bool) -> str:
    """What these launches may have needed the system for; counted: whether it is known that they
    did not yield."""
    points = [point for one in found for point in one.spec.points]
    sizes = [value for point in points for name, value in point.parameters if name == "size"]
    possible = {
        "yields at each poll": not counted,
        "sockets": any(one.spec.layout.nodes > 1 for one in found),
        "copies of large messages": any(
            isinstance(size, int) and size > _LARGE_MESSAGE for size in sizes
        ),
    }
    causes = [cause for cause, is_possible in possible.items() if is_possible]
    return f"likely {' or '.join(causes)}" if causes else "not for sched_yield"


def _another_library(library: str, architecture: str) -> str:
    """How to compare with another one, where it can be had."""
    other = "mpich" if "open mpi" in library.lower() else "openmpi"
    return f"compare with --mpi {other}" if architecture in EMBEDDED_FOR else ""

"""Results of one point that different programs measured, or one that was started otherwise.

They are no launches of one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from machmeter.importing.assemble import point_of
from machmeter.importing.readings import ForeignResult, Reading


def of_one_program_each(reading: Reading) -> Reading:
    """The reading with every point of the one program, started in one way, that was read first.

    Remarks name the others. Where nothing says how a program was started, it may be any way.
    """
    first: dict[tuple[object, ...], ForeignResult] = {}
    kept = []
    others: dict[tuple[str, str], list[ForeignResult]] = {}
    for result in reading.results:
        found = first.setdefault(point_of(result), result)
        if found.program != result.program:
            others.setdefault((found.program, result.program), []).append(result)
        elif other := _other(found.started_with, result.started_with):
            others.setdefault(other, []).append(result)
        else:
            known = {**result.started_with, **found.started_with}
            first[point_of(result)] = msgspec.structs.replace(found, started_with=known)
            kept.append(result)
    remarks = tuple(_remark(*pair, left_out) for pair, left_out in others.items())
    return msgspec.structs.replace(
        reading, results=tuple(kept), remarks=(*reading.remarks, *remarks)
    )


def _other(one: Mapping[str, str], another: Mapping[str, str]) -> tuple[str, str] | None:
    """What both state of their start, and state otherwise; None where nothing is."""
    differing = (name for name in one if name in another and one[name] != another[name])
    name = next(differing, None)
    return (one[name], another[name]) if name else None


def _remark(kept: str, other: str, left_out: Iterable[ForeignResult]) -> str:
    results = list(left_out)
    what = results[0].benchmark or results[0].workload
    is_program = results[0].program == other
    why = (
        f"{kept} was read of first; {other} is another program, no launch of it"
        if is_program
        else f"a start with {_quoted(kept)} was read of first; what ran with "
        f"{_quoted(other)} was started otherwise, no launch of it"
    )
    return (
        f"{results[0].group}: {len(results)} results of {what} are of points that {why}: left out; "
        "import it as a machine of its own"
    )


def _quoted(start: str) -> str:
    return repr(start[:_QUOTED]) if start else "nothing that is shown"


_QUOTED = 120

"""Results of one point that different programs measured: they are no launches of one another."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from machmeter.importing.assemble import point_of
from machmeter.importing.readings import ForeignResult, Reading


def of_one_program_each(reading: Reading) -> Reading:
    """The reading with every point of the one program that was read first; remarks on others."""
    first: dict[tuple[object, ...], ForeignResult] = {}
    kept = []
    others: dict[tuple[str, str], list[ForeignResult]] = {}
    for result in reading.results:
        found = first.setdefault(point_of(result), result)
        if found.program == result.program:
            kept.append(result)
        else:
            others.setdefault((found.program, result.program), []).append(result)
    remarks = tuple(_remark(*programs, left_out) for programs, left_out in others.items())
    return msgspec.structs.replace(
        reading, results=tuple(kept), remarks=(*reading.remarks, *remarks)
    )


def _remark(kept: str, other: str, left_out: Iterable[ForeignResult]) -> str:
    results = list(left_out)
    what = results[0].benchmark or results[0].workload
    return (
        f"{results[0].group}: {len(results)} results of {what} are of points that {kept} was read "
        f"of first; {other} is another program, no launch of it: left out; import it as a machine "
        "of its own"
    )

"""Figures of one point that different programs measured: they are no launches of one another."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from machmeter.importing.assemble import point_of
from machmeter.importing.readings import ForeignResult, Reading


def of_one_program_each(reading: Reading) -> Reading:
    """The reading with every point of the one program that was read first; others are told of."""
    first: dict[tuple[object, ...], ForeignResult] = {}
    kept = []
    others: dict[tuple[str, str], list[ForeignResult]] = {}
    for figure in reading.figures:
        found = first.setdefault(point_of(figure), figure)
        if found.program == figure.program:
            kept.append(figure)
        else:
            others.setdefault((found.program, figure.program), []).append(figure)
    remarks = tuple(_told(*programs, left_out) for programs, left_out in others.items())
    return msgspec.structs.replace(
        reading, figures=tuple(kept), remarks=(*reading.remarks, *remarks)
    )


def _told(kept: str, other: str, left_out: Iterable[ForeignResult]) -> str:
    figures = list(left_out)
    what = figures[0].benchmark or figures[0].workload
    return (
        f"{figures[0].group}: {len(figures)} figures of {what} are of points that {kept} was read "
        f"of first; {other} is another program, no launch of it: left out; import it as a machine "
        "of its own"
    )

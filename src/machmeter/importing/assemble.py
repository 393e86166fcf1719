"""What was read from other tools as a machine: tables of figures with their launches."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from machmeter.importing.readings import ForeignResult, Reading
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.results.estimate import Scale
from machmeter.published.estimates import scale_of_figure
from machmeter.published.format import (
    FORMAT,
    Better,
    Counts,
    Link,
    Part,
    PrintedFigure,
    PrintedTable,
    PublishedMachine,
)
from machmeter.published.units import printed_unit

MOST_TABLES = 2000
MOST_OF_TABLE = 1000
MOST_LAUNCHES = 10_000
_LONGEST = 900


class About(Struct, frozen=True):
    """What the machine is called and has; year: of the results."""

    id: str
    name: str
    source: str
    year: int
    counts: Counts = Counts()
    links: tuple[Link, ...] = ()


def machine_of(reading: Reading, about: About) -> PublishedMachine:
    """The machine with all figures that were read.

    The same point measured by several starts of a tool, in one file or several, is one figure with
    that many launches. Raises MachmeterError where there is no figure, or there are too many.
    """
    figures = _merged(figure for figure in reading.figures if has_value(figure))
    if not figures:
        raise MachmeterError(
            f"{about.source}: there is no figure in it that can be used",
            "what was found and left out is told above",
            "\n".join(reading.remarks),
        )
    tables = tuple(_tables(figures))
    most = max(len(figure.values) for figure in figures)
    if most > MOST_LAUNCHES:
        raise MachmeterError(
            f"{about.source}: {most} starts of one figure; {MOST_LAUNCHES} can be kept",
            "import fewer files at once",
        )
    if len(tables) > MOST_TABLES:
        raise MachmeterError(
            f"{about.source}: {len(tables)} tables; a machine's file holds {MOST_TABLES}",
            "import fewer files at once, or a part of the file",
        )
    return PublishedMachine(
        format=FORMAT,
        id=about.id,
        name=about.name,
        summary=f"Imported from output of {', '.join(reading.tools)}."[:_LONGEST],
        source=about.source[:_LONGEST],
        year=about.year,
        tables=tables,
        counts=about.counts,
        links=about.links,
        parts={name: Part(value=said) for name, said in reading.facts.items()},
        origin="imported",
    )


def has_value(figure: ForeignResult) -> bool:
    """Whether its values are such: a time or rate printed as 0.00 is none, a share of 0 is one."""
    return figure.unit == "%" or min(figure.values) > 0


def _merged(figures: Iterable[ForeignResult]) -> list[ForeignResult]:
    found: dict[tuple[object, ...], list[ForeignResult]] = {}
    for figure in figures:
        found.setdefault(point_of(figure), []).append(figure)
    return [_as_launches(same) if len(same) > 1 else same[0] for same in found.values()]


def point_of(figure: ForeignResult) -> tuple[object, ...]:
    """What the figure is of, and at which point; figures that have it equal are launches of one.

    Raises MachmeterError for a unit that is not known.
    """
    return (*_table_key(figure), _sorted(figure.parameters), _sorted(figure.layout))


def _as_launches(same: Sequence[ForeignResult]) -> ForeignResult:
    """One figure of several starts, in the unit of the first."""
    first = same[0]
    factors = [_factor(figure) / _factor(first) for figure in same]
    return msgspec.structs.replace(
        first,
        values=tuple(v * f for one, f in zip(same, factors, strict=True) for v in one.values),
        decimals=max(figure.decimals for figure in same),
        flag=_together(figure.flag for figure in same),
        note=_together(figure.note for figure in same),
        group=_together(figure.group for figure in same),
    )


def _table_key(figure: ForeignResult) -> tuple[str, ...]:
    names = (figure.benchmark, figure.metric, figure.workload, figure.quantity, figure.better)
    return (*names, printed_unit(figure.unit, figure.group).unit.name)


def _factor(figure: ForeignResult) -> float:
    return printed_unit(figure.unit, figure.group).factor


def _tables(figures: Sequence[ForeignResult]) -> Iterable[PrintedTable]:
    by_table: dict[tuple[str, ...], list[ForeignResult]] = {}
    for figure in figures:
        key = (*_table_key(figure), figure.unit, figure.group, figure.note)
        by_table.setdefault(key, []).append(figure)
    ids: Counter[str] = Counter()
    for of_table in by_table.values():
        for start in range(0, len(of_table), MOST_OF_TABLE):
            yield _table(of_table[start : start + MOST_OF_TABLE], ids)


def _table(figures: Sequence[ForeignResult], ids: Counter[str]) -> PrintedTable:
    first = figures[0]
    parameters = _common([figure.parameters for figure in figures])
    layout = _common([figure.layout for figure in figures])
    decimals = Counter(figure.decimals for figure in figures).most_common(1)[0][0]
    return PrintedTable(
        page=first.group[:_LONGEST],
        unit=first.unit,
        figures=tuple(
            _figure(figure, parameters, layout, decimals, _new_id(figure, ids))
            for figure in figures
        ),
        decimals=decimals,
        benchmark=first.benchmark,
        metric=first.metric,
        workload=first.workload,
        quantity=first.quantity,
        better=Better(first.better) if first.better else None,
        note=first.note[:_LONGEST],
        parameters=parameters,
        layout=layout,
    )


def _figure(
    figure: ForeignResult,
    parameters: Mapping[str, Value],
    layout: Mapping[str, Value],
    decimals: int,
    name: str,
) -> PrintedFigure:
    return PrintedFigure(
        id=name,
        value=_middle(figure),
        launches=figure.values if len(figure.values) > 1 else (),
        text=figure.text[:_LONGEST],
        decimals=figure.decimals if figure.decimals != decimals else None,
        flag=figure.flag[:_LONGEST],
        parameters={k: v for k, v in figure.parameters.items() if k not in parameters},
        layout={k: v for k, v in figure.layout.items() if k not in layout},
    )


def _middle(figure: ForeignResult) -> float:
    """The mean that its estimate will have: arithmetic of overheads and shares, else geometric."""
    values = figure.values
    scale = scale_of_figure(figure.benchmark, figure.metric, figure.unit, figure.group)
    if len(values) == 1 or scale is Scale.LINEAR:
        return math.fsum(values) / len(values)
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _new_id(figure: ForeignResult, ids: Counter[str]) -> str:
    """A name that tells the figure, and no other figure has."""
    what = figure.workload or f"{figure.benchmark}.{figure.metric}"
    told = [str(v) for k, v in sorted(figure.parameters.items()) if k in _TELLING]
    words = "-".join((what, *(figure.quantity.split(" ")[:2] if figure.quantity else ()), *told))
    name = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")[:70].strip("-.")
    ids[name] += 1
    return name if ids[name] == 1 else f"{name}.{ids[name]}"


_TELLING = ("size", "operation", "construct", "kernel", "n")


def _common(fields: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    first, *others = fields
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }


def _sorted(fields: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(fields.items()))


def _together(words: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(word for word in words if word))

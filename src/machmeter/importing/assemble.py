"""What was read from other tools as a machine: tables of printed figures with their launches."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from machmeter.benchmarks.catalogue import known
from machmeter.importing.readings import ForeignResult, Reading
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.origin import Origin
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
_WIDE = 1.5


class About(Struct, frozen=True):
    """What the machine is called and has."""

    id: str
    """Its ID."""
    name: str
    """For people."""
    source: str
    """Files and tools."""
    year: int
    """Of the results."""
    counts: Counts = Counts()
    """Nodes, cores, power and price."""
    links: tuple[Link, ...] = ()
    """Of its interconnect."""


def machine_of(reading: Reading, about: About) -> PublishedMachine:
    """The machine with all results that were read.

    The same point measured by several starts of a tool, in one file or several, is one result with
    that many launches. Raises MachmeterError where there is no result, or there are too many.
    """
    results = _merged(result for result in reading.results if has_value(result))
    if not results:
        raise MachmeterError(
            f"{about.source}: there is no result in it that can be used",
            "what was found and left out is listed above",
            "\n".join(reading.remarks),
        )
    tables = tuple(_tables(results))
    most = max(len(result.values) for result in results)
    if most > MOST_LAUNCHES:
        raise MachmeterError(
            f"{about.source}: {most} starts of one result; {MOST_LAUNCHES} can be kept",
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
        origin=Origin.IMPORTED,
    )


def remarks_on_spread(reading: Reading) -> tuple[str, ...]:
    """What is pooled although its values differ by more than 1.5 times: one remark a table."""
    by_point: dict[tuple[object, ...], list[ForeignResult]] = {}
    for result in filter(has_value, reading.results):
        by_point.setdefault(point_of(result), []).append(result)
    found: dict[tuple[str, ...], list[tuple[float, ForeignResult]]] = {}
    for same in by_point.values():
        values = _as_launches(same).values if len(same) > 1 else (1.0,)
        ratio = max(values) / min(values) if min(values) > 0 else 1.0
        if ratio > _WIDE:
            found.setdefault(_table_key(same[0]), []).append((ratio, same[0]))
    return tuple(_wide(of_table) for of_table in found.values())


def _wide(of_table: Sequence[tuple[float, ForeignResult]]) -> str:
    ratio, result = max(of_table, key=lambda one: one[0])
    what = result.benchmark or result.workload
    points = ", ".join(f"{name} {value}" for name, value in sorted(result.parameters.items()))
    return (
        f"{result.group}: launches of {what} differ by up to {ratio:.3g} times "
        f"({points[:100] or result.metric or result.quantity}); {len(of_table)} results differ by "
        f"over {_WIDE} times: check that these are launches of the same run"
    )


def has_value(result: ForeignResult) -> bool:
    """Whether its values are such: a time or rate printed as 0.00 is none, a share of 0 is one."""
    return result.unit == "%" or min(result.values) > 0


def _merged(results: Iterable[ForeignResult]) -> list[ForeignResult]:
    found: dict[tuple[object, ...], list[ForeignResult]] = {}
    for result in results:
        found.setdefault(point_of(result), []).append(result)
    return [_as_launches(same) if len(same) > 1 else same[0] for same in found.values()]


def point_of(result: ForeignResult) -> tuple[object, ...]:
    """What the result is of, and at which point; results that have it equal are launches of one.

    Raises MachmeterError for a unit that is not known.
    """
    return (*_table_key(result), _sorted(result.parameters), _sorted(result.layout))


def _as_launches(same: Sequence[ForeignResult]) -> ForeignResult:
    """One result of several starts, in the unit of the first."""
    first = same[0]
    factors = [_factor(result) / _factor(first) for result in same]
    return msgspec.structs.replace(
        first,
        values=tuple(v * f for one, f in zip(same, factors, strict=True) for v in one.values),
        decimals=max(result.decimals for result in same),
        flag=_together(result.flag for result in same),
        note=_together(result.note for result in same),
        group=_together(result.group for result in same),
    )


def _table_key(result: ForeignResult) -> tuple[str, ...]:
    names = (result.benchmark, result.metric, result.workload, result.quantity, result.better)
    return (*names, printed_unit(result.unit, result.group).unit.name)


def _factor(result: ForeignResult) -> float:
    return printed_unit(result.unit, result.group).factor


def _tables(results: Sequence[ForeignResult]) -> Iterable[PrintedTable]:
    by_table: dict[tuple[str, ...], list[ForeignResult]] = {}
    for result in results:
        key = (*_table_key(result), result.unit, result.group, result.note)
        by_table.setdefault(key, []).append(result)
    ids: Counter[str] = Counter()
    for of_table in by_table.values():
        for start in range(0, len(of_table), MOST_OF_TABLE):
            yield _table(of_table[start : start + MOST_OF_TABLE], ids)


def _table(results: Sequence[ForeignResult], ids: Counter[str]) -> PrintedTable:
    first = results[0]
    parameters = _common([result.parameters for result in results])
    layout = _common([result.layout for result in results])
    decimals = Counter(result.decimals for result in results).most_common(1)[0][0]
    # A result is a benchmark's where it is defined as that has it: another statistic is a workload.
    declared = known(first.benchmark)
    return PrintedTable(
        page=first.group[:_LONGEST],
        unit=first.unit,
        figures=tuple(
            _result(result, parameters, layout, decimals, _new_id(result, ids))
            for result in results
        ),
        decimals=decimals,
        benchmark=first.benchmark,
        metric=first.metric,
        workload=first.workload,
        quantity=first.quantity,
        better=Better(first.better) if first.better else None,
        statistic=declared.metric(first.metric).statistic if declared else None,
        note=first.note[:_LONGEST],
        parameters=parameters,
        layout=layout,
    )


def _result(
    result: ForeignResult,
    parameters: Mapping[str, Value],
    layout: Mapping[str, Value],
    decimals: int,
    name: str,
) -> PrintedFigure:
    return PrintedFigure(
        id=name,
        value=_middle(result),
        launches=result.values if len(result.values) > 1 else (),
        text=result.text[:_LONGEST],
        decimals=result.decimals if result.decimals != decimals else None,
        flag=result.flag[:_LONGEST],
        parameters={k: v for k, v in result.parameters.items() if k not in parameters},
        layout={k: v for k, v in result.layout.items() if k not in layout},
    )


def _middle(result: ForeignResult) -> float:
    """The mean that its estimate will have: arithmetic of overheads and shares, else geometric."""
    values = result.values
    scale = scale_of_figure(result.benchmark, result.metric, result.unit, result.group)
    if len(values) == 1 or scale is Scale.LINEAR:
        return math.fsum(values) / len(values)
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _new_id(result: ForeignResult, ids: Counter[str]) -> str:
    """A name that describes the result, and that no other result has."""
    what = result.workload or f"{result.benchmark}.{result.metric}"
    values = [str(v) for k, v in sorted(result.parameters.items()) if k in _DESCRIBING]
    words = "-".join((what, *(result.quantity.split(" ")[:2] if result.quantity else ()), *values))
    name = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")[:70].strip("-.")
    ids[name] += 1
    return name if ids[name] == 1 else f"{name}.{ids[name]}"


_DESCRIBING = ("size", "operation", "construct", "kernel", "n")


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

"""What no file of a machine may say: what contradicts itself, or leaves out what it needs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.origin import Origin
from machmeter.published.format import Counts, Part, PrintedFigure, PrintedTable, PublishedMachine

_IN_A_NODE = ("ranks_per_node", "threads_per_rank", "inner_threads")
_NODES = "nodes"
_FILE = re.compile(r"https://(?:github|gitlab)\.com/[^/]+/[^/]+/(?:-/)?blob/")
_LINE = re.compile(r"https://[^/]+/[^/]+/[^/]+/(?:-/)?blob/[0-9a-f]{7,40}/[^#]+#L\d+")


def check_machine(machine: PublishedMachine, where: str) -> None:
    """Raises MachmeterError, with the place, where a machine's file contradicts itself.

    Each number is finite and has no more digits than it says; a source is named; a price has its
    currency; no figure takes more nodes or cores than the machine has.
    """
    if not machine.source.strip():
        raise MachmeterError(
            f"{where}: source is empty", "say who printed or measured the figures, and where"
        )
    if machine.counts.price and not machine.counts.currency:
        raise MachmeterError(
            f"{where}: the price has no currency", 'add one to [counts]: currency = "EUR"'
        )
    _refuse_no_numbers(machine, where)
    for table in machine.tables:
        _refuse_address_without_line(table.address, f"{where}: the table of {table.figures[0].id}")
        for figure in table.figures:
            place = f"{where}: figure {figure.id}"
            _refuse_half_valued(figure, place)
            if machine.origin is Origin.PUBLISHED:
                _refuse_more_digits(table, figure, place)
            _refuse_beyond_machine(machine, {**table.layout, **figure.layout}, place)


def refuse_other_mean(
    printed: float, launches: Sequence[float], decimals: int, where: str, *, is_rate: bool
) -> None:
    """A value beside its launches is their mean, arithmetic, geometric or, of rates, harmonic, as
    far as it and they are rounded.

    Raises MachmeterError for another.
    """
    if not launches:
        return
    # A mean of rounded launches is off by half a unit of theirs at most, and rounded once more.
    of_launches = min(decimals, max(map(_digits, launches)))
    rounding = 0.5 * (10.0**-decimals + 10.0**-of_launches) + 1e-9 * abs(printed)
    means = tuple(_means(launches, is_rate=is_rate))
    if all(abs(mean - printed) > rounding for mean in means):
        said = " or ".join(f"{mean:.6g}" for mean in means)
        raise MachmeterError(
            f"{where}: {printed:g} is not the mean of its launches, {said}",
            "give their mean as its value, or leave out launches that it is not the mean of",
        )


def _digits(value: float) -> int:
    """Digits after the point that the shortest decimal number of that value has."""
    return max(-int(Decimal(repr(value)).normalize().as_tuple().exponent), 0)


def _means(launches: Sequence[float], *, is_rate: bool) -> Iterator[float]:
    """The arithmetic mean, and the others where there are such."""
    yield math.fsum(launches) / len(launches)
    if min(launches) > 0:
        yield math.exp(math.fsum(math.log(value) for value in launches) / len(launches))
        if is_rate:
            yield len(launches) / math.fsum(1 / value for value in launches)


def _refuse_address_without_line(address: str, place: str) -> None:
    """A file of a repository changes: what stands in it is found by commit and line."""
    if _FILE.match(address) and not _LINE.fullmatch(address):
        raise MachmeterError(
            f"{place} has the address of a file without its commit and line",
            "give the address of the line at one commit, .../blob/COMMIT/PATH#L12",
        )


def _refuse_half_valued(figure: PrintedFigure, place: str) -> None:
    if (figure.value is None) == (figure.derived is None):
        raise MachmeterError(
            f"{place} must have either a value or a formula (derived)",
            "add one, or take one away",
        )


def _refuse_more_digits(table: PrintedTable, figure: PrintedFigure, place: str) -> None:
    """What would be shown, and taken for its rounding, is not what was printed.

    Some tools print numbers in full, of which an import shows the digits that distinguish values.
    """
    decimals = table.decimals if figure.decimals is None else figure.decimals
    value = figure.value
    # A mean of launches has as many digits as its division gives.
    if value is None or figure.launches:
        return
    if abs(round(value, decimals) - value) > 1e-9 * abs(value):
        raise MachmeterError(
            f"{place}: {value!r} has more digits than its decimals, {decimals}",
            "give the digits after the point that are printed as its decimals",
        )


def _refuse_beyond_machine(
    machine: PublishedMachine, layout: Mapping[str, Value], place: str
) -> None:
    counts = machine.counts
    nodes = _whole(layout, _NODES)
    if counts.nodes and nodes > counts.nodes:
        raise MachmeterError(
            f"{place} is of {nodes} nodes, and the machine has {counts.nodes}",
            "correct its layout, or nodes in [counts]",
        )
    _refuse_more_cores(machine, counts, layout, place)


def _refuse_more_cores(
    machine: PublishedMachine, counts: Counts, layout: Mapping[str, Value], place: str
) -> None:
    # Another tool states how many ranks it ran, not whether cores were shared.
    if not counts.cores or layout.get("oversubscribe") is True or machine.origin is Origin.IMPORTED:
        return
    wanted = math.prod(_whole(layout, name) for name in (_NODES, *_IN_A_NODE))
    there = counts.cores * _whole(layout, "smt")
    if wanted > there:
        raise MachmeterError(
            f"{place} runs {wanted} threads, and the machine has {counts.cores} cores",
            "correct its layout, or cores in [counts]; threads that share cores have "
            "smt = 2 or oversubscribe = true in their layout",
        )


def _whole(layout: Mapping[str, Value], name: str) -> int:
    """A count of the layout; 1 where it is not stated, or no count."""
    value = layout.get(name, 1)
    return value if isinstance(value, int) and value > 0 else 1


def _refuse_no_numbers(machine: PublishedMachine, where: str) -> None:
    """TOML has nan and inf, which no table, page or JSON document can show."""
    figures = [figure for table in machine.tables for figure in table.figures]
    numbers: dict[str, object] = {
        **{
            f"launch {number} of {figure.id}": launch
            for figure in figures
            for number, launch in enumerate(figure.launches, start=1)
        },
        **{link.id: link.value for link in machine.links},
        **{figure.id: figure.value for figure in figures},
        **{name: getattr(machine.counts, name) for name in ("watts", "price")},
        **{
            name: part.value if isinstance(part, Part) else part
            for name, part in machine.parts.items()
        },
    }
    for name, number in numbers.items():
        if isinstance(number, float) and not math.isfinite(number):
            raise MachmeterError(
                f"{where}: {name} is {number}", "give it a number, or leave it out"
            )

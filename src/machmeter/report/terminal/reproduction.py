"""Printed figures beside those of twins, misses first: lines of at most 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from machmeter.published.printed import significant
from machmeter.published.units import is_counted
from machmeter.simulation.figures.reproduction import (
    FigureClass,
    ReproducedFigure,
    ReproducedMachine,
    Reproduction,
    StatedValue,
    WithinCounts,
)
from machmeter.text.numbers import NOTHING, count_text
from machmeter.text.plain import plain

MAX_COLUMNS = 100
_INDENT = "  "
_DIGITS = 3
_SMALL, _LARGE = 0.001, 999.5
_FIGURE, _PRINTED, _NUMBER, _DEVIATION = 27, 18, 9, 12
_HEAD = ("printed", "twin", "deviation", "rule", "deviation")
_PLURALS = {FigureClass.PARAMETER.value: "parameters"}
_STATED = (FigureClass.PREDICTED, FigureClass.FITTED)
_ROUNDS = " *"
_HEADINGS = {
    FigureClass.RESTATED: "Restated (follow from other printed figures)",
    FigureClass.PARAMETER: "Parameters (inputs: sizes, counts, settings)",
}


def print_reproduction(reproduction: Reproduction, console: Console) -> None:
    """Print the figures of every machine; styles are the console's to drop."""
    columns = min(console.width, MAX_COLUMNS)
    for position, machine in enumerate(reproduction.machines):
        for line in (*([Text("")] * bool(position)), *_machine(machine, columns)):
            console.print(line, soft_wrap=True, highlight=False, markup=False)


def _machine(machine: ReproducedMachine, columns: int) -> Iterator[Text]:
    yield from _wrapped(f"{machine.machine}: {machine.title}", columns, style="bold")
    yield from _wrapped(_counts_text(machine), columns)
    if machine.changes:
        changes = ", ".join(machine.changes)
        text = f"! The model is changed ({changes}): these are not figures of the machine."
        yield from _wrapped(text, columns, style="yellow")
    for kind in _STATED:
        yield from _table(machine, kind, columns)
    yield from _not_predictable(machine, columns)
    for kind, heading in _HEADINGS.items():
        figures = _of(machine, kind)
        if figures:
            yield from _wrapped(f"{heading}:", columns)
            yield from _wrapped(_listed(figures), columns, _INDENT, style="dim")
    yield from _wrapped(_summary_text(machine), columns, style="bold")


def _of(machine: ReproducedMachine, kind: FigureClass) -> list[ReproducedFigure]:
    return [one for one in machine.figures if one.figure_class is kind]


def _counts_text(machine: ReproducedMachine) -> str:
    counts = (
        f"{count} {_PLURALS.get(kind, kind) if count > 1 else kind}"
        for kind, count in machine.counts.items()
    )
    every = count_text(len(machine.figures), "printed figure", "printed figures")
    return f"{every}: {', '.join(counts)}"


def _table(machine: ReproducedMachine, kind: FigureClass, columns: int) -> Iterator[Text]:
    figures = _of(machine, kind)
    if not figures:
        return
    ruled = kind is FigureClass.PREDICTED
    yield Text(_row(kind.value.capitalize(), _HEAD if ruled else _HEAD[:3]), style="bold")
    for one in figures:
        style = "" if one.twin and one.twin.within_rounding else "yellow"
        cells = (_printed_text(one), *_cells(one.twin), *(_cells(one.rule) if ruled else ()))
        yield Text(plain(_row(one.printed.id, cells)), style=style)
        for name, text in (("twin", one.text), ("rule", one.rule.text if one.rule else "")):
            if text:
                yield from _wrapped(f"{name}: {text}", columns, 2 * _INDENT, style="dim")


def _row(name: str, cells: Sequence[str]) -> str:
    widths = (_PRINTED, _NUMBER, _DEVIATION, _NUMBER, _DEVIATION)
    # Beside a deviation there is a place for the mark of a value that rounds.
    set_right = (
        f"{cell if cell.endswith(_ROUNDS) else cell + ' ' * len(_ROUNDS):>{width}}"
        if width == _DEVIATION
        else f"{cell:>{width}}"
        for cell, width in zip(cells, widths, strict=False)
    )
    indent = "" if cells[0] in _HEAD else _INDENT
    return f"{indent}{name:<{_FIGURE - len(indent)}}{''.join(set_right)}".rstrip()


def _cells(stated: StatedValue | None) -> tuple[str, str]:
    if stated is None:
        return NOTHING, NOTHING
    mark = _ROUNDS * stated.within_rounding
    return _number(stated.value), f"{_percent_text(stated.deviation)}{mark}"


def _number(value: float) -> str:
    """Three significant digits, zeros at the end among them: `15.0`."""
    in_range = _SMALL <= abs(value) < _LARGE
    return f"{value:#.{_DIGITS}g}".rstrip(".") if in_range else significant(value, _DIGITS)


def _percent_text(share: float) -> str:
    rounded = round(100 * share, 1)
    return f"{rounded:+.1f} %" if rounded else "0.0 %"


def _not_predictable(machine: ReproducedMachine, columns: int) -> Iterator[Text]:
    figures = _of(machine, FigureClass.NOT_PREDICTABLE)
    for missing in dict.fromkeys(one.missing for one in figures):
        yield from _wrapped(f"Not predictable ({missing}):", columns)
        those = [one for one in figures if one.missing == missing]
        yield from _wrapped(_listed(those), columns, _INDENT, style="dim")


def _listed(figures: Sequence[ReproducedFigure]) -> str:
    return "; ".join(f"{one.printed.id} {_printed_text(one)}" for one in figures)


def _printed_text(figure: ReproducedFigure) -> str:
    """The printed number with its unit, unless it counts things: its name says which."""
    number, unit = figure.printed.number, figure.printed.unit
    return number if is_counted(unit) else f"{number} {unit}"


def _summary_text(machine: ReproducedMachine) -> str:
    if not machine.predicted:
        return "Predicted: none."
    every = sum(one.figure_class is FigureClass.PREDICTED for one in machine.figures)
    groups = {one.counted_as for one in machine.figures if one.counted_as}
    once = f" ({', '.join(sorted(groups))} counted once)" if every > machine.predicted else ""
    return (
        f"Predicted: {machine.predicted}{once}. Within 5 / 10 / 20 %: twin "
        f"{_within_text(machine.twin_within)}, trivial rule {_within_text(machine.rule_within)}. "
        f"*: rounds to the printed figure, which counts as within 5 % (twin "
        f"{machine.twin_within.within_rounding}, rule {machine.rule_within.within_rounding})."
    )


def _within_text(counts: WithinCounts) -> str:
    return f"{counts.within_5} / {counts.within_10} / {counts.within_20}"


def _wrapped(text: str, columns: int, indent: str = "", *, style: str = "") -> Iterator[Text]:
    lines = wrap(
        plain(text, 20_000),
        columns,
        initial_indent=indent,
        subsequent_indent=indent or _INDENT,
        break_on_hyphens=False,
    )
    return (Text(line, style=style) for line in lines)

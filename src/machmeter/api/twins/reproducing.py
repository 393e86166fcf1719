"""The printed figures of a study beside what the twins of its machines state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.twins.simulating import estimates_on
from machmeter.model.point import Point
from machmeter.model.twin import Twin
from machmeter.published.estimates import published_estimates
from machmeter.published.format import Product
from machmeter.published.formulas import PublishedNumber, evaluate, finder, published_numbers
from machmeter.published.load import names_of_studies, published_machine
from machmeter.published.printed import PrintedNumber, printed_figures
from machmeter.published.units import printed_unit
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.change import changed, is_changed_by
from machmeter.simulation.figures.format import FigureEntry, FiguresFile, TrivialRule
from machmeter.simulation.figures.points import PrintedResult, points_of, results_in
from machmeter.simulation.figures.read import figures_of
from machmeter.simulation.figures.reproduced import (
    counted_once,
    counts_of_classes,
    misses_first,
    stated_value,
    within_counts,
)
from machmeter.simulation.figures.reproduction import (
    ReproducedFigure,
    ReproducedMachine,
    Reproduction,
    StatedValue,
)
from machmeter.simulation.figures.values import Results, value_on


def reproduce(
    name: str = "", changes: Sequence[str] = (), context: Context | None = None
) -> Reproduction:
    """Every printed figure of the machines of a study, or of one machine, beside its twin's value.

    Args:
        name: A study, such as `edison-network`, or a machine, such as `hopper`; empty: all.
        changes: `NAME=VALUE` each, made to every twin of these that has the parameter.
        context: Folders and listeners.

    Raises:
        UsageError: There is no such study or machine, or no twin of these has the parameter.
        MachineLacksError: The program that simulates cannot be compiled.
        MachmeterError: A point could not be simulated.
    """
    files = figures_of(name)
    twins = _changed([find_twin(file.machine) for file in files], changes)
    parts = [_parts(file) for file in files]
    results = _simulated(parts, {twin.name: twin for twin in twins}, context)
    numbers = published_numbers(map(published_machine, names_of_studies()))
    machines = (
        _machine(part, twin, results, numbers, _changes_of(part, twins, changes))
        for part, twin in zip(parts, twins, strict=True)
    )
    return Reproduction(name, tuple(machines))


class _Figure(Struct, frozen=True):
    """A printed figure with what is needed to state it."""

    entry: FigureEntry
    number: PrintedNumber
    own: PrintedResult | None


class _Machine(Struct, frozen=True):
    """The figures of a machine."""

    name: str
    figures: tuple[_Figure, ...]

    @property
    def points(self) -> Iterator[tuple[str, Point]]:
        """What has to be simulated, by the name of the twin."""
        for figure in self.figures:
            for result in results_in(figure.entry.stated) if figure.entry.is_stated else ():
                for point in points_of(result, figure.own):
                    yield result.twin or self.name, point


def _changed(twins: Sequence[Twin], changes: Sequence[str]) -> list[Twin]:
    """Each twin with the changes of what it has; the first one refuses what none has."""
    refused = [one for one in changes if not any(is_changed_by(twin, one) for twin in twins)]
    changed(twins[0], refused)
    return [changed(twin, [one for one in changes if is_changed_by(twin, one)]) for twin in twins]


def _changes_of(part: _Machine, twins: Sequence[Twin], changes: Sequence[str]) -> tuple[str, ...]:
    """The changes of the twins that figures of this machine depend on."""
    names = {part.name, *(name for name, _ in part.points)}
    those = [twin for twin in twins if twin.name in names]
    return tuple(one for one in changes if any(is_changed_by(twin, one) for twin in those))


def _parts(file: FiguresFile) -> _Machine:
    machine = published_machine(file.machine)
    results = {
        one.printed.id: PrintedResult(one.point, one.metric)
        for one in published_estimates(machine)
        if one.printed
    }
    return _Machine(
        file.machine,
        tuple(
            _Figure(file.figures[name], number, results[name] if number.table.benchmark else None)
            for name, number in printed_figures(machine).items()
        ),
    )


def _simulated(
    parts: Iterable[_Machine], twins: Mapping[str, Twin], context: Context | None
) -> Results:
    """The results of all points, each twin simulated at once."""
    points: dict[str, list[Point]] = {}
    for part in parts:
        for name, point in part.points:
            points.setdefault(name, []).append(point)
    return {
        (name, one.point, one.metric): one.value
        for name, needed in points.items()
        for one in estimates_on(twins.get(name) or find_twin(name), needed, context)
    }


def _machine(
    part: _Machine,
    twin: Twin,
    results: Results,
    numbers: Mapping[str, PublishedNumber],
    changes: tuple[str, ...],
) -> ReproducedMachine:
    figures = misses_first(_reproduced(one, twin, results, numbers) for one in part.figures)
    counted = counted_once(figures)
    return ReproducedMachine(
        machine=part.name,
        title=twin.title,
        figures=figures,
        counts=counts_of_classes(figures),
        predicted=len(counted),
        twin_within=within_counts([one.twin for one in counted]),
        rule_within=within_counts([one.rule for one in counted]),
        changes=changes,
    )


def _reproduced(
    figure: _Figure, twin: Twin, results: Results, numbers: Mapping[str, PublishedNumber]
) -> ReproducedFigure:
    entry, printed = figure.entry, figure.number.printed
    known = numbers[f"{twin.published}/{printed.id}"]

    def compared(value: float, text: str) -> StatedValue:
        return stated_value(value, known.value, known.low, known.high, text)

    stated = None
    if entry.is_stated:
        factor = printed_unit(printed.unit, f"figure {printed.id}").factor
        value = value_on(entry.stated, figure.own, twin, results)
        stated = compared(value / factor, entry.text)
    rule = None
    if entry.rule:
        rule = compared(_rule_value(entry.rule, twin, numbers), _rule_text(entry.rule))
    return ReproducedFigure(
        printed=printed,
        figure_class=entry.figure_class,
        twin=stated,
        rule=rule,
        missing=entry.missing,
        text=entry.text,
        counted_as=entry.counted_as,
    )


def _rule_value(rule: TrivialRule, twin: Twin, numbers: Mapping[str, PublishedNumber]) -> float:
    formula = Product(over=rule.over, under=rule.under, times=rule.times)
    return evaluate(formula, finder(numbers, twin.published)).value


def _rule_text(rule: TrivialRule) -> str:
    return f"{rule.text} ({rule.source})" if rule.source else rule.text

"""Every printed figure has its class once, and what is stated can be simulated."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.catalogue import find
from machmeter.model.point import Point
from machmeter.model.twin import TwinBasis
from machmeter.published.estimates import published_estimates
from machmeter.published.formulas import published_numbers
from machmeter.published.load import machine_names, published_machine
from machmeter.published.printed import printed_figures
from machmeter.simulation.builtin import find_twin, twin_names
from machmeter.simulation.figures.format import (
    FigureEntry,
    FiguresFile,
    ParameterOfTwin,
    ResultOfTwin,
)
from machmeter.simulation.figures.points import PrintedResult, metric_of, points_of, results_in
from machmeter.simulation.figures.read import all_figures, figures_of
from machmeter.simulation.figures.reproduction import FigureClass
from machmeter.studies.select import STUDIES

FILES = tuple(all_figures().values())
STATED = [
    (file, name, entry) for file in FILES for name, entry in file.figures.items() if entry.is_stated
]
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.machine)
each_stated = pytest.mark.parametrize(
    ("file", "name", "entry"), STATED, ids=[f"{file.machine}-{name}" for file, name, _ in STATED]
)


def own_result(file: FiguresFile, name: str) -> PrintedResult | None:
    machine = published_machine(file.machine)
    if not printed_figures(machine)[name].table.benchmark:
        return None
    return next(
        PrintedResult(one.point, one.metric)
        for one in published_estimates(machine)
        if one.printed and one.printed.id == name
    )


@each_file
def test_each_printed_figure_has_one_entry(file: FiguresFile) -> None:
    assert set(file.figures) == set(printed_figures(published_machine(file.machine)))
    assert file.study in {study.name for study in STUDIES}
    assert find_twin(file.machine).published == file.machine


def test_every_twin_of_a_published_machine_has_its_figures() -> None:
    published = {name for name in twin_names() if find_twin(name).published}
    assert published == set(all_figures())


@each_file
def test_figures_are_fitted_exactly_where_a_parameter_names_them(file: FiguresFile) -> None:
    fitted = {
        one.reason for one in find_twin(file.machine).parameters if one.basis is TwinBasis.FITTED
    }
    entries = {
        f"{file.machine}/{name}"
        for name, entry in file.figures.items()
        if entry.figure_class is FigureClass.FITTED
    }
    assert entries == fitted


@each_stated
def test_a_fitted_figure_says_which_parameter_was_fitted_to_it(
    file: FiguresFile, name: str, entry: FigureEntry
) -> None:
    if entry.figure_class is FigureClass.FITTED:
        parameters = {
            one.name
            for one in find_twin(file.machine).parameters
            if one.reason == f"{file.machine}/{name}"
        }
        assert {entry.text.partition(";")[0]} == parameters


def refuse_what_no_model_describes(point: Point) -> None:
    benchmark = find(point.benchmark)
    assert benchmark.modeled is not None, point.key
    given = dict(point.parameters)
    assert set(given) == {parameter.name for parameter in benchmark.parameters}, point.key
    for parameter in benchmark.parameters:
        if parameter.choices:
            assert str(given[parameter.name]) in parameter.choices, point.key
    for name, values in benchmark.modeled.items():
        value = given[name] if name in given else getattr(point.layout, name)
        assert value in values, point.key


def check_result(result: ResultOfTwin, own: PrintedResult | None, machine: str) -> None:
    twin = find_twin(result.twin or machine)
    points = points_of(result, own)
    metric = metric_of(result, own)
    for point in points:
        refuse_what_no_model_describes(point)
        assert metric in {one.name for one in find(point.benchmark).metrics}
        assert point.layout.nodes <= twin.nodes
        assert point.layout.ranks_per_node <= twin.node.cores
    assert len(set(points)) == len(points)


@each_stated
def test_every_point_can_be_simulated(file: FiguresFile, name: str, entry: FigureEntry) -> None:
    own = own_result(file, name)
    if isinstance(entry.stated, ParameterOfTwin):
        assert find_twin(file.machine).value(entry.stated.name) > 0
    for result in results_in(entry.stated):
        check_result(result, own, file.machine)


@each_file
def test_trivial_rules_name_printed_numbers(file: FiguresFile) -> None:
    numbers = published_numbers(map(published_machine, machine_names()))
    for entry in file.figures.values():
        for name in (*entry.rule.over, *entry.rule.under) if entry.rule else ():
            assert (name if "/" in name else f"{file.machine}/{name}") in numbers


def test_the_predicted_network_figures_are_eight_with_atomics_counted_once() -> None:
    counted = {
        file.machine: len(
            {
                entry.counted_as or name
                for name, entry in file.figures.items()
                if entry.figure_class is FigureClass.PREDICTED
            }
        )
        for file in FILES
    }
    assert counted == {
        "edison": 4,
        "hopper": 2,
        "comet": 2,
        "gordon": 0,
        "louhi": 0,
        "murska": 0,
    }


def test_without_a_name_the_figures_of_all_machines_are_found_study_by_study() -> None:
    machines = [file.machine for file in figures_of("")]
    assert machines == ["comet", "gordon", "edison", "hopper", "louhi", "murska"]

"""Printed figures beside those of twins, as a person reads them."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from machmeter.model.results.printed import Printed
from machmeter.report.terminal.reproduction import print_reproduction
from machmeter.simulation.figures.reproduced import stated_value
from machmeter.simulation.figures.reproduction import (
    FigureClass,
    ReproducedFigure,
    ReproducedMachine,
    Reproduction,
    WithinCounts,
)


def figure(name: str, kind: FigureClass, value: float | None = None) -> ReproducedFigure:
    stated = None if value is None else stated_value(value, 15.0, 14.5, 15.5)
    predicted = kind is FigureClass.PREDICTED
    return ReproducedFigure(
        printed=Printed(name, "15", 15.0, "GB/s both ways", "a study", decimals=0),
        figure_class=kind,
        twin=stated,
        rule=stated_value(10.2, 15.0, 14.5, 15.5, "a data sheet") if predicted else None,
        text="how it is obtained",
        missing="a law" if kind is FigureClass.NOT_PREDICTABLE else "",
    )


MACHINE = ReproducedMachine(
    machine="edison",
    title="Edison",
    figures=(
        figure("missed", FigureClass.PREDICTED, 12.0),
        figure("hit", FigureClass.PREDICTED, 15.2),
        figure("fitted-one", FigureClass.FITTED, 15.0),
        figure("unknown", FigureClass.NOT_PREDICTABLE),
        figure("an-input", FigureClass.PARAMETER),
    ),
    counts={"predicted": 2, "fitted": 1, "not predictable": 1, "parameter": 1},
    predicted=2,
    twin_within=WithinCounts(1, 1, 2, 1),
    rule_within=WithinCounts(0, 0, 0, 0),
    changes=("network.hop_latency=2x",),
)


def printed(machine: ReproducedMachine, columns: int = 100) -> list[str]:
    console = Console(file=io.StringIO(), width=columns)
    print_reproduction(Reproduction("a study", (machine,)), console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue().splitlines()


def test_every_figure_stands_once_with_its_class_and_deviation() -> None:
    lines = printed(MACHINE)
    rows = {line.split()[0]: " ".join(line.split()) for line in lines if line.strip()}
    assert rows["missed"] == "missed 15 GB/s both ways 12.0 -20.0 % 10.2 -32.0 %"
    assert rows["hit"] == "hit 15 GB/s both ways 15.2 +1.3 % * 10.2 -32.0 %"
    assert rows["fitted-one"] == "fitted-one 15 GB/s both ways 15.0 0.0 % *"
    text = " ".join(" ".join(lines).split())
    assert "2 predicted, 1 fitted, 1 not predictable, 1 parameter" in text
    assert "Not predictable (a law): unknown 15 GB/s both ways" in text
    assert "an-input 15 GB/s both ways" in text
    assert "twin 1 / 1 / 2, trivial rule 0 / 0 / 0" in text
    assert "The model is changed (network.hop_latency=2x)" in text


@pytest.mark.parametrize("columns", [100, 140])
def test_lines_have_at_most_100_columns_and_no_blanks_at_their_end(columns: int) -> None:
    lines = printed(MACHINE, columns)
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)

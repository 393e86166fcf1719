"""A published number in the words that its source printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.results.printed import HowKnown, Printed
from machmeter.model.results.printed_text import origin_text, printed_text
from machmeter.published.estimates import published_estimates
from machmeter.published.format import (
    Formula,
    PrintedFigure,
    PrintedTable,
    Product,
    PublishedMachine,
    Quotient,
)
from machmeter.published.load import machine_names, published_machine
from machmeter.published.machine import published_results
from machmeter.published.printed import (
    formula_text,
    printed_figures,
    significant,
)
from machmeter.text.comparison import machine_value_text
from machmeter.text.machines import interval_or_origin
from machmeter.text.results import short_value_text, value_text

TABLE = PrintedTable(page="table 1", unit="us", figures=(PrintedFigure("one", 1.0),), decimals=2)


def printed_of(table: PrintedTable, figure: PrintedFigure) -> Printed:
    machine = PublishedMachine(
        format=1,
        id="made-up",
        name="Made up",
        summary="",
        source="somebody",
        year=2010,
        tables=(replace(table, figures=(figure,)),),
    )
    return printed_figures(machine)[figure.id].printed


@pytest.mark.parametrize(
    ("machine", "figure", "text", "known"),
    [
        ("scalemp", "read-other", "43.37 µs", "as printed"),
        ("gordon", "quantum-espresso-openmpi-384", "1025 s", "as printed"),
        ("scalemp", "shemat-best-time", "467.8 s", "derived: shemat-serial / shemat-best"),
    ],
)
def test_a_figure_is_shown_as_it_is_printed(
    machine: str, figure: str, text: str, known: str
) -> None:
    figures = printed_figures(published_machine(machine))
    printed = figures[figure].printed
    assert (printed_text(printed), origin_text(printed)) == (text, known)


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "qualifier", "text"),
    [
        (1.1, "us", 2, "", "1.10 µs"),
        (45.0, "GB/s both ways", 0, "about", "about 45 GB/s both ways"),
        (0.37, "Mop/s", 2, "at most", "at most 0.37 Mop/s"),
        (4194304.0, "count", 0, "", "4194304"),
        (2200.0, "s", -2, "", "2200 s"),
        (2.2, "x", 1, "more than", "more than 2.2x"),
        (0.5, "share", 1, "low end of 0.5 to 0.75", "0.5"),
        (3.0, "GB/s", 0, "drop", "3 GB/s"),
        (10.0, "x", 0, 'about, printed "+10X"', "about 10x"),
        (1.25, "h per 1e7 steps", 2, "", "1.25 h per 1e7 steps"),
    ],
)
def test_a_number_keeps_its_digits_its_unit_and_its_qualifier(
    value: float, unit: str, decimals: int, qualifier: str, text: str
) -> None:
    table = replace(TABLE, unit=unit, decimals=decimals, qualifier=qualifier)
    assert printed_text(printed_of(table, PrintedFigure("one", value))) == text


def test_a_qualifier_too_long_to_stand_before_its_number_is_told_behind() -> None:
    figure = PrintedFigure("one", 0.5, qualifier="low end of 0.5 to 0.75")
    assert origin_text(printed_of(TABLE, figure)) == "as printed: low end of 0.5 to 0.75"


def test_a_figure_may_be_known_otherwise_than_its_table() -> None:
    read_off = PrintedFigure("one", 1.0, precision=HowKnown.READ_OFF)
    assert origin_text(printed_of(TABLE, read_off)) == "read off a plot"
    assert origin_text(printed_of(TABLE, PrintedFigure("one", 1.0))) == "as printed"
    plot = replace(TABLE, precision=HowKnown.READ_OFF)
    own = PrintedFigure("one", 1.0, precision=HowKnown.PRINTED)
    assert origin_text(printed_of(plot, own)) == "as printed"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Quotient({"a": 1}, {"b": 1}), "a / b"),
        (Quotient({"a": 1, "b": -1}), "a - b"),
        (Quotient({"a": 1, "b": 2}, {"c": 3600}), "(a + 2 × b) / (3600 × c)"),
        (Product(("a", "b"), ("c",), 2.0), "2 × a × b / c"),
        (Product(("a", "b"), ("c", "d")), "a × b / (c × d)"),
    ],
)
def test_a_formula_in_words(formula: Formula, text: str) -> None:
    assert formula_text(formula) == text


@given(st.floats(min_value=1e-14, max_value=1e14), st.integers(2, 6))
def test_significant_digits_are_near_and_have_no_exponent(value: float, digits: int) -> None:
    text = significant(value, digits)
    assert "e" not in text
    assert float(text) == pytest.approx(value, rel=10.0 ** (1 - digits))


@pytest.mark.parametrize("name", machine_names())
def test_every_estimate_of_one_launch_is_shown_as_printed(name: str) -> None:
    machine = published_machine(name)
    figures = printed_figures(machine)
    for one in published_estimates(machine):
        assert one.printed
        assert one.printed == figures[one.printed.id].printed
        # A mean of launches is shown with its interval, and rounded with it.
        if one.launches == 1:
            assert value_text(one) == printed_text(one.printed)
            assert one.printed.number in value_text(one)


def test_a_comparison_has_long_times_as_they_are_printed() -> None:
    found = {value_text(one): one for one in published_estimates(published_machine("gordon"))}
    assert short_value_text(found["1025 s"]) == "1025 s"
    assert machine_value_text(found["1025 s"], published_results("gordon")) == "1025 s as printed"


def test_a_derived_figure_is_never_called_printed() -> None:
    derived = [
        one
        for one in published_estimates(published_machine("psg"))
        if one.printed and one.printed.derived_from
    ]
    assert derived
    psg = published_results("psg")
    for one in derived:
        assert "as printed" not in machine_value_text(one, psg)
        assert interval_or_origin(one) == "derived"

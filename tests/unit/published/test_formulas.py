"""Arithmetic on figures that are known to the digits printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.errors import MachmeterError
from machmeter.published.format import (
    Counts,
    Link,
    PrintedFigure,
    PrintedTable,
    Product,
    PublishedMachine,
    Quotient,
    Waves,
)
from machmeter.published.formulas import (
    PublishedNumber,
    evaluate,
    finder,
    half_unit,
    published_numbers,
)

FIGURES = {
    "a/one": PublishedNumber(60.64, 60.635, 60.645),
    "a/eight": PublishedNumber(131.07, 131.065, 131.075),
    "a/serial": PublishedNumber(19404.3, 19404.25, 19404.35),
    "b/zero": PublishedNumber(0.0, -0.5, 0.5),
}
LOOKUP = finder(FIGURES, "a")


def test_half_a_unit_of_the_last_digit() -> None:
    assert half_unit(2) == pytest.approx(0.005)
    assert half_unit(0) == 0.5
    assert half_unit(-1) == 5
    assert half_unit(None) == 0


def test_a_quotient_has_the_ends_that_rounding_leaves() -> None:
    pace = evaluate(Quotient({"one": 8}, {"eight": 1}), LOOKUP)
    assert pace.value == pytest.approx(3.7012, abs=1e-4)
    assert pace.low == pytest.approx(8 * 60.635 / 131.075)
    assert pace.high == pytest.approx(8 * 60.645 / 131.065)


def test_a_difference_is_a_sum_with_a_negative_count() -> None:
    rest = evaluate(Quotient({"eight": 1, "one": -2}), LOOKUP)
    assert rest.value == pytest.approx(9.79)
    assert (rest.low, rest.high) == pytest.approx((131.065 - 121.29, 131.075 - 121.27))


def test_a_product_has_the_ends_that_rounding_leaves() -> None:
    found = evaluate(Product(("one", "one"), ("eight",), times=2), LOOKUP)
    assert found.value == pytest.approx(2 * 60.64**2 / 131.07)
    assert found.low == pytest.approx(2 * 60.635**2 / 131.075)
    assert found.high == pytest.approx(2 * 60.645**2 / 131.065)


@pytest.mark.parametrize("times", [1e308, 1e-320])
def test_a_product_that_no_number_holds_is_refused(times: float) -> None:
    over, under = (("one",) * 9, ()) if times > 1 else ((), ("eight",) * 9)
    with pytest.raises(MachmeterError, match="no value"):
        evaluate(Product(over, under, times=times), LOOKUP)


def test_counts_and_links_are_known_by_name() -> None:
    machine = PublishedMachine(
        1,
        "m",
        "M",
        "",
        "",
        2010,
        (),
        counts=Counts(nodes=58, watts=1.5),
        links=(Link("link", 7.5, "Gbit/s", "p", decimals=1),),
    )
    assert published_numbers([machine]) == {
        "m/counts.nodes": PublishedNumber(58, 58, 58),
        "m/counts.watts": PublishedNumber(1.5, 1.5, 1.5),
        "m/link": PublishedNumber(7.5, 7.45, 7.55),
    }


def test_the_wave_model_gives_what_the_paper_has() -> None:
    waves = Waves(320, 13, 8, serial="serial", seconds={"1": "one", "8": "a/eight"})
    speed_up = evaluate(waves, LOOKUP)
    assert round(speed_up.value, 2) == 42.75
    assert speed_up.low < 42.755 < speed_up.high


@pytest.mark.parametrize(
    "formula",
    [
        Quotient({"absent": 1}),
        Quotient({"one": 1}, {"b/zero": 1}),
        Quotient({"one": float("nan")}),
        Product(("absent",)),
        Product(("one",), ("b/zero",)),
        Product(("one",), times=float("nan")),
        Waves(320, 13, 8, serial="serial", seconds={"1": "one"}),
        Waves(320, 13, 8, serial="serial", seconds={"eight": "eight"}),
    ],
)
def test_a_formula_without_a_value_says_so(formula: Quotient | Product | Waves) -> None:
    with pytest.raises(MachmeterError) as error:
        evaluate(formula, LOOKUP)
    assert error.value.remedy


def test_what_is_counted_is_not_rounded() -> None:
    counted = PrintedTable("p", "count", (PrintedFigure("boards", 13.0),), 0)
    rounded = PrintedTable("p", "GB", (PrintedFigure("memory", 208.0),), 0)
    known = published_numbers([PublishedMachine(1, "m", "M", "", "", 2010, (counted, rounded))])
    assert known == {
        "m/boards": PublishedNumber(13, 13, 13),
        "m/memory": PublishedNumber(208, 207.5, 208.5),
    }


def test_a_count_in_tens_is_rounded() -> None:
    tens = PrintedTable("p", "cores", (PrintedFigure("cores", 1780.0),), -1)
    known = published_numbers([PublishedMachine(1, "m", "M", "", "", 2010, (tens,))])
    assert known == {"m/cores": PublishedNumber(1780, 1775, 1785)}


def test_a_figure_cannot_be_derived_from_itself() -> None:
    figure = PrintedFigure("loop", derived=Quotient({"loop": 1}))
    machine = PublishedMachine(1, "m", "M", "", "", 2010, (PrintedTable("p", "s", (figure,), 2),))
    with pytest.raises(MachmeterError, match="derived from itself: m/loop, m/loop"):
        published_numbers([machine])


def deriving(figures: dict[str, Quotient | Product | float]) -> PublishedMachine:
    printed = tuple(
        PrintedFigure(name, value=one)
        if isinstance(one, float)
        else PrintedFigure(name, derived=one)
        for name, one in figures.items()
    )
    return PublishedMachine(1, "m", "M", "", "", 2010, (PrintedTable("p", "s", printed, 2),))


def test_a_formula_may_name_figures_that_are_derived_further_below() -> None:
    figures: dict[str, Quotient | Product | float] = {
        f"f{n}": Quotient({f"f{n + 1}": 1}) for n in range(2000)
    }
    figures |= {"f2000": Product(("m/one",), times=2), "one": 1.0}
    assert published_numbers([deriving(figures)])["m/f0"].value == 2.0


def test_figures_that_are_derived_from_each_other_are_named() -> None:
    circle: dict[str, Quotient | Product | float] = {
        "a": Quotient({"b": 1}, {"one": 1}),
        "b": Product(("one", "m/a")),
        "one": 1.0,
    }
    with pytest.raises(MachmeterError, match=r"derived from itself: (m/a, m/b, m/a|m/b, m/a, m/b)"):
        published_numbers([deriving(circle)])


@given(
    st.floats(min_value=1e-6, max_value=1e6),
    st.floats(min_value=1e-6, max_value=1e6),
    st.floats(min_value=0, max_value=0.4),
)
def test_a_quotient_lies_between_its_ends(a: float, b: float, rounding: float) -> None:
    def known(value: float) -> PublishedNumber:
        return PublishedNumber(value, value * (1 - rounding), value * (1 + rounding))

    found = evaluate(Quotient({"a": 1}, {"b": 1}), {"a": known(a), "b": known(b)}.__getitem__)
    assert found.low <= found.value <= found.high

"""The table of scores: a row a machine, and which of two is higher where that can be said."""

from __future__ import annotations

import pytest

from machmeter.analysis.scores.scores import (
    Component,
    Score,
    ScoreKind,
    geometric_score,
    in_order,
    ssp,
)
from machmeter.report.views.scores import score_table
from machmeter.text.scores import order_texts

TITLES = {"a": "Alpha", "b": "Beta"}


def of_machine(machine: str, rate: float, *, printed: bool = False) -> Score:
    codes = [Component(name, rate, 0.0001, 9.0, printed) for name in ("one", "two")]
    return ssp(codes, 10, machine)


FIRST = of_machine("a", 1e9)


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (of_machine("b", 1.5e9), "higher"),
        (of_machine("b", 0.5e9), "lower"),
        (of_machine("b", 1.001e9), "inconclusive"),
    ],
)
def test_each_score_stands_over_that_of_the_first_machine(other: Score, word: str) -> None:
    later = in_order(other, FIRST)
    table = score_table([FIRST, later], TITLES)
    assert table.columns[-2:] == ("over Alpha (95 %)", "order")
    assert table.rows[0][-2:] == ("–", "first")
    assert later.order is not None
    assert table.rows[1][-2:] == order_texts(later.order)
    assert table.rows[1][-1] == word
    assert f"{later.order.low:.2f}, " in table.rows[1][-2]
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_without_intervals_the_ratio_stands_without_an_order() -> None:
    table = score_table([FIRST, in_order(of_machine("b", 2e9, printed=True), FIRST)], TITLES)
    assert table.rows[1][-2] == "2.00x"
    assert table.rows[1][-1] not in {"higher", "lower"}


def test_scores_that_are_ratios_have_no_order() -> None:
    codes = [Component(name, 1.2, 0.0001, 9.0) for name in ("one", "two")]
    score = geometric_score(ScoreKind.SPEC, codes, machine="b", reference="a")
    assert "order" not in score_table([score], TITLES).columns

"""Comparisons in words and tables: every value with its interval, or as printed."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from machmeter.model.origin import Origin
from machmeter.model.results.machine_comparison import Basis, Flip, Refusal, RelativeStanding
from machmeter.model.units import UNBOUNDED
from machmeter.report.views.comparison import (
    comparison_sections,
    flip_table,
    refusal_table,
    short_titles,
)
from machmeter.text.comparison import (
    NO_INTERVAL_MEANS,
    counts_of,
    difference_text,
    machine_value_text,
    standing_text,
    verdict_text,
    with_distinct_titles,
)
from machmeter.text.numbers import ratio_text
from tests.support.made_up.machines import measured, printed, set_beside

PAIRS = set_beside(measured("old"), measured("new", 1.5))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        ((1.92, 1.85, 2.0), "1.92x [1.85, 2.00]"),
        ((1.92, 0.0, UNBOUNDED), "1.92x"),
        ((1.92,), "1.92x"),
        ((14.44, 14.0, 14.9), "14.4x [14.0, 14.9]"),
        ((451.2, 440.0, 1462.0), "451x [440, 1,462]"),
        ((0.0123, 0.011, 0.013), "0.0123x [0.011, 0.013]"),
        ((3.5, 2.0, 1e9), "3.50x [2.00, no bound]"),
        ((3.5, 1e-9, 1e9), "3.50x no bound"),
        ((math.nan,), "–"),
    ],
)
def test_a_ratio_stands_with_its_interval(ratio: tuple[float, ...], text: str) -> None:
    assert ratio_text(*ratio) == text


def test_counts_add_up_to_all_figures() -> None:
    found = counts_of(PAIRS[0].comparison.results)
    assert found.results == len(PAIRS[0].comparison.results)
    assert found.better
    assert found.worse
    assert found.without_interval == 0
    assert verdict_text(PAIRS[0]).startswith(
        f"new versus old: better in {found.better} of {found.results} results, worse in"
    )


def test_what_is_printed_says_so_with_its_flag() -> None:
    (pair,) = set_beside(printed("its own table says 3"), measured())
    figure = next(f for f in pair.comparison.results if f.points is None)
    assert machine_value_text(figure.a, pair.a).endswith("as printed, contradicted")
    assert "[" not in machine_value_text(figure.a, pair.a)
    assert "[" in machine_value_text(figure.b, pair.b)
    imported = replace(pair.a, origin=Origin.IMPORTED)
    assert machine_value_text(figure.a, imported).endswith("as printed, flagged")
    assert "[" not in difference_text(figure)
    assert verdict_text(pair).endswith("the values are published, simulated or single ones.")
    told = comparison_sections([pair], 1000)[0].tables[0].table
    assert told.columns[-1] == "caveats"
    assert all("its own table says 3" in row[-1] for row in told.rows)


def test_simulated_values_are_among_those_without_an_interval() -> None:
    assert NO_INTERVAL_MEANS == (
        "no CI: a published, simulated or single value, which has no confidence interval"
    )


def test_machines_of_one_title_are_told_apart() -> None:
    one, other = replace(measured("a"), title="vm"), replace(measured("b"), title="vm")
    assert [m.title for m in with_distinct_titles([one, other])] == ["vm (a)", "vm (b)"]
    assert [m.title for m in with_distinct_titles([one, measured("c")])] == ["vm", "c"]


def test_tables_hold_every_figure_once_where_there_is_room() -> None:
    sections = comparison_sections(PAIRS, 10_000)
    rows = [row for s in sections for one in s.tables for row in one.table.rows]
    assert len(rows) == len(PAIRS[0].comparison.results)
    assert len({s.anchor for s in sections}) == len(sections)
    few = comparison_sections(PAIRS, 8)
    assert sum(len(one.table.rows) for s in few for one in s.tables) == 8
    assert any("results are shown: the largest" in one.table.note for s in few for one in s.tables)


def test_a_machine_without_figures_in_common_says_so() -> None:
    (pair,) = set_beside(measured("old"), replace(measured("new"), estimates=()))
    assert verdict_text(pair) == "new versus old: no result can be compared."
    assert comparison_sections([pair], 100) == ()


def test_refusals_and_flips_name_the_machines() -> None:
    (pair,) = PAIRS
    changed = replace(
        pair,
        comparison=replace(
            pair.comparison,
            refusals=tuple(Refusal(f"figure {n}", "another window") for n in range(70)),
            flips=tuple(
                Flip("Triad", "as measured", basis, "new", "old")
                for basis in ("per core", "per watt")
            ),
        ),
    )
    refused = refusal_table([changed])
    assert refused.rows[0] == ("new, old", "figure 0", "another window")
    assert refused.note == "10 more are left out here."
    assert flip_table([changed]).rows == (("Triad", "new as measured", "old per core, per watt"),)


def test_what_holds_for_every_row_stands_below_and_a_flag_beside_each() -> None:
    (pair,) = set_beside(printed("its own table says 3"), measured())
    flag = "paper's figure is contradicted: so"
    figures = tuple(
        replace(f, notes=("common", flag, str(number)), flags=(flag,))
        for number, f in enumerate(pair.comparison.results)
    )
    noted = replace(pair, comparison=replace(pair.comparison, results=figures))
    several = [one.tables[0].table for one in comparison_sections([noted], 1000)]
    several = [table for table in several if len(table.rows) > 1]
    assert several
    for table in several:
        assert "Of every row: common." in table.note
        assert all(row[-1].startswith("paper's figure is contradicted: so; ") for row in table.rows)


def test_titles_lose_their_brackets_where_that_tells_them_apart() -> None:
    (pair,) = set_beside(printed(), measured())

    def titled(a: str, b: str) -> tuple[str, str]:
        both = replace(pair, a=replace(pair.a, title=a), b=replace(pair.b, title=b))
        return short_titles(both)

    assert titled("Gordon (SDSC)", "Comet (SDSC)") == ("Gordon", "Comet")
    assert titled("vm (run-1)", "vm (run-2)") == ("vm (run-1)", "vm (run-2)")


def test_an_interval_that_leaves_1_out_and_is_not_significant_is_called_that() -> None:
    (pair,) = set_beside(measured("old"), measured("new"))
    one = next(r for r in pair.comparison.results if r.points is None and not r.as_printed)
    found = one.by[Basis.AS_MEASURED]
    undecided = replace(one, standing=RelativeStanding.INCONCLUSIVE)
    for low, high, word in (
        (0.8, 0.97, "not significant"),
        (1.03, 1.2, "not significant"),
        (0.9, 1.1, "inconclusive"),
    ):
        by = {Basis.AS_MEASURED: replace(found, low=low, high=high)}
        assert standing_text(replace(undecided, by=by)) == word
    points = replace(undecided, points=-0.1, points_low=-0.15, points_high=-0.05)
    assert standing_text(points) == "not significant"

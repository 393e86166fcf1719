"""The page of a history: charts with their tables, and text that stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.model.results.history import History
from machmeter.report.drawing.history import history_chart, levels_of
from machmeter.report.pages.history import render_history
from machmeter.run.history.environments import with_differences
from machmeter.run.history.history import HistoryOptions, read_history, with_changes
from machmeter.run.history.indexing import index_of
from tests.support.made_up.nightly_runs import nightly
from tests.support.synthetic.machine import make_machine


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Fourteen nights of a machine with a hostile name; 8 B are slower from the tenth on."""
    data = tmp_path_factory.mktemp("nights")
    old = make_machine("<script>alert(1)</script>")
    new = replace(old, software=replace(old.software, kernel="<b>6.2"))
    named = (replace(old, name="n<i>"), replace(new, name="n<i>"))
    levels = {8: lambda night: 1e-6 if night < 10 else 1.1e-6, 64: lambda _: 2e-6}
    index = nightly(data, 14, levels, machine=lambda night: named[night >= 10])
    read = read_history(index, HistoryOptions(), data)
    changed = with_changes(read, 0.03, 2, lambda _series, _window, _p: ((10,), ()))
    folders = {run.id: Path(run.folder) for run in index_of(data).runs()}
    return with_differences(changed, folders)


def test_the_page_leads_with_what_became_worse_and_what_else_changed(history: History) -> None:
    page = render_history(history)
    body = page[page.index("<main") :]
    order = [
        body.index(words)
        for words in ("Worse, not", "&lt;b&gt;6.2", 'data-chart="history-0"', "All 2 results")
    ]
    assert order == sorted(order)
    assert "1 result is worse by more than 3 % and not recovered." in page
    assert "<i>" not in page[: page.index('id="specs"')]
    assert "<script>alert" not in page
    assert len(page.encode()) < 2_000_000


def test_what_a_chart_shows_stands_in_its_table_too(history: History) -> None:
    page = render_history(history)
    table = page[page.index("14 runs</caption>") :]
    rows = table[: table.index("</table>")]
    assert rows.count('<th scope="row"') == 14
    assert rows.count("worse: ") == 1


def test_levels_end_where_the_next_begins(history: History) -> None:
    result = history.results[0]
    (first, last, before), (begin, end, after) = levels_of(result)
    assert (first, last, begin, end) == (0, 9, 10, 13)
    assert after > before
    assert levels_of(history.results[1]) == ()


def test_a_chart_holds_every_run_and_says_what_it_shows(history: History) -> None:
    chart = history_chart(3, "8 B", history.results[0])
    assert chart.name == "history-3"
    assert "worse from 2026-09-11" in chart.description
    drawn = [row for rows in chart.spec["datasets"].values() for row in rows if "low" in row]
    assert len(drawn) == 14
    assert all(row["low"] <= row["value"] <= row["high"] for row in drawn)
    quiet = history_chart(4, "64 B", history.results[1])
    assert quiet.description.endswith("no change.")

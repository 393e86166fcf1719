"""The page of machines beside one another: who, what, why not, and where each figure comes from."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.scores.scores import (
    Component,
    ScoreKind,
    component_bounds,
    geometric_score,
)
from machmeter.model.origin import Origin
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import Refusal
from machmeter.report.pages.comparison import ComparedMachine, comparison_charts, render_comparison
from machmeter.report.pages.html import MAX_PAGE_BYTES
from machmeter.report.pages.scores import ScoreResult
from machmeter.report.views.records import RecordsPlace
from machmeter.text.scores import score_interval
from tests.support.documents.chart_rows import rows_of
from tests.support.documents.page_outline import HOSTILE, Outline
from tests.support.made_up.machines import measured, printed
from tests.support.synthetic.run import make_run
from tests.unit.report.benchmarks.groups.test_compared_roofs import NEW as NEW_ROOFS
from tests.unit.report.benchmarks.groups.test_compared_roofs import OLD as OLD_ROOFS

ASKED = make_run().header.request
OLD, NEW = measured("old"), measured("new", 1.5)


def page_of(*machines: MachineResults, base: str = "file:///run/") -> str:
    sides = [
        ComparedMachine(m, ASKED, RecordsPlace("/run", base)) if m.runs else ComparedMachine(m)
        for m in machines
    ]
    first = sides[0].machine
    found = [compare_machines(first, side.machine) for side in sides[1:]]
    return render_comparison(sides, found)


@cache
def page_of_two_runs() -> str:
    """Of two runs."""
    return page_of(OLD, NEW)


def test_the_page_leads_with_the_verdict_and_the_plot() -> None:
    words = Outline(page_of_two_runs()).words
    assert "new versus old: better in" in words
    places = [
        page_of_two_runs().index(f'id="{n}"')
        for n in ("found", "rows-ratios", "who", "not-compared")
    ]
    assert places == sorted(places)
    assert len(page_of_two_runs().encode()) < MAX_PAGE_BYTES


def test_both_machines_say_who_they_are() -> None:
    words = Outline(page_of(printed("its own sum says 3"), NEW)).words
    for told in ("Paper Machine published", "new measured", "Somebody et al. 2010", "Made-up CPU"):
        assert told in words
    assert "Printed values that their source contradicts" in words
    assert "its own sum says 3" in words


def test_what_was_imported_is_flagged_and_a_hollow_mark_is_explained() -> None:
    imported = replace(printed("its +/- reaches below zero"), origin=Origin.IMPORTED)
    words = Outline(page_of(imported, NEW)).words
    assert "Values flagged when they were imported" in words
    assert "figure is flagged: its +/- reaches below zero" in words
    assert "ontradict" not in words
    without_interval = "No CI A published, imported, simulated or single value"
    assert without_interval in words
    assert without_interval not in Outline(page_of_two_runs()).words


def test_measured_values_lead_to_their_records_and_to_their_command() -> None:
    outline = Outline(page_of_two_runs())
    anchors = {a["href"] for tag, a in outline.elements if tag == "a" and "href" in a}
    ids = {f"#{a['id']}" for _, a in outline.elements if a.get("id")}
    assert {one for one in anchors if str(one).startswith("#")} <= ids
    assert any(str(one).startswith("#records-1-") for one in anchors)
    assert any(str(one).startswith("#records-2-") for one in anchors)
    assert any(str(one).startswith("file:///run/launches/") for one in anchors)
    assert "machmeter run memory.stream --set" in outline.words


def test_printed_values_lead_nowhere() -> None:
    outline = Outline(page_of(printed(), replace(NEW, runs=())))
    assert "machmeter run memory.stream" not in outline.words
    assert not any("launches/" in str(a.get("href")) for _, a in outline.elements)


def test_refusals_stand_with_their_reason() -> None:
    comparison = replace(
        compare_machines(OLD, NEW), refusals=(Refusal("latency", "a window of 256 against 64"),)
    )
    words = Outline(
        render_comparison([ComparedMachine(OLD), ComparedMachine(NEW)], [comparison])
    ).words
    assert "Not comparable, and why" in words
    assert "a window of 256 against 64" in words


def test_three_machines_are_each_set_beside_the_first() -> None:
    words = Outline(page_of(OLD, NEW, printed())).words
    assert "new and Paper Machine versus old" in words
    assert "Paper Machine versus old" in words
    assert "each over old" in words


def test_rooflines_are_drawn_where_both_machines_have_one() -> None:
    found = compare_machines(OLD_ROOFS, NEW_ROOFS)
    outline = Outline(page_of(OLD_ROOFS, NEW_ROOFS))
    assert "roofline" in {a.get("id") for _, a in outline.elements}
    assert "memory bandwidth" in outline.words
    drawn = {one.name for one in comparison_charts([OLD_ROOFS, NEW_ROOFS], [found])}
    assert "compared-roofline" in drawn
    without = Outline(page_of(OLD_ROOFS, NEW))
    assert "roofline" not in {a.get("id") for _, a in without.elements}


def test_charts_for_a_paper_tell_machines_of_one_title_apart() -> None:
    machines = [replace(one, title="vm") for one in (OLD, NEW, measured("other", 2.0))]
    found = [compare_machines(machines[0], other) for other in machines[1:]]
    (plot,) = comparison_charts(machines, found)
    series = {row["series"] for row in rows_of(plot) if "value" in row}
    assert series == {"vm (new)", "vm (other)"}
    parts = [Component(name, 1.2, 0.0001, 11.0) for name in ("a", "b")]
    score = geometric_score(ScoreKind.SPEC, parts, machine="new", reference="old")
    charts = comparison_charts(machines, found, ScoreResult(ScoreKind.SPEC, (score,)))
    assert [chart.name for chart in charts] == ["forest", "score-spec"]


def test_machines_of_one_title_are_told_apart() -> None:
    words = Outline(page_of(replace(OLD, title="vm"), replace(NEW, title="vm"))).words
    assert "vm (new) versus vm (old)" in words


def scored(result: ScoreResult | None) -> str:
    return render_comparison(
        [ComparedMachine(OLD), ComparedMachine(NEW)], [compare_machines(OLD, NEW)], result
    )


def test_a_score_comes_after_its_components_with_both_its_intervals() -> None:
    parts = [
        Component("stream", 1.5, 0.0001, 11.0, parts="Triad", sources=("figures of new",)),
        Component("latency", 1.2, 0.0001, 11.0),
    ]
    score = geometric_score(ScoreKind.SPEC, parts, machine="new", reference="old")
    page = scored(ScoreResult(ScoreKind.SPEC, (score,)))
    words = Outline(page).words
    stream = score_interval(parts[0].value, *component_bounds(parts[0]), ScoreKind.SPEC)
    assert f"stream 1.50x {stream} Triad figures of new" in words
    measured_within = score_interval(score.value, score.low, score.high, score.kind)
    other_codes = score_interval(score.value, score.workload_low, score.workload_high, score.kind)
    assert f"new versus old base score 2 1.34x {measured_within} {other_codes}" in words
    told = ("found", "score", "chart-score-spec", "who")
    places = [page.index(f'id="{name}"') for name in told]
    assert places == sorted(places)
    assert words.index("stream 1.50x") < words.index("base score of 2 codes: 1.34x")


def test_a_fitting_score_names_what_it_leaves_out_and_draws_no_code_twice() -> None:
    parts = [Component(name, 1.2, 0.0001, 11.0) for name in ("stream", "latency")]
    of = {"machine": "new", "reference": "old"}
    every = geometric_score(ScoreKind.SPEC, parts, **of)
    fitting = geometric_score(
        ScoreKind.SPEC, parts[:1], **of, left_out={"latency": "its data are too large"}
    )
    both = ScoreResult(ScoreKind.SPEC, (every, fitting))
    assert "latency left out" in Outline(scored(both)).words
    drawn, alone = (
        [rows_of(chart) for chart in comparison_charts([OLD, NEW], [compare_machines(OLD, NEW)], r)]
        for r in (both, ScoreResult(ScoreKind.SPEC, (every,)))
    )
    assert drawn == alone


def test_an_adjusted_score_names_what_is_missing() -> None:
    part = Component("stream", 1.5, as_printed=True)
    score = geometric_score(
        ScoreKind.THROUGHPUT,
        [part],
        machine="new",
        reference="old",
        missing=("raxml",),
        adjusted=True,
        doubts=("raxml: on how many nodes is not stated by old",),
    )
    page = scored(ScoreResult(ScoreKind.THROUGHPUT, (score,)))
    words = Outline(page).words
    assert "raxml missing" in words
    assert "adjusted score (without raxml) 1 1.50x no CI unknown: one code" in words
    assert "raxml: on how many nodes is not stated by old" in words
    assert "chart-score" not in page


def test_a_score_that_is_refused_says_why_and_what_to_do() -> None:
    words = Outline(scored(ScoreResult(ScoreKind.SSP, why="no code", remedy="add one"))).words
    assert "No score" in words
    assert "No code. Remedy: add one." in words


def test_of_scores_nothing_is_said_where_none_was_asked_for() -> None:
    assert "score" not in Outline(page_of_two_runs()).words.lower()


def test_a_page_kept_to_a_benchmark_says_so() -> None:
    comparison = compare_machines(OLD, NEW, ("memory.stream",))
    page = render_comparison(
        [ComparedMachine(OLD), ComparedMachine(NEW)], [comparison], None, ("memory.stream",)
    )
    assert "Restricted to memory.stream" in Outline(page).words


def test_nothing_in_common_is_a_page_that_says_so() -> None:
    words = Outline(page_of(OLD, replace(NEW, estimates=()))).words
    assert "new and old have no comparable result" in words
    for heading in ("Geometric mean by group", "Ratios", "Different one by one", "0 of 0"):
        assert heading not in words


def test_names_and_notes_of_others_stay_words() -> None:
    hostile = replace(
        NEW, title=HOSTILE, source=HOSTILE, properties={HOSTILE: HOSTILE}, command=HOSTILE
    )
    flagged = replace(printed(HOSTILE), title=f"</script>{HOSTILE}")
    page = page_of(flagged, hostile)
    assert HOSTILE not in page
    assert Outline(page).count("script") == Outline(page_of_two_runs()).count("script")


def test_as_many_comparisons_as_other_machines_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        render_comparison([ComparedMachine(OLD), ComparedMachine(NEW)], [])

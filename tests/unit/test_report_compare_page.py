"""The page of machines beside one another: who, what, why not, and where each figure comes from."""

from __future__ import annotations

import pytest
from made_up_machines import measured, printed
from msgspec.structs import replace
from page_outline import HOSTILE, Outline
from synthetic_run import make_run

from machmeter.analysis.compare_machines import compare_machines
from machmeter.analysis.scores import Component, ScoreKind, geometric_score
from machmeter.model.compared import Refusal
from machmeter.model.known import KnownMachine
from machmeter.report.compare_page import Side, render_comparison
from machmeter.report.html import MAX_PAGE_BYTES
from machmeter.report.records_links import RecordsPlace

ASKED = make_run().header.asked
OLD, NEW = measured("old"), measured("new", 1.5)


def page_of(*machines: KnownMachine, base: str = "file:///run/") -> str:
    sides = [Side(m, ASKED, RecordsPlace("/run", base)) if m.runs else Side(m) for m in machines]
    first = sides[0].machine
    found = [compare_machines(first, side.machine) for side in sides[1:]]
    return render_comparison(sides, found)


PAGE = page_of(OLD, NEW)


def test_the_page_leads_with_the_verdict_and_the_plot() -> None:
    words = Outline(PAGE).words
    assert "new against old: better in" in words
    places = [PAGE.index(f'id="{n}"') for n in ("found", "chart-forest", "who", "not-compared")]
    assert places == sorted(places)
    assert len(PAGE.encode()) < MAX_PAGE_BYTES


def test_both_machines_say_who_they_are() -> None:
    words = Outline(page_of(printed("its own sum says 3"), NEW)).words
    for told in ("Paper Machine published", "new measured", "Somebody et al. 2010", "Made-up CPU"):
        assert told in words
    assert "Printed figures that their source contradicts" in words
    assert "its own sum says 3" in words


def test_measured_values_lead_to_their_records_and_to_their_command() -> None:
    outline = Outline(PAGE)
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
    words = Outline(render_comparison([Side(OLD), Side(NEW)], [comparison])).words
    assert "Alike in name, and not compared" in words
    assert "a window of 256 against 64" in words


def test_three_machines_are_each_set_beside_the_first() -> None:
    words = Outline(page_of(OLD, NEW, printed())).words
    assert "old beside new and Paper Machine" in words
    assert "Paper Machine against old" in words
    assert "each over old" in words


def test_machines_of_one_title_are_told_apart() -> None:
    words = Outline(page_of(replace(OLD, title="vm"), replace(NEW, title="vm"))).words
    assert "vm (old) beside vm (new)" in words


def test_scores_stand_with_both_intervals_and_their_components() -> None:
    parts = [Component("stream", 1.5, 0.0001, 11.0), Component("latency", 1.2, 0.0001, 11.0)]
    score = geometric_score(ScoreKind.SPEC, parts, machine="new", reference="old")
    found = [compare_machines(OLD, NEW)]
    words = Outline(render_comparison([Side(OLD), Side(NEW)], found, [score])).words
    assert "stream 1.5; latency 1.2" in words
    assert f"{score.value:.4g} [{score.low:.3g}, {score.high:.3g}]" in words


def test_nothing_in_common_is_a_page_that_says_so() -> None:
    words = Outline(page_of(OLD, replace(NEW, estimates=()))).words
    assert "no figure can be compared" in words
    assert "No figure of these machines has a ratio to draw." in words


def test_names_and_notes_of_others_stay_words() -> None:
    hostile = replace(NEW, title=HOSTILE, source=HOSTILE, facts={HOSTILE: HOSTILE}, command=HOSTILE)
    flagged = replace(printed(HOSTILE), title=f"</script>{HOSTILE}")
    page = page_of(flagged, hostile)
    assert HOSTILE not in page
    assert Outline(page).count("script") == Outline(PAGE).count("script")


def test_as_many_comparisons_as_other_machines_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        render_comparison([Side(OLD), Side(NEW)], [])

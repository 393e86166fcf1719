"""The page of one machine: what it leads with, its figures as printed, and what to distrust."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.api.reports import page_machine
from machmeter.model.results.printed_text import origin_text, printed_text
from machmeter.published.format import (
    Better,
    Link,
    Part,
    PrintedFigure,
    PrintedTable,
    PublishedMachine,
)
from machmeter.published.load import machine_names
from machmeter.published.machine import machine_results
from machmeter.published.printed import printed_figures
from machmeter.report.pages.html import MAX_PAGE_BYTES
from machmeter.report.pages.machine import PageMachine, machine_charts, render_machine
from machmeter.report.views.machine import source_pieces
from tests.support.documents.page_outline import HOSTILE, Outline
from tests.support.importing_data import FOLDER as DATA

PAGES = {name: render_machine(page_machine(name)) for name in ("edison", "scalemp", "ec2")}


def own(*tables: PrintedTable, **fields: object) -> PageMachine:
    """A machine of one's own file."""
    machine = PublishedMachine(1, "mine", "Mine", "", "Me 2026", 2026, tables)
    machine = replace(machine, **fields)
    return PageMachine("mine.toml", machine_results(machine), machine, {})


def code(*figures: PrintedFigure, unit: str = "s", decimals: int = 1) -> PrintedTable:
    return PrintedTable(
        "page 1", unit, figures, decimals, workload="code", quantity="wall time",
        better=Better.LOWER,
    )  # fmt: skip


def printed_of(name: str, figure: str) -> tuple[str, str]:
    found = printed_figures(page_machine(name).printed)[figure].printed
    return printed_text(found), origin_text(found)


def test_the_page_leads_with_what_it_is_then_decisions_then_claims_then_parts() -> None:
    page = PAGES["edison"]
    places = [page.index(f'id="{n}"') for n in ("decided", "claims", "parts", "loose", "versus")]
    assert places == sorted(places)
    words = Outline(page).words
    assert "Edison Phase 1 (Cray XC30, NERSC) published machine" in words
    assert "none is published with an interval" in words
    assert "A machine of 2013, printed in Austin et al., CUG 2013, slides" in words


def test_the_source_leads_to_where_the_study_is_found() -> None:
    links = {
        a["href"] for tag, a in Outline(PAGES["scalemp"]).elements if tag == "a" and "href" in a
    }
    assert "https://doi.org/10.1109/CLUSTER.2010.38" in links


def test_decisions_stand_with_their_answer_source_and_flag() -> None:
    words = Outline(PAGES["edison"]).words
    assert (
        "Which socket has lower MPI latency? 16 ranks: package 0, 1.60x over package 1: place"
        in words
    )
    assert "Printed in slide Edison Point-to-Point Latency" in words
    assert "as printed, without interval" not in words
    assert (
        "which its own figures contradict: 256 against 1 x the size in the body of the slide (001-"
        in words
    )


def test_claims_stand_with_verdict_computed_figures_and_counts() -> None:
    words = Outline(PAGES["scalemp"]).words
    assert (
        "42 claims: 22 reproduced, 2 contradicted by its own arithmetic, 18 not decidable" in words
    )
    assert "Contradicted by its own arithmetic: 451.5; printed: 100 to 200x" in words
    assert "22 claims are based on figures of this machine" in words
    assert words.index("Contradicted by its own") < words.index("Reproduced:")


@pytest.mark.parametrize("name", ["edison", "scalemp"])
def test_every_contradicted_figure_carries_its_flag_where_it_stands(name: str) -> None:
    page, machine = PAGES[name], page_machine(name)
    rows = dict(re.findall(r'<tr id="figure-([^"]+)">(.*?)</tr>', page, re.DOTALL))
    figures = set(printed_figures(machine.printed))
    assert figures == set(rows)
    flagged = figures & set(machine.flags)
    assert flagged
    for figure, row in rows.items():
        assert ("which its own figures contradict" in row) is (figure in flagged)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_links_within_the_page_lead_somewhere_and_ids_are_unique(page: str) -> None:
    outline = Outline(page)
    ids = [a["id"] for _, a in outline.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    inner = {a["href"] for tag, a in outline.elements if tag == "a" and a.get("href")}
    assert {one for one in inner if str(one).startswith("#")} <= {f"#{one}" for one in ids}
    assert len(page.encode()) < MAX_PAGE_BYTES


@pytest.mark.parametrize(
    ("machine", "figure", "text", "known"),
    [
        ("scalemp", "shemat-eight", "131.07 s", "as printed"),
        ("edison", "bandwidth-both-ways", "peak 15 GB/s both ways", "as printed"),
        ("edison", "overlap-small-low", "0.5", "as printed: low end of 0.5 to 0.75"),
        ("edison", "latency-first-socket", "1.5 µs", "as printed"),
        ("edison", "delivery", "2013.748 year", "as printed"),
        ("edison", "core-over-hopper", "2.2x", "as printed"),
        (
            "edison",
            "latency-16-pairs",
            "2.4 µs",
            'read off a plot: "comparable to 8-pair second socket"',
        ),
    ],
)
def test_a_figure_has_the_digits_and_the_unit_of_its_source(
    machine: str, figure: str, text: str, known: str
) -> None:
    assert printed_of(machine, figure) == (text, known)


def test_the_commands_set_it_beside_a_run() -> None:
    words = Outline(PAGES["edison"]).words
    for command in (
        "run edison",
        "run edison-network",
        "compare edison last",
        "report edison last",
    ):
        assert f"machmeter {command}" in words
    assert "Compare with a run" not in Outline(PAGES["ec2"]).words


def test_a_machine_without_figures_says_so() -> None:
    words = Outline(PAGES["ec2"]).words
    assert "No results to compare, 3 figures that cannot be compared." in words
    assert "These values alone decide none of" in words


def test_parts_and_links_have_units_and_pages() -> None:
    parts = {"cache": Part(24, "MB", "table 1", "of a processor"), "boards": 13}
    links = (Link("up", 15, "Gbit/s", "page 2", text="uplink"),)
    words = Outline(render_machine(own(parts=parts, links=links))).words
    assert "cache 24 MB (of a processor) table 1" in words
    assert "boards 13" in words
    assert "link uplink 15 Gbit/s, direction not stated page 2" in words


def test_what_is_both_a_part_and_a_count_stands_once() -> None:
    words = Outline(render_machine(page_machine("tigerton"))).words
    assert words.count("cores 16 ") == 1


def test_a_contradicted_link_is_led_to() -> None:
    outline = Outline(render_machine(page_machine("uv1000")))
    links = {a["href"] for tag, a in outline.elements if tag == "a" and "href" in a}
    assert "#figure-numalink-5" in links
    assert "#figure-numalink-5" in {f"#{a.get('id')}" for _, a in outline.elements}


def test_a_series_has_a_chart_and_its_table() -> None:
    figures = [PrintedFigure(f"f{n}", 90.0 / n, parameters={"cores": n}) for n in (16, 32, 64)]
    machine = own(code(*figures))
    outline = Outline(render_machine(machine))
    assert [chart.title for chart in machine_charts(machine.results)] == ["Wall time over cores"]
    assert sum("data-chart" in a for _, a in outline.elements) == 1
    assert outline.count("table") == 1


def test_figures_of_several_launches_show_their_interval() -> None:
    figure = PrintedFigure("f", 10.0, launches=(9.9, 10.0, 10.1), parameters={"cores": 4})
    words = Outline(render_machine(own(code(figure)))).words
    assert "1 of them has an interval" in words
    assert re.search(r"10\.0 s \[9\.7\d?, 10\.\d+\]", words)


def test_single_figures_of_one_place_are_one_table() -> None:
    tables = [
        replace(code(PrintedFigure(f"f{n}", 1.0 + n)), quantity=f"time of {name}")
        for n, name in enumerate(("setup", "solve", "output"))
    ]
    outline = Outline(render_machine(own(*tables)))
    assert outline.count("table") == 1
    assert "Single values" in outline.words
    assert "Time of solve" in outline.words


def test_what_was_imported_says_so_and_what_was_flagged() -> None:
    machine = page_machine(str(DATA / "tools/epcc_syncbench.txt"))
    words = Outline(render_machine(machine)).words
    assert "epcc_syncbench.txt imported machine" in words
    assert "Flagged when imported" in words
    assert "What the study claims" not in words
    told = replace(machine, remarks=("a remark",))
    assert "Remarks of the importer a remark" in Outline(render_machine(told)).words


def test_a_page_of_many_figures_stays_small_and_says_what_it_leaves_out() -> None:
    texts = "x" * 600
    tables = tuple(
        replace(
            code(
                *(
                    PrintedFigure(
                        f"f{t}.{n}", 1.0 + n, text=texts, flag=texts, parameters={"cores": n}
                    )
                    for n in range(1, 801)
                )
            ),
            quantity=f"time {t}",
        )
        for t in range(2)
    )
    page = render_machine(own(*tables))
    assert len(page.encode()) < MAX_PAGE_BYTES
    assert "more are left out here" in page
    assert "1,600 results to compare" in page


def test_a_page_of_many_tables_stays_small_and_says_what_it_leaves_out() -> None:
    texts = "x" * 900
    tables = tuple(
        replace(
            code(PrintedFigure(f"f{t}", 1.0)), quantity=f"time {t}", note=texts, page=f"page {t}"
        )
        for t in range(2000)
    )
    page = render_machine(own(*tables))
    assert len(page.encode()) < MAX_PAGE_BYTES
    assert "more tables are left out here" in page


def test_charts_beyond_the_most_are_counted() -> None:
    def series(number: int) -> PrintedTable:
        points = [
            PrintedFigure(f"f{number}.{n}", 9.0 / n, parameters={"cores": n}) for n in (1, 2, 4)
        ]
        return replace(code(*points), quantity=f"time {number}")

    page = render_machine(own(*(series(n) for n in range(63)), code(PrintedFigure("one", 1.0))))
    words = Outline(page).words
    assert re.search(r"Left out, too large for this page: (.* and )?3 more charts\. ", words)


def test_words_of_others_stay_words() -> None:
    figures = [
        PrintedFigure(
            f"f{n}", 1.0 + n, text=HOSTILE, flag=HOSTILE, parameters={"cores": n, "x": HOSTILE}
        )
        for n in (1, 2, 3)
    ]
    machine = own(
        replace(code(*figures), page=HOSTILE, note=f"</script>{HOSTILE}", qualifier=HOSTILE),
        name=HOSTILE,
        source=HOSTILE,
        summary=HOSTILE,
        parts={HOSTILE: Part(HOSTILE, HOSTILE, HOSTILE, HOSTILE)},
    )
    page = render_machine(replace(machine, name=HOSTILE, remarks=(HOSTILE,)))
    assert HOSTILE not in page
    assert Outline(page).count("script") == Outline(PAGES["edison"]).count("script")


def test_an_address_in_a_source_leads_there() -> None:
    said = "NERSC page, Edison (nersc.gov/users/hyper-threading/), text; https://a.example.org/x"
    found = source_pieces(said)
    assert "".join(piece.text for piece in found) == said
    assert [piece.address for piece in found if piece.address] == [
        "https://nersc.gov/users/hyper-threading/",
        "https://a.example.org/x",
    ]


@given(st.text(max_size=200))
def test_the_words_of_a_source_are_kept_and_lead_to_pages_only(text: str) -> None:
    for piece in source_pieces(text):
        assert piece.text
        assert not piece.address or piece.address.startswith(("https://", "http://"))


@pytest.mark.parametrize("name", machine_names())
def test_every_published_machine_has_a_page(name: str) -> None:
    machine = page_machine(name)
    outline = Outline(render_machine(machine))
    anchors = {a.get("id") for _, a in outline.elements}
    assert {f"figure-{figure}" for figure in printed_figures(machine.printed)} <= anchors

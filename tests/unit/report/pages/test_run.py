import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.analysis.normal.position import NotPlaced, Other, Position, Side
from machmeter.analysis.normal.report import KeyResult, Like, NormalReport
from machmeter.model.device import DeviceRanges, DeviceUse, HostCpus
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding, PublishedAnswer
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import Refusal
from machmeter.model.results.run import RunResult, RunState
from machmeter.model.units import parse_bytes
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.drawing.chart import Chart
from machmeter.report.pages.html import MAX_PAGE_BYTES, marked, safe_json
from machmeter.report.pages.result_rows import MOST_CARDS
from machmeter.report.pages.run import (
    RunSection,
    render_brief,
    render_page,
    without_the_largest,
    write_page,
)
from machmeter.report.views.records import RecordsPlace
from machmeter.simulation.builtin import find_twin
from machmeter.simulation.sensitivity import TwinSensitivity
from tests.support.documents.class_names import CLASS_NAMES
from tests.support.documents.page_outline import HOSTILE, Outline
from tests.support.made_up.findings import made_up_finding
from tests.support.made_up.machines import measured, printed, set_beside
from tests.support.synthetic.explored import make_explored
from tests.support.synthetic.machine import make_packages
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.node import SOURCE, make_node_run
from tests.support.synthetic.run import make_run

RUNS: dict[str, Callable[[], RunResult]] = {
    "2 cores": make_run,
    "16 cores": make_node_run,
    "six nodes": make_network_run,
    "192 counts of threads": lambda: make_run(threads=tuple(range(1, 193))),
    "128 cores": lambda: make_node_run(make_packages(8, 4, 4)),
    "32 nodes and three libraries": lambda: make_network_run(
        ("mpich", "openmpi", "third"), tuple(f"n{n}" for n in range(32))
    ),
}
# Of few figures: a page of all takes seconds.
SMALL = replace(make_run(), estimates=make_run().estimates[:: len(make_run().estimates) // 12])


@cache
def page_of(name: str) -> str:
    """The page of one of `RUNS`, rendered once."""
    return render_page(RUNS[name]())


@cache
def outline_of(name: str) -> Outline:
    return Outline(page_of(name))


@pytest.mark.parametrize("name", RUNS)
def test_page_stays_below_its_limit(name: str) -> None:
    assert len(page_of(name).encode()) < MAX_PAGE_BYTES


@pytest.mark.parametrize("name", RUNS)
def test_no_page_names_a_class_of_the_package(name: str) -> None:
    assert not CLASS_NAMES.findall(outline_of(name).words)


def test_the_title_says_what_machine_it_is() -> None:
    machine = make_run().header.machine
    page = page_of("2 cores")
    (title,) = re.findall(r"<h1>(.*?)</h1>", page)
    assert title.startswith(f"{machine.cpu_model} virtual machine, ")
    assert " cores, " in title
    assert f"quick on {machine.name}" in page


def test_charts_too_large_for_a_page_are_named() -> None:
    charts = tuple(
        Chart(name, f"Title of {name}", "", "", {"data": "x" * length})
        for name, length in (("small", 100), ("large", 900), ("largest", 5000))
    )
    sections = [
        RunSection("a", "a.b", "A", "", charts, ()),
        RunSection("c", "c.d", "C", "", (), ()),
    ]
    first, second = without_the_largest(sections, 1200)
    assert [chart.name for chart in first.charts] == ["small", "large"]
    assert first.left_out == ("Title of largest",)
    assert second.left_out == ()
    assert without_the_largest(sections, 10_000) == sections


def test_findings_show_their_cases_and_their_source() -> None:
    outline = outline_of("16 cores")
    assert "critical: 6.1x [6.0, 6.2]" in outline.words
    assert outline.words.count(SOURCE.replace("`", "")[:40]) == 5


def test_words_that_tools_use_differently_are_defined_with_their_results() -> None:
    words = outline_of("six nodes").words
    for told in ("(OSU from 5.9 on)", "MPI_Win_allocate", "on synchronized clocks, and rounds"):
        assert told in words
    assert "Hosts of ranks 6: n1, n2" in words
    assert "Transport, openmpi pml ob1" in words


def test_names_of_hosts_libraries_and_transports_stay_words() -> None:
    network = make_network_run((HOSTILE, "openmpi"), tuple(f"{HOSTILE}{n}" for n in range(6)))
    hostile = replace(network, transports={HOSTILE: {HOSTILE: HOSTILE}})
    page = render_page(hostile)
    assert HOSTILE not in page
    assert Outline(page).count("script") == outline_of("2 cores").count("script")


def test_ancestors_stand_beside_their_matrices() -> None:
    words = outline_of("16 cores").words
    for caption in (
        "By what owner and visitor have in common",
        "By what the two domains have in common",
        "By what the two cores have in common",
    ):
        assert caption in words


def test_cut_table_says_so() -> None:
    words = outline_of("192 counts of threads").words
    assert re.search(r"[\d,]+ of [\d,]+ results are shown; machmeter export", words)


def test_key_results_findings_and_caveats_come_before_everything_else() -> None:
    page = page_of("2 cores")
    names = ("results", "findings", "caveats", "limits", "memory-stream", "quality")
    places = [page.index(f'id="{name}"') for name in (*names, "machine", "method", "reproduce")]
    assert places == sorted(places)


def test_every_result_stands_with_interval_and_launches() -> None:
    run = make_run()
    rows = outline_of("2 cores").words
    assert rows.count(" 12 ") >= len(run.estimates)
    assert "not met" not in rows
    assert "< 12.0 ns" in rows


def test_states_of_devices_stand_under_data_quality_where_there_are_devices() -> None:
    known = DeviceRanges((1.98e9, 1.98e9), None, (41.0, 63.0), None)
    use = DeviceUse("device.fma", "cuda:0", HostCpus.NEAR, 2, known, known, None, None, {})
    page = render_page(replace(SMALL, device_uses=(use,)))
    assert "Devices before / after points" in page
    assert "41 to 63 °C" in page
    assert "Devices before / after points" not in render_page(SMALL)


def test_page_loads_nothing() -> None:
    for tag, attributes in outline_of("2 cores").elements:
        if tag in {"script", "img", "iframe"}:
            assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"


def test_tables_have_captions_and_scopes() -> None:
    outline = outline_of("2 cores")
    named = sum("aria-labelledby" in a for tag, a in outline.elements if tag == "table")
    assert outline.count("table") - named == outline.count("caption") > 6
    assert named > 2
    assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")


def test_whether_results_are_normal_has_a_section_that_the_contents_lead_to() -> None:
    one = SMALL.estimates[0]
    here = MachineResults("here", HOSTILE, Origin.MEASURED, HOSTILE)
    other = Other("archer2", HOSTILE, "Zen 2", one, one.value, None, Side.LIKE, (HOSTILE,))
    found = Position(one, 0.5, (other,), (NotPlaced("eiger", HOSTILE),))
    report = NormalReport(here, Like.ALL, ("archer2",), (KeyResult(HOSTILE, HOSTILE, found),))
    page = render_page(SMALL, normal=report)
    assert '<a href="#normal">' in page
    assert 'id="normal"' in page
    assert 'id="rows-normal-limits"' in page
    assert HOSTILE not in page
    assert 'id="normal"' not in render_page(SMALL)


def test_words_of_others_stay_words() -> None:
    run = make_run(HOSTILE, caveats=(f"stop {HOSTILE} `{HOSTILE}`", "</style></script><!--"))
    finding = made_up_finding(HOSTILE, "</script>\u2028", HOSTILE)
    noted = tuple(
        replace(e, attributes={"ran": HOSTILE}, title=f"latency {HOSTILE}") for e in run.estimates
    )
    hostile = render_page(replace(run, findings=(finding,), estimates=noted))
    plain, attacked = outline_of("2 cores"), Outline(hostile)
    assert attacked.count("script") == plain.count("script")
    assert HOSTILE not in hostile
    assert HOSTILE in attacked.words


def test_json_in_the_page_cannot_end_its_script() -> None:
    data = {"a": "</script><!--\u2028\u2029&<b>"}
    text = str(safe_json(data))
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == data


def test_commands_in_words_are_set_as_code() -> None:
    assert marked("run `a <b>` now") == "run <code>a &lt;b&gt;</code> now"
    assert marked("one ` alone") == "one ` alone"


def test_unfinished_run_names_the_way_on() -> None:
    words = Outline(render_page(replace(SMALL, state=RunState.INTERRUPTED))).words
    assert "This run is not finished (interrupted)." in words
    assert "machmeter run --resume 20261120-100000-quick" in words


def test_run_in_which_nothing_counts_has_a_page() -> None:
    run = make_run()
    bare = replace(
        run, estimates=(), findings=(), knees={}, noise=(), drift=(), outcomes=(), caveats=()
    )
    words = Outline(render_page(bare)).words
    assert "Noise was not measured." in words
    assert "This run asks no questions" in words


def test_a_run_that_launched_nothing_does_not_say_that_all_were_accepted() -> None:
    plan = replace(SMALL.plan, skipped=())
    page = render_page(replace(SMALL, outcomes=(), plan=plan))
    assert "No program was launched." in page
    assert "All 0" not in page
    accepted = tuple(one for one in SMALL.outcomes if one.verdict is Verdict.ACCEPTED)
    page = render_page(replace(SMALL, outcomes=accepted, plan=plan))
    assert f"All {len(accepted)} launches were accepted" in page


def test_page_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "böse Seite.html"
    path.write_text("earlier")
    write_page(SMALL, path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_every_result_leads_to_its_records_and_every_section_to_a_command() -> None:
    run = SMALL
    outline = Outline(render_page(run, RecordsPlace("/runs/a-run", "")))
    links = [str(a["href"]) for tag, a in outline.elements if tag == "a"]
    every = [f"#{a['id']}" for _, a in outline.elements if a.get("id")]
    assert len(every) == len(set(every))
    ids = set(every)
    assert {link for link in links if link.startswith("#")} <= ids
    listed = {link for link in links if link.startswith("launches/")}
    launches = {number for e in run.estimates for number in e.launch_numbers}
    assert listed == {f"launches/{number:05d}.jsonl" for number in launches}
    leading = sum(link.startswith("#records-") for link in links)
    assert leading >= len(run.estimates) + min(len(headline_results(run)), MOST_CARDS)
    benchmarks = {e.point.benchmark for e in run.estimates}
    assert outline.words.count("Reproduce one row: machmeter run ") == len(benchmarks)


def test_a_page_elsewhere_links_to_the_folder_and_says_where_it_is() -> None:
    place = RecordsPlace("/runs/a run", "file:///runs/a%20run/")
    outline = Outline(render_page(SMALL, place))
    links = [str(a["href"]) for tag, a in outline.elements if tag == "a"]
    assert "file:///runs/a%20run/launches/00001.jsonl" in links
    assert "work where that folder is" in outline.words


def test_a_page_without_records_has_no_link_to_any() -> None:
    outline = outline_of("2 cores")
    assert all(str(a["href"]).startswith("#") for tag, a in outline.elements if tag == "a")
    assert "This page was written without records." in outline.words


def test_findings_lead_then_other_machines_then_data_quality() -> None:
    (pair,) = set_beside(printed("its own sum says 3"), measured())
    page = render_page(SMALL, published=[pair])
    names = ("results", "findings", "caveats", "published", "rows-published", "quality", "method")
    places = [page.index(f'id="{name}"') for name in names]
    assert places == sorted(places)
    assert page.index('id="findings"') < page.index('id="finding-1"') < page.index('id="caveats"')
    words = Outline(page).words
    assert "here versus Paper Machine: better in" in words
    assert "Somebody et al. 2010" in words
    assert "as printed, contradicted" in words


def test_what_is_only_alike_is_refused_with_its_reason() -> None:
    (pair,) = set_beside(printed(), replace(measured(), estimates=()))
    refused = replace(pair.comparison, refusals=(Refusal("latency", "2 nodes against 1"),))
    words = Outline(render_page(SMALL, published=[replace(pair, comparison=refused)])).words
    assert "No published value is of a point that this run measured." in words
    assert "2 nodes against 1" in words


def test_a_finding_says_how_sure_it_is_what_would_change_it_and_what_is_published() -> None:
    answer = PublishedAnswer(
        "paper", "Paper", 2010, "14.6x", "1.02x [0.99, 1.05]", "table 3", flag="not 10"
    )
    finding = Finding(
        "What does a remote page cost?",
        "nothing",
        AnswerStatus.DECIDED,
        Confidence.LIKELY,
        sensitivity=("may differ on a second NUMA domain",),
        published=(answer,),
    )
    unable = Finding("And two nodes?", "one node", AnswerStatus.UNDECIDABLE)
    words = Outline(render_page(replace(SMALL, findings=(unable, finding)))).words
    assert "Confidence: likely" in words
    assert "May differ on a second NUMA domain" in words
    assert "Paper 2010: 14.6x; here: 1.02x [0.99, 1.05] table 3 Caveat: not 10" in words
    assert "1 of 2 questions decided." in words
    assert words.index("nothing") < words.index("1 question that cannot be decided on this machine")
    assert words.index("1 question that cannot be decided on this machine") < words.index(
        "And two nodes?"
    )


def test_no_benchmark_is_named_in_the_navigation() -> None:
    page = page_of("2 cores")
    (nav,) = re.findall(r"<nav.*?</nav>", page, re.DOTALL)
    assert "Memory latency" in nav
    assert "memory.latency" not in nav
    every = re.findall(r"<section[^>]*aria-labelledby=\"([a-z-]+)\"", page)
    assert {"limits", "answers"} & set(every) <= set(re.findall(r"#([a-z-]+)", nav))


def test_each_section_begins_with_a_value() -> None:
    page = page_of("2 cores")
    for benchmark in {e.point.benchmark for e in make_run().estimates}:
        anchor = benchmark.replace(".", "-")
        (after,) = re.findall(rf'<h2 id="{anchor}">.*?</h2>\n(.*?)\n', page)
        assert 'class="conclusion"' in after
        assert re.search(r"\d", after)


def test_layouts_of_a_program_have_one_value_and_then_their_picture() -> None:
    page = render_page(make_explored())
    anchor, slug = "explore-ranks", "explore-ranks-layouts"
    (conclusion, below) = re.findall(
        rf'<h2 id="{anchor}">.*?</h2>\n(.*?)\n(.*?)</section>', page, re.DOTALL
    )[0]
    assert len(re.findall(r"\d s \[", conclusion)) == 1
    assert re.findall(r'data-chart="([^"]*)"', below)[0] == slug
    assert "ranks" in conclusion


def test_tables_of_a_section_are_closed_until_a_person_opens_them() -> None:
    assert "<details open>" not in page_of("2 cores")


def test_sizes_sort_as_sizes_and_values_as_values() -> None:
    page = page_of("2 cores")
    cells = re.findall(r'data-sort="([^"]+)"[^>]*>([^<]+ [KM]iB)<', page)
    assert cells
    assert all(int(key) == parse_bytes(text) for key, text in cells)
    assert re.search(r'data-sort="1\.[0-9]+e-0?6"[^>]*>1\.[0-9]+ µs<', page)


def test_the_summary_is_the_first_screen_alone() -> None:
    run = make_run()
    words = Outline(render_brief(run)).words
    assert "Key results" in words
    assert "Findings" in words
    assert "Data quality" not in words
    assert len(render_brief(run).encode()) < 100_000
    assert 'href="#finding' not in render_brief(run)
    assert "all below" not in words


def test_a_summary_without_questions_has_no_box_for_them() -> None:
    page = render_brief(replace(make_run(), findings=(), precision=None))
    assert page.count("<dt>") == 2
    assert 'id="findings"' not in page
    assert render_brief(make_run()).count("<dt>") == 4


@pytest.mark.parametrize("of_several", [False, True])
def test_findings_without_a_ratio_leave_no_empty_column(*, of_several: bool) -> None:
    ratio = Comparison(1.3, 1.2, 1.4, True, 9, 0.001, ComparisonVerdict.FASTER)
    found = [made_up_finding("Is it even?", "yes", status=AnswerStatus.DECIDED)]
    if of_several:
        found.append(
            made_up_finding("Faster?", "yes", comparison=ratio, status=AnswerStatus.DECIDED)
        )
    page = render_brief(replace(make_run(), findings=tuple(found)))
    table = page.partition('id="rows-findings"')[2].partition("</table>")[0]
    assert "Is it even?" in table
    assert ("drawn" in table) is of_several


def test_the_page_of_a_simulated_run_shows_its_model() -> None:
    request = replace(SMALL.header.request, twin=find_twin("hopper"))
    simulated = replace(SMALL, header=replace(SMALL.header, request=request))
    without = TwinSensitivity(problem="no compiler </script>")
    page = render_page(simulated, sensitivity=without)
    assert '<a href="#model">Model</a>' in page
    assert 'role="img" aria-label="3-D torus of 17 x 8 x 24 routers' in page
    assert "not determined: no compiler &lt;/script&gt;" in page
    assert 'id="model"' not in render_page(SMALL)

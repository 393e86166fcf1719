import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace
from synthetic_machine import make_packages
from synthetic_network import make_network_run
from synthetic_node import SOURCE, make_node_run
from synthetic_run import make_run

from machmeter.model.estimate import Finding
from machmeter.model.run import RunResult, RunState
from machmeter.report.drawing import Chart
from machmeter.report.page import (
    MAX_PAGE_BYTES,
    Section,
    marked,
    render_page,
    safe_json,
    without_the_largest,
    write_page,
)

HOSTILE = "<script>alert(1)</script>"
PAGE = render_page(make_run())


class Outline(HTMLParser):
    """Elements of a page, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside not in {"script", "style"}:
            self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split()).replace("\u00a0", " ")


@pytest.mark.parametrize(
    "run",
    [
        make_run(),
        make_run(threads=tuple(range(1, 193))),
        make_node_run(make_packages(8, 4, 4)),
        make_network_run(("mpich", "openmpi", "third"), tuple(f"n{n}" for n in range(32))),
    ],
    ids=["2 cores", "192 counts of threads", "128 cores", "32 nodes and three libraries"],
)
def test_page_stays_below_its_limit(run: RunResult) -> None:
    assert len(render_page(run).encode()) < MAX_PAGE_BYTES


def test_charts_too_large_for_a_page_are_named() -> None:
    charts = tuple(
        Chart(name, f"Title of {name}", "", "", {"data": "x" * length})
        for name, length in (("small", 100), ("large", 900), ("largest", 5000))
    )
    sections = [Section("a", "a.b", "A", "", charts, ()), Section("c", "c.d", "C", "", (), ())]
    first, second = without_the_largest(sections, 1200)
    assert [chart.name for chart in first.charts] == ["small", "large"]
    assert first.left_out == ("Title of largest",)
    assert second.left_out == ()
    assert without_the_largest(sections, 10_000) == sections


def test_findings_show_their_cases_and_their_source() -> None:
    outline = Outline(render_page(make_node_run()))
    assert "critical: 6.1x [6.0, 6.2]" in outline.words
    assert outline.words.count(SOURCE.replace("`", "")[:40]) == 5


def test_words_that_tools_use_differently_are_defined_beside_their_figures() -> None:
    words = Outline(render_page(make_network_run())).words
    for told in ("(OSU from 5.9 on)", "MPI_Win_allocate", "on synchronized clocks, and rounds"):
        assert told in words
    assert "Hosts of ranks 6: n1, n2" in words
    assert "Transport, openmpi pml ob1" in words


def test_names_of_hosts_libraries_and_transports_stay_words() -> None:
    network = make_network_run((HOSTILE, "openmpi"), tuple(f"{HOSTILE}{n}" for n in range(6)))
    hostile = replace(network, transports={HOSTILE: {HOSTILE: HOSTILE}})
    page = render_page(hostile)
    assert HOSTILE not in page
    assert Outline(page).count("script") == Outline(PAGE).count("script")


def test_ancestors_stand_beside_their_matrices() -> None:
    words = Outline(render_page(make_node_run())).words
    for caption in (
        "memory.pages by what owner and visitor have in common",
        "memory.matrix by what the two domains have in common",
        "threads.pairs by what the two cores have in common",
    ):
        assert caption in words


def test_cut_table_says_so() -> None:
    words = Outline(render_page(make_run(threads=tuple(range(1, 193))))).words
    assert re.search(r"[\d,]+ of [\d,]+ figures are shown; machmeter export", words)


def test_findings_come_before_machine_and_method() -> None:
    places = [PAGE.index(f'id="{name}"') for name in ("found", "machine", "method", "quality")]
    assert places == sorted(places)


def test_every_figure_stands_with_interval_and_launches() -> None:
    run = make_run()
    rows = Outline(PAGE).words
    assert rows.count(" 12 ") >= len(run.estimates)
    assert "not reached" in rows
    assert "< 12.0 ns" in rows


def test_page_loads_nothing() -> None:
    for tag, attributes in Outline(PAGE).elements:
        if tag in {"script", "img", "iframe"}:
            assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"


def test_tables_have_captions_and_scopes() -> None:
    outline = Outline(PAGE)
    assert outline.count("table") == outline.count("caption") > 6
    assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")


def test_words_of_others_stay_words() -> None:
    run = make_run(HOSTILE, warnings=(f"stop {HOSTILE} `{HOSTILE}`", "</style></script><!--"))
    finding = Finding(HOSTILE, "</script>\u2028", HOSTILE)
    noted = tuple(
        replace(e, words={"ran": HOSTILE}, title=f"latency {HOSTILE}") for e in run.estimates
    )
    hostile = render_page(replace(run, findings=(finding,), estimates=noted))
    plain, attacked = Outline(PAGE), Outline(hostile)
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
    words = Outline(render_page(replace(make_run(), state=RunState.INTERRUPTED))).words
    assert "This run is not finished (interrupted)." in words
    assert "machmeter run --resume 20261120-100000-quick" in words


def test_run_in_which_nothing_counts_has_a_page() -> None:
    run = make_run()
    bare = replace(
        run, estimates=(), findings=(), knees={}, noise=(), drift=(), outcomes=(), warnings=()
    )
    words = Outline(render_page(bare)).words
    assert "Noise was not measured." in words
    assert "The run answers no question of its own" in words


def test_page_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "böse Seite.html"
    path.write_text("earlier")
    write_page(make_run(), path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]

"""The page in a real browser: it draws, it fits, it can be read by all."""

from __future__ import annotations

import base64
import importlib
import importlib.resources
import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents.axe import rules_broken

webdriver = pytest.importorskip("selenium.webdriver")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason="needs chromium and chromedriver"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = importlib.import_module("tests.support.synthetic.run").make_run("node17 </script>")
    machines = importlib.import_module("tests.support.made_up.machines")
    beside = machines.set_beside(machines.printed("</script>"), machines.measured())
    path = tmp_path_factory.mktemp("page") / "report.html"
    place = importlib.import_module("machmeter.report.views.records").records_place
    records = place(path.parent, path)
    importlib.import_module("machmeter.report.pages.run").write_page(run, path, records, beside)
    return path


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three machines beside one another with a score, one of them as printed."""
    machines = importlib.import_module("tests.support.made_up.machines")
    pages = importlib.import_module("machmeter.report.pages.comparison")
    scoring = importlib.import_module("machmeter.api.scores")
    every = [machines.measured("old"), machines.measured("new", 1.5), machines.printed("a flag")]
    found = [pair.comparison for pair in machines.set_beside(*every)]
    asked = scoring.ScoreRequest(scoring.ScoreKind.SPEC, adjusted=True, every=True)
    scores = scoring.scores_of(every, found, asked)
    scores_page = importlib.import_module("machmeter.report.pages.scores")
    result = scores_page.ScoreResult(asked.kind, scores)
    path = tmp_path_factory.mktemp("page") / "comparison.html"
    pages.write_comparison(
        [pages.ComparedMachine(machine) for machine in every], found, path, result
    )
    return path


@pytest.fixture(scope="module")
def machine_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published machine with curves and contradicted figures."""
    path = tmp_path_factory.mktemp("page") / "scalemp.html"
    importlib.import_module("machmeter.api").report("scalemp", path=path)
    return path


@pytest.fixture(scope="module")
def node_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = importlib.import_module("tests.support.synthetic.node").make_node_run()
    path = tmp_path_factory.mktemp("page") / "node.html"
    importlib.import_module("machmeter.report.pages.run").write_page(run, path)
    return path


@pytest.fixture(scope="module")
def network_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = importlib.import_module("tests.support.synthetic.network").make_network_run()
    path = tmp_path_factory.mktemp("page") / "network.html"
    importlib.import_module("machmeter.report.pages.run").write_page(run, path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-gpu",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    driver.set_script_timeout(120)
    driver.only_read = None
    yield driver
    driver.quit()


def show(browser: Any, page: Path, width: int = 1200, scheme: str = "light") -> None:
    """Open the page and wait until its charts are drawn."""
    from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415 - optional

    emulate(browser, width, scheme)
    load(browser, page)
    WebDriverWait(browser, 60).until(
        lambda b: b.execute_script("return document.documentElement.dataset.charts === 'drawn'")
    )


def read(browser: Any, page: Path, width: int = 1200) -> None:
    """The same for tests that leave the page as it is: one drawing serves those that follow."""
    if browser.only_read == (page, width):
        emulate(browser, width, "light")
        return
    show(browser, page, width)
    browser.only_read = (page, width)


def load(browser: Any, page: Path) -> None:
    browser.only_read = None
    browser.get(page.as_uri())


def emulate(browser: Any, width: int, scheme: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )


def test_charts_are_drawn_from_a_file_without_an_error(browser: Any, page: Path) -> None:
    read(browser, page)
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => [c.dataset.chart,"
        " c.querySelectorAll('svg path').length, c.querySelector('svg')?.clientWidth ?? 0])"
    )
    assert len(charts) == 9
    for name, marks, width in charts:
        assert marks > 10, name
        assert 500 < width <= 1104, name
    severe = [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]
    assert severe == []


def test_the_bars_of_the_distribution_are_as_long_as_their_counts(browser: Any, page: Path) -> None:
    read(browser, page)
    bars = browser.execute_script(
        "return [...document.querySelectorAll('#rows-precision tbody tr')].map(r => {"
        " const bar = r.querySelector('line.count');"
        " return [Number(r.querySelector('b').textContent), bar.getBoundingClientRect().width,"
        "  getComputedStyle(bar).stroke]; })"
    )
    longest = max(width for _, width, _ in bars)
    most = max(count for count, _, _ in bars)
    for count, width, stroke in bars:
        assert width == pytest.approx(longest * count / most, abs=14)
        assert stroke.startswith("rgb")


@pytest.mark.parametrize(
    "mark", ["network-latency .mark-line path", "memory-latency .mark-rule line"]
)
def test_colors_of_charts_follow_the_scheme_at_once(browser: Any, page: Path, mark: str) -> None:
    read(browser, page)
    script = f"return getComputedStyle(document.querySelector('#chart-{mark}')).stroke"
    light = browser.execute_script(script)
    emulate(browser, 1200, "dark")
    dark = browser.execute_script(script)
    assert light.startswith("rgb(")
    assert dark.startswith("rgb(")
    assert light != dark


def test_tooltip_says_value_interval_and_launches(browser: Any, page: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains  # noqa: PLC0415 - optional
    from selenium.webdriver.common.by import By  # noqa: PLC0415

    read(browser, page)
    mark = browser.find_element(
        By.CSS_SELECTOR, "#chart-network-latency .mark-symbol.role-mark path:nth-child(4)"
    )
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(browser).move_to_element(mark).perform()
    tooltip = browser.find_element(By.ID, "vg-tooltip-element")
    assert "12 launches" in tooltip.text
    assert tooltip.is_displayed()


@pytest.mark.parametrize("width", [400, pytest.param(1200, marks=pytest.mark.full)])
def test_matrices_and_small_multiples_fit_and_are_drawn(
    browser: Any, node_page: Path, width: int
) -> None:
    browser.get_log("browser")
    show(browser, node_page, width)
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => [c.dataset.chart,"
        " c.querySelectorAll('svg path').length, c.querySelector('svg')?.clientWidth ?? 0])"
    )
    names = [name for name, _, _ in charts]
    assert {"memory-pages-map-largest", "threads-sync-threads", "sparse-spmv-patterns"} <= set(
        names
    )
    for name, marks, drawn in charts:
        assert marks > 5, name
        assert width / 2 < drawn <= width, name
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


@pytest.fixture(scope="module", params=[400, 1200])
def network_width(request: pytest.FixtureRequest) -> int:
    """The tests of one width follow one another, and read one drawing."""
    return int(request.param)


def test_charts_of_the_network_fit_and_are_drawn(
    browser: Any, network_page: Path, network_width: int
) -> None:
    browser.get_log("browser")
    read(browser, network_page, network_width)
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => [c.dataset.chart,"
        " c.querySelectorAll('svg path').length, c.querySelector('svg')?.clientWidth ?? 0])"
    )
    names = [name for name, _, _ in charts]
    assert {"network-latency-variants", "network-pairs", "network-consistency-latency"} <= set(
        names
    )
    for name, marks, drawn in charts:
        assert marks > 5, name
        assert network_width / 2 < drawn <= network_width, name
    assert browser.execute_script("return document.documentElement.scrollWidth") <= network_width
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_long_names_in_a_legend_do_not_squeeze_the_curves(
    browser: Any, network_page: Path, network_width: int
) -> None:
    read(browser, network_page, network_width)
    shares = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => {"
        " const whole = c.querySelector('svg').getBoundingClientRect().width;"
        " const ends = [...c.querySelectorAll('svg .role-axis')].map("
        "  a => a.getBoundingClientRect());"
        " return [c.dataset.chart, (Math.max(...ends.map(e => e.right))"
        "  - Math.min(...ends.map(e => e.left))) / whole]; })"
    )
    assert shares
    for name, share in shares:
        assert share > 0.8, name


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe, which looks for what keeps people from reading a page."""
    found = importlib.util.find_spec("axe_core_python")
    if found is None or found.origin is None:
        pytest.skip("needs axe-core-python")
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (400, "dark"),
        pytest.param(1200, "light", marks=pytest.mark.full),
        pytest.param(400, "light", marks=pytest.mark.full),
        pytest.param(1200, "dark", marks=pytest.mark.full),
    ],
)
def test_no_rule_of_axe_is_broken(
    browser: Any, axe: str, page: Path, scheme: str, width: int
) -> None:
    show(browser, page, width, scheme)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert rules_broken(browser, axe) == []


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1200, "light")])
def test_the_comparison_fits_is_drawn_and_breaks_no_rule(
    browser: Any, axe: str, comparison: Path, width: int, scheme: str
) -> None:
    browser.get_log("browser")
    show(browser, comparison, width, scheme)
    for drawn in ("#chart-score-spec svg path", "#rows-ratios .lane circle"):
        script = f"return document.querySelectorAll('{drawn}').length"
        assert browser.execute_script(script) > 10, drawn
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert rules_broken(browser, axe) == []
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1200, "light")])
def test_the_page_of_a_machine_fits_is_drawn_and_breaks_no_rule(
    browser: Any, axe: str, machine_page: Path, width: int, scheme: str
) -> None:
    browser.get_log("browser")
    show(browser, machine_page, width, scheme)
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart')].map(c => [c.dataset.chart,"
        " c.querySelectorAll('svg path').length, c.querySelector('svg')?.clientWidth ?? 0])"
    )
    assert len(charts) == 2
    for name, marks, drawn in charts:
        assert marks > 10, name
        assert width / 2 < drawn <= width, name
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert rules_broken(browser, axe) == []
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


@pytest.mark.parametrize("width", [400, 1200])
def test_each_mark_of_a_row_plot_stands_on_the_row_of_its_label(
    browser: Any, comparison: Path, width: int
) -> None:
    show(browser, comparison, width)
    rows = browser.execute_script(
        "return [...document.querySelectorAll('#rows-ratios tbody tr:not(.group)')].map(r => {"
        " const [row, mark] = [r, r.querySelector('.lane :is(circle, path.hollow, rect.s2)')].map("
        "  e => e.getBoundingClientRect());"
        " const lane = r.querySelector('.drawn').getBoundingClientRect();"
        " return [row.top, row.bottom, lane.left, lane.right, mark.top, mark.bottom, mark.left,"
        "  mark.right]; })"
    )
    assert len(rows) > 10
    for top, bottom, left, right, mark_top, mark_bottom, mark_left, mark_right in rows:
        assert top <= mark_top < mark_bottom <= bottom
        assert left <= mark_left < mark_right <= right


def pages_on_paper(browser: Any, page: Path) -> int:
    """How many A4 pages the page prints on."""
    show(browser, page)
    found = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(found["data"])))


def test_a_run_prints_on_eight_pages(browser: Any, tmp_path: Path) -> None:
    run = importlib.import_module("tests.support.synthetic.run").make_run()
    path = tmp_path / "report.html"
    importlib.import_module("machmeter.report.pages.run").write_page(run, path)
    assert 3 <= pages_on_paper(browser, path) <= 8


def test_the_summary_prints_on_one_page_and_breaks_no_rule(
    browser: Any, axe: str, tmp_path: Path
) -> None:
    run = importlib.import_module("tests.support.synthetic.run").make_run()
    path = tmp_path / "summary.html"
    importlib.import_module("machmeter.report.pages.run").write_brief(run, path)
    assert pages_on_paper(browser, path) == 1
    assert rules_broken(browser, axe) == []


def test_a_table_sorts_by_number_and_filters_by_text(browser: Any, page: Path) -> None:
    show(browser, page)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    state = browser.execute_script(
        "const table = [...document.querySelectorAll('#memory-latency ~ details table')].at(-1);"
        " const headings = [...table.tHead.rows[0].cells];"
        " const column = headings.findIndex(h => h.textContent === 'size');"
        " const keys = () => [...table.tBodies[0].rows].filter(r => !r.hidden)"
        "  .map(r => Number(r.cells[column].dataset.sort));"
        " const press = () => { headings[column].querySelector('button').click();"
        "  return [headings[column].getAttribute('aria-sort'), keys()]; };"
        " const up = press(), down = press();"
        " const input = table.closest('details').querySelector('input[type=search]');"
        " input.value = '64 MiB'; input.dispatchEvent(new Event('input'));"
        " return [up, down, keys(), input.labels.length,"
        "  input.parentElement.querySelector('[role=status]').textContent]"
    )
    (up, rising), (down, falling), kept, labels, status = state
    assert (up, down) == ("ascending", "descending")
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)
    assert rising[0] < rising[-1]
    assert set(kept) == {64 * 2**20}
    assert labels == 1
    assert status == f"{len(kept)} of {len(rising)} rows"


def test_a_link_to_launches_opens_the_list_they_are_in(browser: Any, page: Path) -> None:
    show(browser, page)
    browser.execute_script("document.querySelector('.headlines a').click()")
    assert browser.execute_script("return document.querySelector('.records :target') !== null")
    assert browser.execute_script(
        "return document.querySelector('.records :target').closest('details').open"
    )


@pytest.mark.parametrize("width", [320, 400, 700])
def test_nothing_is_wider_than_the_screen(browser: Any, page: Path, width: int) -> None:
    show(browser, page, width)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    widths = browser.execute_script(
        "return [...document.querySelectorAll('.chart svg')].map(s => s.clientWidth)"
    )
    assert len(widths) == 9
    assert max(widths) <= width


def test_paper_is_light_even_where_the_screen_is_dark(browser: Any, page: Path) -> None:
    show(browser, page, scheme="dark")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    ink, paper = browser.execute_script(
        "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert paper == "rgb(255, 255, 255)"
    assert ink != paper


def test_tables_remain_without_scripts(browser: Any, page: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        load(browser, page)
        tables = browser.find_elements("css selector", "table")
        assert len(tables) > 6
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_columns_without_numbers_of_their_own_sort_by_the_numbers_in_their_cells(
    browser: Any, comparison: Path
) -> None:
    """`1.05x` before `1.2x`, and 169 ns before 1.42 µs."""
    show(browser, comparison)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    sorted_columns = browser.execute_script(
        "const found = [];"
        " for (const table of document.querySelectorAll('.versus table')) {"
        "  [...table.tHead.rows[0].cells].forEach((heading, column) => {"
        "   const button = heading.querySelector('button.sort');"
        "   if (!button) return;"
        "   button.click();"
        "   found.push([...table.tBodies[0].rows].map(r => r.cells[column].textContent.trim()));"
        "  }); }"
        " return found;"
    )
    units = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "x": 1.0}
    compared = 0
    for cells in sorted_columns:
        numbers = [re.match(r"(\d+(?:\.\d+)?) ?([nµm]?s|x)(?=$| )", cell) for cell in cells]
        if all(numbers):
            values = [float(found[1]) * units[found[2]] for found in numbers if found]
            assert values == sorted(values)
            compared += len(set(values)) > 3
    assert compared


@pytest.mark.parametrize(
    "cells",
    [
        ("12 s", "45 s", "1 min 2 s", "1 min 38 s", "59 min 0 s", "1 h 4 min", "2 h 3 min"),
        ("1 x 2", "1 x 16", "2 x 1", "16 x 1"),
        ("0 of 12", "5 of 12", "2,997 of 3,000"),
    ],
)
def test_durations_and_splits_sort_by_all_of_their_numbers(
    browser: Any, tmp_path: Path, cells: tuple[str, ...]
) -> None:
    path = tmp_path / "table.html"
    templates = importlib.resources.files("machmeter.report") / "templates"
    script = (templates / "tables.js").read_text("utf-8")
    rows = "".join(f"<tr><td>{cell}</td></tr>" for cell in reversed((*cells, *cells)))
    path.write_text(
        "<!doctype html><meta charset=utf-8><div class=scroll><table><thead><tr><th>x</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div><script>{script}</script>",
        encoding="utf-8",
    )
    load(browser, path)
    found = browser.execute_script(
        "document.querySelector('button.sort').click();"
        "return [...document.querySelectorAll('tbody td')].map(c => c.textContent)"
    )
    assert list(dict.fromkeys(found)) == list(cells)

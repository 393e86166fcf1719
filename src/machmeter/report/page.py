"""The page: one HTML file that holds everything it needs and loads nothing.

Importing this module loads Altair: import it only where a page is written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.layout.assign import even_shares
from machmeter.model.launch import Verdict
from machmeter.model.run import RunResult, RunState
from machmeter.report import facts, tables, words
from machmeter.report.charts import charts_of
from machmeter.report.definitions import definitions
from machmeter.report.drawing import Chart
from machmeter.report.figures import headline_figures
from machmeter.report.findings import findings_first_decided
from machmeter.report.limits import limits
from machmeter.report.selection import estimates_of
from machmeter.report.tables_node import benchmark_tables
from machmeter.report.theme import DARK, FONT, LIGHT, chart_config, css_variables

MAX_PAGE_BYTES = 2_000_000
CHART_BYTES = 550_000
_TABLE_ROWS = (2000, 1000, 500, 100, 20)


class Section(Struct, frozen=True):
    """What the page shows of one benchmark; left_out: titles of charts that it has no room for.

    definitions: words of the benchmark and what they mean here.
    """

    anchor: str
    name: str
    title: str
    summary: str
    charts: tuple[Chart, ...]
    tables: tuple[tables.Table, ...]
    left_out: tuple[str, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()


def write_page(result: RunResult, path: Path) -> None:
    """Write the page of a run; a page that stood there is replaced at once or not at all.

    Raises OSError where the file cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(render_page(result), encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def render_page(result: RunResult) -> str:
    """The page of a run, below 2 MB (2 x 10^6 B): tables of all figures are cut until it fits.

    What was left out says so, here and for the charts of which a page holds only so many bytes.
    """
    bundle = _libraries()
    names = list(dict.fromkeys(e.point.benchmark for e in result.estimates))
    sections = without_the_largest([_section(result, name) for name in names])
    page = ""
    for most_rows in _TABLE_ROWS:
        page = _render(result, _with_figures(result, sections, most_rows), bundle)
        if len(page.encode()) < MAX_PAGE_BYTES:
            break
    return page


def _section(result: RunResult, benchmark: str) -> Section:
    """A section without the table of all figures, which depends on the room that is left."""
    title, summary = _title_of(benchmark)
    anchor = re.sub(r"[^a-z0-9]+", "-", benchmark.lower())
    return Section(
        anchor,
        benchmark,
        title,
        summary,
        charts_of(result, benchmark),
        benchmark_tables(result, benchmark),
        definitions=definitions(benchmark, estimates_of(result, benchmark)),
    )


def without_the_largest(
    sections: Sequence[Section], most_bytes: int = CHART_BYTES
) -> list[Section]:
    """The sections without the largest charts, until all specifications take `most_bytes`."""
    sizes = {c.name: len(safe_json(c.spec)) for section in sections for c in section.charts}
    whole, left_out = sum(sizes.values()), set()
    for name in sorted(sizes, key=lambda n: -sizes[n]):
        if whole <= most_bytes:
            break
        whole -= sizes[name]
        left_out.add(name)
    fitting = []
    for section in sections:
        kept = tuple(chart for chart in section.charts if chart.name not in left_out)
        gone = [chart.title for chart in section.charts if chart.name in left_out]
        fitting.append(replace(section, charts=kept, left_out=tuple(gone)))
    return fitting


def _with_figures(result: RunResult, sections: Sequence[Section], most_rows: int) -> list[Section]:
    """Each with a table of its figures; what one does not need of its share goes to the others."""
    every = {section.name: estimates_of(result, section.name) for section in sections}
    rooms = [len(found) for found in every.values()]
    shares = dict(zip(every, even_shares(rooms, min(most_rows, sum(rooms))), strict=True))
    return [
        replace(
            section,
            tables=(
                *section.tables,
                tables.estimate_table(
                    section.name, every[section.name], max(shares[section.name], 1)
                ),
            ),
        )
        for section in sections
    ]


def _title_of(benchmark: str) -> tuple[str, str]:
    """Title and summary from the catalogue; a run of another version may know more than we do."""
    for known in BENCHMARKS:
        if known.name == benchmark:
            return known.title, known.summary
    return benchmark, ""


def _render(result: RunResult, sections: Sequence[Section], bundle: Markup) -> str:
    environment = Environment(
        loader=PackageLoader("machmeter.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = marked
    template = environment.get_template("report.html.j2")
    return template.render(**_context(result, sections), bundle=bundle)


def _context(result: RunResult, sections: Sequence[Section]) -> dict[str, Any]:
    specs = {chart.name: chart.spec for section in sections for chart in section.charts}
    accepted = [o for o in result.outcomes if o.verdict is Verdict.ACCEPTED]
    return {
        "run": result,
        "words": words,
        "title": words.plain(result.header.machine.name or result.header.machine.host, 120),
        "subtitle": _subtitle(result, len(accepted)),
        "unfinished": result.state is not RunState.FINISHED,
        "figures": headline_figures(result),
        "findings": findings_first_decided(result),
        "limits": limits(result),
        "missed": _missed_text(result),
        "machine": facts.machine_facts(result),
        "software": facts.software_facts(result),
        "noise": tables.noise_table(result),
        "drift": tables.drift_table(result),
        "time": tables.time_table(result),
        "uncounted": [t for make in tables.RUN_TABLES if (t := make(result)).rows],
        "accepted": len(accepted),
        "launches": len(result.outcomes),
        "sections": sections,
        "specs": safe_json(specs),
        "config": safe_json(chart_config()),
        "style": _style(),
        "script": _inline(_asset("report.js")),
    }


def _subtitle(result: RunResult, accepted: int) -> str:
    header = result.header
    return words.plain(
        f"{header.machine.cpu_model} · {words.time_text(header.started)} · "
        f"{', '.join(header.asked.names)} · {words.count_text(accepted, 'launch', 'launches')} in "
        f"{words.duration_text(result.time_use.wall)}",
        300,
    )


def _missed_text(result: RunResult) -> str:
    unresolved = sum(not e.resolved for e in result.estimates)
    parts = []
    if any(e.resolved and not e.reached for e in result.estimates):
        parts.append("Intervals hold also where the asked precision was not reached.")
    if unresolved:
        overheads = words.count_text(unresolved, "overhead is", "overheads are")
        parts.append(f"{overheads} too small to tell from zero: the upper bound is shown.")
    return " ".join(parts)


def safe_json(data: object) -> Markup:
    """JSON that cannot end or open anything in the HTML around it (and is valid JavaScript)."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - every character that HTML acts on is escaped above


def marked(text: str) -> Markup:
    """Text of a run, escaped, with `commands` between grave accents set as code."""
    parts = words.plain(text).replace(" %", "\u00a0%").split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part)
        for position, part in enumerate(parts)
    )


def _inline(script: str) -> Markup:
    """Our own scripts and the bundled libraries, for a script element."""
    safe = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return Markup(safe)  # noqa: S704 - no text of a run is in it


@cache
def _libraries() -> Markup:
    """Vega-Embed with Vega-Lite and Vega, as vl-convert carries them; takes seconds to bundle."""
    return _inline(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _asset(name: str) -> str:
    return resources.files("machmeter.report").joinpath("templates", name).read_text("utf-8")


def _style() -> Markup:
    """The style sheet with the theme: light, dark where preferred, light again on paper."""
    light, dark = css_variables(LIGHT), css_variables(DARK)
    themes = (
        f":root{{--font:{FONT};{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )
    return Markup(themes + _asset("report.css"))  # noqa: S704 - no text of a run is in it

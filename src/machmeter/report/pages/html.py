"""What all pages have in common: templates, styles, scripts, and text that stays text."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from machmeter import __version__
from machmeter.model.errors import MachmeterError
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.row_plot import beyond_text, placed
from machmeter.report.drawing.theme import DARK, FONT, LIGHT, chart_config, css_variables
from machmeter.store.cache_trust import make_closed, refuse_untrusted
from machmeter.store.files import read_bounded, replacing
from machmeter.store.paths import cache_home
from machmeter.text.numbers import count_text, duration_text
from machmeter.text.plain import plain, without_controls
from machmeter.text.results import precision_text, result_interval_text, value_text

MAX_PAGE_BYTES = 2_000_000
# What our own script finds of the bundle.
_EXPORTED = "window.vegaEmbed = vegaEmbed;"
_DIGEST_BYTES = hashlib.sha256().digest_size


def write_whole(page: str, path: Path) -> None:
    """Write a page; one that stood there is replaced at once or not at all.

    Raises OSError where the file cannot be written.
    """
    with replacing(path) as file:
        file.write(page.encode("utf-8"))


def render(template: str, charts: tuple[Chart, ...], context: dict[str, Any]) -> str:
    """A page from its template; the libraries of charts are in it where it has charts."""
    found = _environment().get_template(template)
    return found.render(
        **context,
        version=__version__,
        specs=safe_json({chart.name: chart.spec for chart in charts}),
        config=safe_json(chart_config()),
        style=_style(),
        script=_inline(_asset("tables.js") + _asset("report.js")),
        bundle=_inline(_chart_libraries()) if charts else "",
    )


def safe_json(data: object) -> Markup:
    """JSON that cannot end or open anything in the HTML around it (and is valid JavaScript)."""
    whole = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = without_controls(whole)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - every character that HTML acts on is escaped above


def marked(text: str) -> Markup:
    """Text of a run, escaped, with `commands` between grave accents set as code."""
    parts = plain(text).replace(" %", "\u00a0%").split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part)
        for position, part in enumerate(parts)
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("machmeter.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = marked
    for shown in (
        beyond_text,
        placed,
        count_text,
        duration_text,
        result_interval_text,
        plain,
        precision_text,
        value_text,
    ):
        environment.globals[shown.__name__] = shown
    return environment


def _shown(value: object) -> object:
    """What a template writes: text of a run without characters that steer who reads the source."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return without_controls(value)


def _inline(script: str) -> Markup:
    """Our own scripts and the bundled libraries, for a script element."""
    safe = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return Markup(safe)  # noqa: S704 - no text of a run is in it


@cache
def _chart_libraries() -> str:
    """Vega-Embed with Vega-Lite and Vega, as vl-convert carries them, as JavaScript."""
    return kept_bundle(cache_home(os.environ), _bundled)


def kept_bundle(folder: Path, bundle: Callable[[], str]) -> str:
    """The libraries as the cache in `folder` holds them, else as `bundle` makes them.

    What is damaged, or what others may have changed, is made again; a cache that cannot be read or
    written is as an empty one.
    """
    exported = hashlib.sha256(_EXPORTED.encode()).hexdigest()[:8]
    kept = folder / "page" / f"vega-{version('vl-convert-python')}-{exported}.js"
    with contextlib.suppress(MachmeterError):
        refuse_untrusted((kept,), folder, os.environ)
        content = read_bounded(kept)
        digest, script = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(script).digest() == digest:
            return script.decode()
    made = bundle()
    _keep(kept, made.encode())
    return made


def _bundled() -> str:
    import vl_convert  # noqa: PLC0415 - not loaded where the cache has what it makes

    script: str = vl_convert.javascript_bundle(_EXPORTED)
    return script


def _keep(kept: Path, script: bytes) -> None:
    with contextlib.suppress(OSError, MachmeterError):
        make_closed(kept.parent)
        with replacing(kept, 0o644) as file:
            file.write(hashlib.sha256(script).digest() + script)


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

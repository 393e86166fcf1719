"""The text of a page as its reader meets it: headings, cells of tables, rows of charts."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

_HEADINGS = ("h1", "h2", "h3", "h4")
_BLOCKS = frozenset((*_HEADINGS, "p", "li", "dt", "dd", "tr", "pre", "div", "section", "details"))
_BLOCKS |= {"caption", "summary", "figcaption", "nav", "header", "title"}
_CELLS = frozenset(("td", "th"))
_SKIPPED = frozenset(("script", "style", "svg"))


class PageText(HTMLParser):
    """Lines of text of a page, one a block or row of a table, and the specifications of charts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.specs: list[Any] = []
        self._line: list[str] = []
        self._skipped = ""
        self._is_data = False
        self._data: list[str] = []
        self.feed(page)
        self._end()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped:
            return
        if tag in _SKIPPED:
            self._skipped = tag
            self._is_data = ("type", "application/json") in attrs and ("id", "specs") in attrs
        elif tag in _BLOCKS:
            self._end()
            if tag in _HEADINGS:
                self._line.append("#" * int(tag[1]) + " ")
        elif tag in _CELLS and self._line:
            self._line.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            if self._is_data:
                self.specs.append(json.loads("".join(self._data)))
            self._skipped, self._is_data, self._data = "", False, []
        elif not self._skipped and tag in _BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if self._is_data:
            self._data.append(data)
        elif not self._skipped:
            self._line.append(data)

    def _end(self) -> None:
        text = " ".join("".join(self._line).split())
        if text:
            self.lines.append(text)
        self._line = []


def chart_lines(spec: object) -> list[str]:
    """The rows of data in a specification, each once, numbers on four digits."""
    found: dict[str, None] = {}

    def walk(part: object) -> None:
        if isinstance(part, dict):
            rows = part.get("values")
            if isinstance(rows, list) and rows and all(isinstance(one, dict) for one in rows):
                found.update(dict.fromkeys(" | ".join(map(_value, one.values())) for one in rows))
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(spec)
    return list(found)


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def page_text(page: str) -> str:
    """All of it, the charts at the end."""
    read = PageText(page)
    charts = [line for specs in read.specs for line in chart_lines(specs)]
    return "\n".join((*read.lines, *charts))

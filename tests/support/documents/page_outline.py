"""The elements and words of a page, and text that must stay text in it."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>"


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

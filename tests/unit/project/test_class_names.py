"""No text that people read names a class of the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.support.documents.class_names import CLASS_NAMES as NAMES
from tests.support.documents.class_names import SOURCES
from tests.support.paths import ROOT

TEMPLATES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for ending in ("html", "js")
    for path in sorted((ROOT / "src").rglob(f"*.{ending}"))
}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Strings with their lines; docstrings, and strings that are one name, are for programmers."""
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in docstrings and not node.value.isidentifier():
            yield node.lineno, node.value


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('note = "CurveChart: the median"', True),
        ('note = f"{count} pairs of a CurveChart"', True),
        ('"""A CurveChart."""', False),
        ('__all__ = ("CurveChart",)', False),
        ('note = "A curve, the median"', False),
    ],
)
def test_a_class_is_found_in_text_and_not_in_docstrings(source: str, found: bool) -> None:
    assert any(NAMES.search(text) for _, text in texts(source)) == found


def test_no_text_names_a_class() -> None:
    named = [
        f"{path}:{line}: {text[:80]!r}"
        for path, source in SOURCES.items()
        for line, text in texts(source)
        if NAMES.search(text)
    ]
    assert not named


def test_no_template_names_a_class() -> None:
    named = [f"{path}: {NAMES.findall(text)}" for path, text in TEMPLATES.items()]
    assert not [one for one in named if not one.endswith(": []")]

"""The classes of the package, which no text that people read names."""

from __future__ import annotations

import ast
import re

from tests.support.paths import ROOT

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src").rglob("*.py"))
}


def _names() -> set[str]:
    """Of more than one word, such as CurveChart: others are words of the language, too."""
    return {
        node.name.lstrip("_")
        for source in SOURCES.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and re.search("[a-z][A-Z]", node.name)
    }


CLASS_NAMES = re.compile(rf"\b(?:{'|'.join(sorted(_names()))})\b")

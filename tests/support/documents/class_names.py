"""The classes of the package, which no text that people read names."""

from __future__ import annotations

import re

import re2

from tests.support.paths import ROOT

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src").rglob("*.py"))
}


# Of more than one word, such as CurveChart: others are words of the language, too.
_CLASS = re.compile(r"^ *class _*(\w*[a-z][A-Z]\w*)", re.MULTILINE)
_NAMES = {name for source in SOURCES.values() for name in _CLASS.findall(source)}
CLASS_NAMES = re2.compile(rf"\b(?:{'|'.join(sorted(_NAMES))})\b")

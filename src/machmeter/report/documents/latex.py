"""Documents as LaTeX: a `longtable` with the rules of booktabs for each table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from machmeter.report.documents.document import Document
from machmeter.report.table import Table
from machmeter.text.plain import plain

PREAMBLE = (
    r"\usepackage[T1]{fontenc}",
    r"\usepackage[utf8]{inputenc}",
    r"\usepackage{textcomp}",
    r"\usepackage{booktabs}",
    r"\usepackage{longtable}",
)
"""What the document's own preamble needs; the output names it in comments."""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    # After the end of a row both would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u00a0": "~",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\textellipsis{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "µ": r"\textmu{}",
    "±": r"\textpm{}",
    "×": r"\texttimes{}",
    "°": r"\textdegree{}",
    "≤": r"\(\leq\)",
    "≥": r"\(\geq\)",
    "≈": r"\(\approx\)",
    "→": r"\textrightarrow{}",
}
# Letters beyond Latin-1 that the encoding T1 has.
_T1 = frozenset("ĂăĄąĆćČčĎďĘęĚěĞğİıĹĺĽľŁłŃńŇňŐőŔŕŘřŚśŞşŠšŢţŤťŮůŰűŹźŻżŽžŒœŸ")
# A letter of units follows a number after a thin space, which is not broken.
_UNIT = r"%|[pnµmkMGT]?(?:B/s|msg/s|flop/s|op/s|bit/s|s)|[kMGT]?B|[KMGT]iB|points?"
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?=(?:{_UNIT})(?![\w/]))")
_MINUS = re.compile(r"(?<![\w.,)\]-])-(?=\d)")
_TIMES = re.compile(r"(?<=\d)x(?!\w)")
# Two of these in a row would become one character.
_JOINED = re.compile(r"([-,])(?=\1)")
_THIN, _NEGATIVE, _BY, _NOTHING = "\ue000", "\ue001", "\ue002", "\ue003"
_SET = {_THIN: r"\,", _NEGATIVE: r"\textminus{}", _BY: r"\texttimes{}", _NOTHING: "{}"}


def latex(document: Document) -> str:
    """The tables with headings, to be included in a document of one's own; ends with a line break.

    It compiles with any LaTeX of 2020 or later; its first lines say which packages it needs.
    """
    lines = [f"% {name}" for name in PREAMBLE]
    lines += [rf"\section*{{{latex_text(document.title)}}}"] if document.title else []
    for line in document.lines:
        lines += [latex_text(line), ""]
    for table in document.tables:
        lines += _longtable(table)
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """`text` on one line, every special character escaped, numbers and units set as such.

    What neither Latin-1 nor the encoding T1 has is named by its number: `U+4E2D`.
    """
    known = "".join(" " if c in _SET else c for c in plain(text))
    marked = _TIMES.sub(_BY, _MINUS.sub(_NEGATIVE, _BEFORE_UNIT.sub(_THIN, known)))
    set_apart = _JOINED.sub(rf"\1{_NOTHING}", marked)
    return "".join(_character(c) for c in set_apart).strip()


def _character(c: str) -> str:
    if c in _SET or c in _SPECIAL:
        return _SET.get(c) or _SPECIAL[c]
    if " " <= c <= "~" or "\u00a1" <= c <= "\u00ff" or c in _T1:
        return c
    return f"U+{ord(c):04X}"


def _longtable(table: Table) -> Iterator[str]:
    kinds = "".join("r" if n in table.numeric else "l" for n in range(len(table.columns)))
    yield rf"\begin{{longtable}}{{@{{}}{kinds}@{{}}}}"
    if table.caption:
        yield rf"\caption*{{{latex_text(table.caption)}}}\\"
    yield r"\toprule"
    yield _row(table.columns)
    yield r"\midrule"
    yield r"\endhead"
    yield from (_row(row) for row in table.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}"
    if table.note:
        yield latex_text(table.note)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(latex_text(cell) for cell in cells)} \\"

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.report.documents.document import Document
from machmeter.report.documents.latex import PREAMBLE, latex, latex_text
from machmeter.report.table import Table

TEXT = st.text(max_size=60) | st.text(alphabet="\\{}$&#^_~%<>|\"`'[]*-,?! ax1", max_size=30)
# What may stand in a cell: a character that is nothing special, or one of these commands.
SAFE = re.compile(
    r"(?:[ A-Za-z0-9.,:;!?()/@+=¡-ÿĂ-ž-]|~|\{\[\}|\{\]\}|\{\*\}|\{\}"
    r"|\\[{}$&#_%,]|\\text[a-z]+\{\}|\\\(\\(?:leq|geq|approx)\\\))*"
)


@given(TEXT)
def test_text_holds_no_special_character(text: str) -> None:
    written = latex_text(text)
    assert SAFE.fullmatch(written), written
    assert "--" not in written and ",," not in written


@given(TEXT, TEXT)
def test_rows_have_their_cells_and_groups_are_closed(one: str, other: str) -> None:
    written = latex(Document(one, (Table(other, (one, "b"), ((one, other), (other, one))),)))
    rows = [line for line in written.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 3
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    unescaped = written.replace(r"\{", "").replace(r"\}", "")
    assert unescaped.count("{") == unescaped.count("}")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("18.2 GB/s", r"18.2\,GB/s"),
        ("95 % interval", r"95\,\% interval"),
        ("29.5 µs", r"29.5\,\textmu{}s"),
        ("64 KiB", r"64\,KiB"),
        ("-3.0 %", r"\textminus{}3.0\,\%"),
        ("1.92x [1.85, 2.00]", r"1.92\texttimes{} {[}1.85, 2.00{]}"),
        ("[-5.4, -0.6]", r"{[}\textminus{}5.4, \textminus{}0.6{]}"),
        ("20261123-073818-vm", "20261123-073818-vm"),
        ("-O2 --flags", r"-O2 -{}-flags"),
        ("2 samples", "2 samples"),
        ("中", "U+4E2D"),
        ("Łódź", "Łódź"),
    ],
)
def test_numbers_and_units_are_set_as_such(text: str, written: str) -> None:
    assert latex_text(text) == written


def test_tables_are_whole() -> None:
    table = Table("Latency", ("size", "ns"), (("4 KiB", "1.27"),), (1,), "All: 1 thread.")
    lines = latex(Document("Run", (table,))).splitlines()
    assert lines[: len(PREAMBLE)] == [f"% {name}" for name in PREAMBLE]
    assert lines[len(PREAMBLE) :] == [
        r"\section*{Run}",
        r"\begin{longtable}{@{}lr@{}}",
        r"\caption*{Latency}\\",
        r"\toprule",
        r"size & ns \\",
        r"\midrule",
        r"\endhead",
        r"4\,KiB & 1.27 \\",
        r"\bottomrule",
        r"\end{longtable}",
        "All: 1 thread.",
        "",
    ]

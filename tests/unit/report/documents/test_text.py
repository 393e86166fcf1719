import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from machmeter.report.documents.document import Document
from machmeter.report.documents.results import results_document
from machmeter.report.documents.text import text_lines
from machmeter.report.table import Table
from tests.support.synthetic.runs import NAMES, run


@pytest.mark.parametrize(("name", "columns"), [*((n, 80) for n in NAMES), ("scalemp", 100)])
def test_every_result_fits_the_terminal(name: str, columns: int) -> None:
    document = results_document("a run", run(name).estimates)
    lines = [line.text for line in text_lines(document, columns)]
    assert max(map(cell_len, lines)) <= columns
    assert not any(line.endswith(" ") for line in lines)


def test_what_is_too_wide_becomes_a_heading_within_the_table() -> None:
    rows = (("first kind of case", "1", "10"), ("first kind of case", "2", "20"), ("b", "1", "30"))
    table = Table("", ("a long heading", "n", "ns"), rows, (1, 2), labels=2)
    assert [line.text for line in text_lines(Document("", (table,)), 20)] == [
        "  first kind of case",
        "    n  ns",
        "    1  10",
        "    2  20",
        "  b",
        "    n  ns",
        "    1  30",
    ]
    whole = [line.text for line in text_lines(Document("", (table,)))]
    assert whole[1] == "  first kind of case  1  10"


def test_a_column_of_several_words_is_narrowed_before_one_whose_word_would_break() -> None:
    rows = (("20261123-073818", "memory.stream --threads 1 --budget 3s"),)
    lines = [line.text for line in text_lines(Document("", (Table("", ("a", "b"), rows),)), 36)]
    assert lines == [
        "  a                b",
        "  20261123-073818  memory.stream",
        "                   --threads 1",
        "                   --budget 3s",
    ]


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.integers(20, 120))
# Of a character of two cells and one of none, as many as there are characters.
@example(["0" * 17 + "\u2e80\U000e0080"], 20)
def test_text_is_wrapped_and_not_lost(words: list[str], columns: int) -> None:
    table = Table("", ("name",), tuple((word,) for word in words))
    lines = [line.text for line in text_lines(Document("", (table,)), columns)]
    assert max(map(cell_len, lines)) <= columns
    letters = "".join(c for word in words for c in word if c.isalnum() and c.isascii())
    shown = "".join(lines[1:])
    assert "".join(c for c in shown if c.isalnum() and c.isascii()) == letters


def test_what_names_a_row_is_not_broken_before_other_text() -> None:
    row = ("20261123-172939-vm-2116", "vm", "network.latency --budget 60s", "interrupted", "56")
    table = Table("", ("run", "machine", "request", "state", "launches"), (row,), (4,))
    lines = [line.text for line in text_lines(Document("", (table,)), 72)]
    assert any("20261123-172939-vm-2116" in line for line in lines)

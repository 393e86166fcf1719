from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from machmeter.report.documents.document import Document
from machmeter.report.documents.markdown import markdown
from machmeter.report.table import Table
from machmeter.text.plain import plain

TEXT = st.text(max_size=40) | st.text(alphabet="|\\`*_[]()<>&#!~$ax1-+:\n", max_size=20)
ENTITY = "&copy; <b>x</b> [a](http://x.test) `code` | a\\|b **bold** ~~no~~ ![i](u)"


def _rendered(text: str) -> list[list[str]]:
    """The text of each row of the only table, as a reader sees it."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            kinds = {child.type for child in token.children or ()}
            assert kinds <= {"text", "text_special"}, token.content
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows


def _seen(text: str) -> str:
    return plain(text).strip()


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_cells_read_as_they_are_and_no_pipe_ends_one(rows: list[tuple[str, str]]) -> None:
    written = markdown(Document("", (Table("", ("a", "b"), tuple(rows)),)))
    _, *found = _rendered(written)
    # The parser trims each cell as HTML does.
    assert [[cell.strip() for cell in row] for row in found] == [
        [_seen(cell) for cell in row] for row in rows
    ]


def test_no_markup_of_a_name_is_markup_of_the_document() -> None:
    written = markdown(Document(ENTITY, (Table(ENTITY, (ENTITY,), ((ENTITY,),), note="# no"),)))
    _, (cell,) = _rendered(written)
    assert cell == ENTITY
    assert "\n\\# no\n" in written
    assert written.splitlines()[0].startswith("# ")


def test_numbers_are_set_flush_right() -> None:
    written = markdown(Document("", (Table("", ("size", "ns"), (("4 KiB", "1.27"),), (1,)),)))
    assert written.splitlines()[1] == "| :--- | ---: |"

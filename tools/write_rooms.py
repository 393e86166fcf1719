"""The list of rooms in CONTRIBUTING.md, made from the rooms' own docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

BEGIN, END = "<!-- rooms: made by `make docs` -->\n", "<!-- end of rooms -->\n"
# From the command down to the data, as pyproject.toml's import contracts have them.
ROOMS = (
    *("cli", "api", "report", "run", "importing", "launch", "build", "machine", "apps"),
    *(
        "studies",
        "published",
        "simulation",
        "text",
        "layout",
        "store",
        "analysis",
        "benchmarks",
        "model",
    ),
)


def with_rooms(document: str, package: Path) -> str:
    """`document` with a new list between its two marks. Raises ValueError without marks."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks the marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{list_of_rooms(package)}\n{END}{after}"


def list_of_rooms(package: Path) -> str:
    """Every room and the rooms inside, indented, each with the first line of its docstring."""
    unlisted = {path.parent.name for path in package.glob("*/__init__.py")} - set(ROOMS)
    if unlisted:
        raise ValueError(f"rooms that are not listed here: {', '.join(sorted(unlisted))}")
    return "".join(line for room in ROOMS for line in _lines(package / room, 0))


def _lines(room: Path, depth: int) -> Iterator[str]:
    name = f"{'  ' * depth}{room.name}/"
    yield f"    {name:22}{_first_line(room)}\n"
    for inner in sorted(path.parent for path in room.glob("*/__init__.py")):
        yield from _lines(inner, depth + 1)


def _first_line(room: Path) -> str:
    source = (room / "__init__.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return docstring.partition("\n")[0].rstrip(".")

"""Lines of code of the rooms where things are shown, and of all of src.

Counted are the lines of Python, templates, style sheets and scripts that have more than white space
and a comment; of Python without docstrings. Imports count.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src" / "machmeter"
SHOWN = ("report", "text", "api", "cli")
KINDS = (".py", ".j2", ".css", ".js")
_EMPTY = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def code_lines(path: Path) -> int:
    """Lines of code of one file."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        return sum(bool(line.strip()) for line in text.splitlines())
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*_EMPTY, tokenize.ENDMARKER):
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        # A string that stands alone says what stands beside it.
        alone = node.value if isinstance(node, ast.Expr) else None
        if isinstance(alone, ast.Constant) and isinstance(alone.value, str):
            found -= set(range(alone.lineno, (alone.end_lineno or alone.lineno) + 1))
    return len(found)


def main() -> None:
    """Print a line a room."""
    write, total, shown = sys.stdout.write, 0, 0
    for room in sorted(path for path in SRC.iterdir() if path.is_dir()):
        files = [path for path in room.rglob("*") if path.suffix in KINDS]
        lines = sum(map(code_lines, files))
        total += lines
        if room.name in SHOWN:
            shown += lines
            write(f"{room.name:<10} {lines:>7,} lines {len(files):>5,} files\n")
    write(f"{'these':<10} {shown:>7,} lines\n{'src':<10} {total:>7,} lines\n")


if __name__ == "__main__":
    main()

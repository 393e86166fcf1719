"""Notebooks in jupytext's percent format: their cells, run one after the other as Jupyter does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_CELL = re.compile(r"^# %%(?: \[(\w+)\])?\n", re.MULTILINE)


def code_cells(path: Path) -> list[str]:
    """The source of every cell of code."""
    _, *parts = _CELL.split(path.read_text(encoding="utf-8"))
    return [source for kind, source in zip(parts[::2], parts[1::2], strict=True) if kind is None]


def run_notebook(path: Path) -> dict[str, Any]:
    """Run every cell of code in one namespace, which is returned."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, source in enumerate(code_cells(path), 1):
        exec(compile(source, f"{path.name}, cell {number}", "exec"), namespace)  # noqa: S102
    return namespace

"""The reference of `machmeter.api`, in Markdown, and its example notebook as Jupyter stores it."""

from __future__ import annotations

import ast
import enum
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from machmeter import api
from machmeter.cli.field_descriptions import field_descriptions, flowing

_HEAD = """\
# Python API

<!-- Made from src/machmeter/api by tools/write_api.py: change it there, then `make docs`. -->

{summary}

{example}

A notebook that measures, compares, reads findings and writes a page:
[examples/first_steps.ipynb](examples/first_steps.ipynb), for review as
[first_steps.py](examples/first_steps.py). Names of machines and runs are those of the command line
([guide.md](guide.md)). Requests and results are frozen types: the [schemas](schema/) describe their
fields. `context` holds folders and listeners ([Context](#context)); without one a function works in
this user's folders and tells nobody of its progress.
"""
_MODULES = (
    *(
        "requests",
        "programs.exploring",
        "jobs.readiness",
        "measuring",
        "loading",
        "machines",
        "machine_files",
        "published",
        "comparing",
        "scores",
    ),
    *("reports", "exports", "histories", "scalings", "catalogue", "context"),
)
_WIDTH = 88
_CELL = re.compile(r"^# %%(?: \[(\w+)\])?\n", re.MULTILINE)

Public = Callable[..., object] | type


def reference_of_api() -> str:
    """Every function and type of `machmeter.api.__all__`, by the module that defines it."""
    summary, _, example = (inspect.getdoc(api) or "").partition("\n\n>>> ")
    parts = [_HEAD.format(summary=_wrapped(summary), example=_fenced(f">>> {example}", "pycon"))]
    for module in _MODULES:
        objects = _defined_in(f"{api.__name__}.{module}")
        title = inspect.getdoc(import_module(f"{api.__name__}.{module}")) or ""
        parts += [f"## {title.splitlines()[0].removesuffix('.')}\n", *map(_section, objects)]
    return "\n".join(parts)


def notebook(source: Path) -> str:
    """A script in jupytext's percent format as a notebook without outputs (nbformat 4.5)."""
    _, *parts = _CELL.split(source.read_text(encoding="utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    cells = [_cell(number, kind, text) for number, (kind, text) in enumerate(pairs, 1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str | None, text: str) -> dict[str, Any]:
    if kind == "markdown":
        text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
    cell = {"id": f"cell-{number}", "metadata": {}, "source": text.strip().splitlines(True)}
    if kind == "markdown":
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}


def _defined_in(module: str) -> list[Public]:
    """Public functions and types that a module defines, functions first, in its own order."""
    found: list[Public] = [getattr(api, name) for name in api.__all__]
    own = [one for one in found if getattr(one, "__module__", "") == module]
    own.sort(key=lambda one: (inspect.isclass(one), inspect.getsourcelines(one)[1]))
    return own


def _section(one: Public) -> str:
    text = inspect.getdoc(one) or ""
    if not inspect.isclass(one):
        return f"### {one.__name__}\n\n{_fenced(_signature(one))}\n\n{_wrapped(text)}\n"
    lines = [f"### {one.__name__}\n", f"{_wrapped(text)}\n"]
    if issubclass(one, enum.Enum):
        lines += [f"- `{member.name}`: `{member.value}`" for member in one]
    elif issubclass(one, Struct):
        lines += list(_field_lines(one))
    return "\n".join(lines).rstrip() + "\n"


def _field_lines(struct: type[Struct]) -> Iterator[str]:
    types = {
        node.target.id: ast.unparse(node.annotation)
        for node in _node(struct).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for name, meaning in field_descriptions(struct).items():
        yield _filled(f"- `{name}: {types[name]}`: {meaning}")


def _signature(function: Callable[..., object]) -> str:
    """The `def` line as its source has it, on one line or one a parameter."""
    node = _node(function)
    returns = ast.unparse(node.returns)
    parameters = list(_parameters(node.args))
    whole = f"{function.__name__}({', '.join(parameters)}) -> {returns}"
    if len(whole) <= _WIDTH:
        return whole
    lines = "".join(f"    {one},\n" for one in parameters)
    return f"{function.__name__}(\n{lines}) -> {returns}"


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    first = len(arguments.args) - len(arguments.defaults)
    for place, one in enumerate(arguments.args):
        yield _parameter(one, arguments.defaults[place - first] if place >= first else None)
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, default)


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(one) + (f" = {ast.unparse(default)}".replace("'", '"') if default else "")


def _node(one: Public) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]


def _wrapped(docstring: str) -> str:
    """Paragraphs; below `Args:` and `Raises:` a list."""
    return "\n\n".join(map(_paragraph, inspect.cleandoc(docstring).split("\n\n")))


def _paragraph(text: str) -> str:
    head, _, rest = text.partition("\n")
    if head not in ("Args:", "Raises:"):
        return _filled(flowing(text))
    items = re.split(r"\n(?=\S)", textwrap.dedent(rest))
    if head == "Args:":
        # Every function takes it: the head of the document says so.
        items = [item for item in items if not item.startswith("context:")]
    items = [re.sub(r"^(\w+):", r"- `\1`:", flowing(item)) for item in items]
    return "\n".join([*([] if head == "Args:" else ["Raises:", ""]), *map(_filled, items)])


def _filled(text: str) -> str:
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _fenced(text: str, language: str = "python") -> str:
    return f"```{language}\n{text.strip()}\n```"

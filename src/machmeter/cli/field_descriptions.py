"""What the fields of a struct mean: the string literals that follow them in its source."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise

from msgspec import Struct

Descriptions = dict[str, str]


def field_descriptions(struct: type[Struct]) -> Descriptions:
    """The description of each field of `struct`, inherited fields included.

    Python keeps no docstring of an attribute, so that they are read from the module's source; where
    that is not installed there are none.
    """
    found: Descriptions = {}
    for one in reversed(struct.__mro__):
        found |= _of_module(one.__module__).get(one.__qualname__, {})
    return {name: found[name] for name in struct.__struct_fields__ if name in found}


def flowing(docstring: str) -> str:
    """A docstring without its line breaks; an empty line between paragraphs."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


@cache
def _of_module(module: str) -> dict[str, Descriptions]:
    """The descriptions in a module by the qualified name of their class."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    return dict(_of_classes(ast.parse(source).body, ""))


def _of_classes(body: list[ast.stmt], outer: str) -> list[tuple[str, Descriptions]]:
    found = []
    for one in body:
        if isinstance(one, ast.ClassDef):
            name = f"{outer}{one.name}"
            found += [(name, _of_fields(one.body)), *_of_classes(one.body, f"{name}.")]
    return found


def _of_fields(body: list[ast.stmt]) -> Descriptions:
    found = {}
    for field, literal in pairwise(body):
        match field, literal:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = flowing(text)
    return found

"""Every field of a public struct says what it is, in the code and in the published schemas."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

import pytest

from machmeter.cli.schemas import DOCUMENTS, schema_of
from tests.support.paths import ROOT


def undocumented(source: str) -> Iterator[str]:
    """Fields of public structs that no string literal follows, as `Class.field`."""
    for one in ast.parse(source).body:
        if not isinstance(one, ast.ClassDef) or one.name.startswith("_"):
            continue
        if not any(ast.unparse(base) in {"Struct", "_Rule"} for base in one.bases):
            continue
        for field, following in pairwise([*one.body, ast.Pass()]):
            if isinstance(field, ast.AnnAssign) and not is_text(following):
                yield f"{one.name}.{ast.unparse(field.target)}"


def is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def test_a_field_without_a_text_is_found() -> None:
    source = (
        'class A(Struct):\n    """A."""\n    a: int\n    """Its a."""\n    b: int\n    c: int = 1\n'
    )
    assert list(undocumented(source)) == ["A.b", "A.c"]


def test_every_field_of_a_public_struct_is_documented() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {field}"
        for path in sorted((ROOT / "src/machmeter").rglob("*.py"))
        for field in undocumented(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_every_field_of_a_document_is_described(name: str) -> None:
    found = [
        f"{struct}.{field}"
        for struct, schema in schema_of(name)["$defs"].items()
        for field, described in schema.get("properties", {}).items()
        if not described.get("description")
    ]
    assert not found, "\n".join(found)

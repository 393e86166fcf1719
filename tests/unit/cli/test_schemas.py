"""Published schemas say what each class and field means."""

from __future__ import annotations

import json
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest
from msgspec import Struct

from machmeter.cli.field_descriptions import field_descriptions
from machmeter.cli.schemas import DOCUMENTS, schema_of, structs_in
from tests.support.paths import ROOT

PUBLISHED = ROOT / "docs" / "schema"
MODULE = '''
from msgspec import Struct

class Base(Struct):
    """A base."""

    size: int
    """In bytes,
    of one element."""

class Derived(Base):
    plain: int = 0
    speed: float = 0.0
    """In bytes/s."""

    class Inner(Struct):
        note: str
        """Free text."""
'''


class Documented(Struct):
    """One line.

    Another
    paragraph.
    """

    seconds: float
    """Wall time."""


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_field_descriptions_are_read_from_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    name = f"made_up_structs_{packed}".lower()
    home = tmp_path / "made_up.zip" if packed else tmp_path
    if packed:
        with zipfile.ZipFile(home, "w") as archive:
            archive.writestr(f"{name}.py", MODULE)
    else:
        (home / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(home))
    module = import_module(name)
    size = {"size": "In bytes, of one element."}
    assert field_descriptions(module.Base) == size
    assert field_descriptions(module.Derived) == {**size, "speed": "In bytes/s."}
    assert field_descriptions(module.Derived.Inner) == {"note": "Free text."}
    monkeypatch.delitem(sys.modules, name)


def test_a_struct_whose_source_is_not_installed_has_no_descriptions() -> None:
    made = type("Made", (Struct,), {"__annotations__": {"x": int}, "__module__": "builtins"})
    assert field_descriptions(made) == {}


def test_schemas_take_docstrings_of_class_and_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DOCUMENTS, "made-up", Documented)
    made = schema_of("made-up")["$defs"]["Documented"]
    assert made["description"] == "One line.\n\nAnother paragraph."
    assert made["properties"]["seconds"] == {
        "type": ["number", "null"],
        "description": "Wall time.",
    }


def test_every_struct_of_a_document_is_found() -> None:
    for name, document in DOCUMENTS.items():
        objects = {
            key for key, value in schema_of(name)["$defs"].items() if value.get("type") == "object"
        }
        assert objects == {struct.__name__ for struct in structs_in(document)}


def test_published_schemas_are_those_of_the_types() -> None:
    assert {path.stem for path in PUBLISHED.glob("*.json")} == set(DOCUMENTS)
    for name in DOCUMENTS:
        published = json.loads((PUBLISHED / f"{name}.json").read_text())
        assert published == schema_of(name), "`make docs` writes them"
        jsonschema.Draft202012Validator.check_schema(published)

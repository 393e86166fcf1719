"""The JSON Schema of twins accepts the files that come with machmeter, and no others."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import machmeter.simulation
from machmeter.cli.schemas import schema_of

FOLDER = Path(machmeter.simulation.__file__).parent / "machines"


def content(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_packaged_twin_is_of_the_schema(path: Path) -> None:
    jsonschema.validate(content(path), schema_of("twin-file"))


@pytest.mark.parametrize("change", [{"colour": "red"}, {"nodes": 10**9}, {"topology": "ring"}])
def test_what_is_not_of_the_form_is_not_of_the_schema(change: dict[str, object]) -> None:
    twin = content(FOLDER / "hopper.toml") | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(twin, schema_of("twin-file"))

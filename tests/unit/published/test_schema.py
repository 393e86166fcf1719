"""The JSON Schemas of files that people write accept what the package has, and no more."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import machmeter.published
from machmeter.cli.schemas import schema_of

FOLDER = Path(machmeter.published.__file__).parent


def content(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("machines/*/*.toml")), ids=lambda path: path.stem
)
def test_every_packaged_machine_is_of_its_schema(path: Path) -> None:
    jsonschema.validate(content(path), schema_of("machine-file"))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("claims/*.toml")), ids=lambda path: path.stem)
def test_every_packaged_study_is_of_its_schema(path: Path) -> None:
    jsonschema.validate(content(path), schema_of("claims-file"))


@pytest.mark.parametrize(
    "change", [{"colour": "red"}, {"id": "No!"}, {"year": 12}, {"counts": {"cores": -1}}]
)
def test_what_is_not_of_the_form_is_not_of_the_schema(change: dict[str, object]) -> None:
    machine = content(FOLDER / "machines" / "austin2013" / "edison.toml") | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(machine, schema_of("machine-file"))

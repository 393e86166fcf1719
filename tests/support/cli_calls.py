"""Call a command as a person or a program does."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from machmeter.cli.main import main
from machmeter.cli.schemas import schema_of


def call(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `machmeter WORDS`."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    printed = capfd.readouterr()
    assert "Traceback" not in printed.err
    return int(ended.value.code or 0), printed.out, printed.err


def document(capfd: pytest.CaptureFixture[str], name: str, *words: str) -> dict[str, Any]:
    """What `machmeter WORDS --json` prints, checked against the schema `name`."""
    code, out, _ = call(capfd, *words, "--json")
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, schema_of(name))
    assert code == found.get("exit_code", 0)
    return found

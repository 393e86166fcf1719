"""What `doctor` sees is what a run would take."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.machine.diagnosis.probe import find_compiler
from tests.support.made_up.tools import tool


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("", "g++"),
        ("mine -m64", "mine"),
        ("ccache mine", "mine"),
        ("nosuch g++", ""),
        ("mine g++", ""),
        ("mine '", ""),
    ],
)
def test_a_compiler_that_a_run_refuses_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, found: str
) -> None:
    paths = {name: str(tool(tmp_path, name, "exit 0")) for name in ("g++", "mine")}
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", named)
    assert find_compiler() == paths.get(found, "")

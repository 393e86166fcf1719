"""What tests of commands share: a home of their own, and a run in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for runs of its own for each test, with a space and an umlaut in its name."""
    path = tmp_path / "data ü"
    monkeypatch.setenv("MACHMETER_DATA", str(path))
    monkeypatch.setenv("MACHMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    return path


@pytest.fixture
def one_run(home: Path) -> RunFolder:
    """A finished run in `home`, of a made-up machine."""
    return run_to_end(new_folder(home / "runs" / "a-run"), FakeLauncher())

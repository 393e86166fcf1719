"""What tests of commands share: a home of their own, and a run in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run of a made-up machine, for tests that change nothing in it."""
    folder = new_folder(tmp_path_factory.mktemp("finished") / "a-run")
    return run_to_end(folder, FakeLauncher())


@pytest.fixture
def one_run(home: Path, finished_run: RunFolder) -> RunFolder:
    """A finished run in `home`, of a made-up machine."""
    return RunFolder(shutil.copytree(finished_run.path, home / "runs" / "a-run"))


@pytest.fixture(scope="session", autouse=True)
def unflushed() -> Iterator[None]:
    """Disks are not waited for; what is flushed and when has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield

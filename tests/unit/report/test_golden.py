"""What is shown of stored runs, noun by noun, is what `tests/data/golden` says.

`make golden` writes the files again and shows what changed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api.context import Context
from machmeter.api.loading import rebuild_index
from tests.support.cli_calls import call
from tests.support.golden.nouns import GOLDEN, NOUNS, PAGE, STORED, shown, unpack

MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def stored(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stored runs in an index, which no test changes."""
    folder = tmp_path_factory.mktemp("golden")
    unpack(folder / "home")
    rebuild_index(context=Context(data=folder / "home", cache=cache))
    return folder


@pytest.fixture
def home(stored: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MACHMETER_DATA", str(stored / "home"))
    # The simulator, which a page of a simulated run asks, is compiled there.
    monkeypatch.setenv("MACHMETER_CACHE", str(cache))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(stored)
    return stored / "home"


@pytest.mark.parametrize("noun", NOUNS)
def test_what_is_shown_is_as_it_was(
    noun: str,
    home: Path,
    capfd: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:
    parts = []
    for words in NOUNS[noun]:
        code, out, error = call(capfd, *(f"home/runs/{w}" if w in STORED else w for w in words))
        assert code in {0, 1}, f"{words}: {error}"
        parts.append(shown(words, out, Path(PAGE), home))
    text, file = "\n".join(parts), GOLDEN / f"{noun}.txt"
    if pytestconfig.getoption("--write-golden"):
        file.write_text(text)
    assert text.splitlines() == file.read_text().splitlines()


def test_golden_files_are_few_and_small() -> None:
    files = sorted(GOLDEN.glob("*.txt"))
    assert [file.stem for file in files] == sorted(NOUNS)
    assert sum(file.stat().st_size for file in files) < MOST_BYTES

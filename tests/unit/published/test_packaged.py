"""The one JSON file that packaged machines are read from holds what their TOML files do."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from machmeter.model.errors import MachmeterError
from machmeter.published import packaged
from machmeter.published.load import machine_names, published_machine, read_machine

FOLDER = Path(packaged.__file__).parent
FILES = sorted((FOLDER / "machines").rglob("*.toml"))
MOST_BYTES = 300_000


def test_it_has_every_machine_and_stays_small() -> None:
    assert sorted(machine_names()) == sorted(path.stem for path in FILES)
    assert (FOLDER / packaged.FILE).stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_machine_is_that_of_its_file(path: Path) -> None:
    every = packaged.packaged_machines()
    of_today = path.is_relative_to(FOLDER / "machines" / "today")
    kept = (every.today if of_today else every.studies)[path.stem]
    assert kept.sha256 == hashlib.sha256(path.read_bytes()).hexdigest(), "run `make docs`"
    # Which a user's own file is read by: strictly.
    assert read_machine(path) == published_machine(path.stem)


@pytest.mark.parametrize("content", [None, b"", b'{"studies": 1}'])
def test_a_damaged_installation_says_so(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / packaged.FILE).write_bytes(content)
    monkeypatch.setattr(packaged, "files", lambda _: tmp_path)
    with pytest.raises(MachmeterError, match="cannot be read"):
        packaged.packaged_machines.__wrapped__()  # type: ignore[attr-defined]

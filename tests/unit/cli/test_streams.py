"""Whatever this process writes to, what it has to say gets there."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from machmeter.cli.streams import make_streams_sound
from machmeter.model.errors import ExitCode

COMMAND = [sys.executable, "-m", "machmeter"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folders = {f"MACHMETER_{name}": str(tmp_path / name) for name in ("CACHE", "DATA")}
    return {**os.environ, **folders}


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "iso8859-2", "euc-jp"])
@pytest.mark.parametrize(
    "words", [("compare", "gordon", "comet"), ("show", "machine", "edison"), ("list", "machines")]
)
def test_an_encoding_of_one_byte_takes_all_that_is_written(
    words: tuple[str, ...], encoding: str, environment: dict[str, str]
) -> None:
    environment = {**environment, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, *words], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (ExitCode.DONE, b"")
    text = done.stdout.decode(encoding)
    assert "edison" in text.lower() or "gordon" in text.lower()


def test_characters_that_an_encoding_lacks_have_others_in_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding="ascii"))
    make_streams_sound()
    print("1\u20132 \u2192 3 \u00b5s \u2603 \u00e9")
    sys.stdout.flush()
    assert said.getvalue() == b"1-2 -> 3 us ? e\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_descriptors_end_nothing(closed: str, environment: dict[str, str]) -> None:
    words = ["sh", "-c", f'exec "$0" "$@" {closed}', *COMMAND, "list", "studies"]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert done.returncode == ExitCode.DONE, done.stderr
    assert done.stderr == b""
    assert bool(done.stdout) is (">&-" not in closed.replace("2>&-", ""))


def test_no_file_takes_the_number_of_a_closed_descriptor(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """What a run writes to its output would stand in its records."""
    script = (
        "from machmeter.cli.streams import make_streams_sound; make_streams_sound(); "
        f"file = open({str(tmp_path / 'record')!r}, 'w'); assert file.fileno() > 2"
    )
    words = ["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', sys.executable, "-c", script]
    assert subprocess.run(words, env=environment, check=False).returncode == 0


def test_a_folder_that_is_gone_ends_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["sh", "-c", f'cd {gone}; rmdir {gone}; exec "$0" "$@"', *COMMAND, "list", "studies"]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (ExitCode.DONE, b"")

"""No text of a file, a record or an argument steers the terminal, whatever command prints it."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest

from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call

NASTY = "x\x1b[31m\x07\x9b2J\u202eevil\r\nFORGED LINE\x00\x7f"
_STEERS = {"Cc", "Cf", "Cs"}
# What programs steer by, or compare: it is refused with words instead.
_KEPT = {"kind", "type", "id", "started", "ended", "created", "thp", "wait_policy", "role", "state"}
COMMANDS = (
    ("show",),
    ("show", "--all"),
    ("show", "--format", "markdown"),
    ("show", "--format", "latex"),
    ("show", "--json"),
    ("findings", "--all"),
    ("findings", "--format", "latex"),
    ("runs",),
    ("runs", "--json"),
    ("list", "machines"),
    ("compare", "last", "last"),
    ("scaling", "--details"),
    ("history",),
    ("export",),
    ("export", "--what", "samples"),
    ("export", "--format", "json"),
)


def _steering(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in _STEERS}


def _check(out: str, err: str) -> None:
    assert not _steering(out), out[:300]
    assert not _steering(err), err[:300]
    assert not any(line.startswith("FORGED") for line in (out + err).splitlines())


def _poisoned(value: Any, *names: str) -> Any:
    """The value with every text in it that is free made to steer."""
    if isinstance(value, dict):
        return {key: one if key in _KEPT else _poisoned(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_poisoned(one, *names) for one in value]
    return value + NASTY if isinstance(value, str) else value


def _poison_header(folder: RunFolder) -> None:
    path = next(folder.path.glob("run.json*"), folder.path / "header.json")
    header = msgspec.json.decode(path.read_bytes())
    machine = header["machine"]
    for name in ("name", "host", "cpu_model"):
        machine[name] += NASTY
    machine["software"] = _poisoned(machine["software"])
    header["command"] = ["machmeter", "run", NASTY.replace("\x00", "")]
    path.write_bytes(msgspec.json.encode(header))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_text_of_a_run_steers_no_terminal(
    words: tuple[str, ...], one_run: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    _poison_header(one_run)
    _, out, err = call(capfd, *words)
    assert out or err
    # Lines of CSV end as RFC 4180 says.
    _check(out.replace("\r\n", "\n") if words[0] == "export" else out, err)


@pytest.mark.parametrize(
    "words",
    [
        ("show", NASTY),
        ("run", NASTY),
        ("run", "--set", NASTY),
        ("run", "--flags", NASTY, "nothing"),
        ("show", "machine", NASTY),
        ("compare", NASTY, "last"),
        ("export", "-o", NASTY),
        ("history", NASTY),
        (NASTY,),
        ("--" + NASTY,),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_arguments_steer_no_terminal(
    words: tuple[str, ...], as_json: bool, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not home.exists()
    clean = [word.replace("\x00", "") for word in words]
    code, out, err = call(capfd, *clean, *(["--json"] if as_json else []))
    assert code
    assert not _steering(out + err)


@pytest.mark.parametrize("name", ["machine.toml", "osu_latency.txt"])
def test_text_of_a_file_steers_no_terminal(
    name: str, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not home.exists()
    path = tmp_path / f"\x1b[31m{name}"
    if name.endswith(".toml"):
        texts = msgspec.json.encode(NASTY).decode()
        path.write_text(f"format = 1\nid = {texts}\nname = {texts}\n[parts]\ncpu = {texts}\n")
    else:
        path.write_text(
            f"# OSU MPI Latency Test v7.5 \x1b[31m\x07\n# Size {NASTY}\n8 1.5\n\x9b2J\n"
        )
    for words in (("show", "machine", str(path)), ("compare", "comet", str(path))):
        _, out, err = call(capfd, *words)
        assert out or err
        _check(out, err)
